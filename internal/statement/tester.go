package statement

import (
	"strings"

	"github.com/assayhq/assay/internal/statement/refusal"
	"github.com/assayhq/assay/internal/statement/words"
)

// testerTitles are parts of the titles of reports of strategy testers, in the
// languages of terminals.
var testerTitles = foldAll(
	"Strategy Tester", "Strategietester", "Backtest Report", "probador de estrategia", "simulador de estrategia", "testeur de stratégie", //nolint:misspell // French
	"tester di strategia", "tester di strategie", "tester strategie",
	"testador de estratégia", "testador estratégia", "тестер стратегий", "тестера стратегий", "testera strategii", "testeru strategií", "策略测试", "策略測試",
	"ストラテジーテスター", "ストラテジテスター", "مختبر الاستراتيجيات",
)

func foldAll(titles ...string) []string {
	for i, title := range titles {
		titles[i] = words.Fold(title)
	}
	return titles
}

// testerKeys are names of figures that only a strategy tester has.
var testerKeys = map[string]bool{
	"expert": true, "experto": true, "эксперт": true, "советник": true, "historyquality": true, "modellingquality": true, "modelingquality": true, "barsintest": true, "ticksmodelled": true,
	"качествоистории": true, "历史质量": true,
}

// listsTests reports whether the columns are those of TradingView's list of a
// strategy's trades. The list of an account's trades has symbols as well.
func listsTests(titles []string) bool {
	numbered, signal, symbol := false, false, false
	for _, title := range titles {
		name := words.Fold(title)
		numbered = numbered || name == "trade#" || name == "tradenumber"
		signal = signal || name == "signal"
		symbol = symbol || name == "symbol"
	}
	return numbered && signal && !symbol
}

// namesTester reports whether a title is that of a strategy tester's report.
func namesTester(title string) bool {
	const longest = 200
	if len(title) > longest {
		return false
	}
	name := words.Fold(title)
	for _, part := range testerTitles {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}

// checkTitle refuses a report by the title of its document.
func checkTitle(title string) error {
	if namesTester(title) {
		return refuseTester()
	}
	return nil
}

// refuseTester refuses the report of a strategy tester.
func refuseTester() error {
	return refusal.New(refusal.NotUnderstood, "This is a strategy tester report. Its trades were simulated on past prices. Send the history of the account.")
}
