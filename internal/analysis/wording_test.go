package analysis_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/analysis"
)

// TestTextsOfManyTrades: numbers that chance gives are written as those that were found are.
func TestTextsOfManyTrades(t *testing.T) {
	t.Parallel()
	r := random(5)
	var deals []deal
	for i := range 24_000 {
		deals = append(deals, deal{
			account: i % 2, at: startWorkday(r.IntN(40)) + time.Duration(r.IntN(7200))*time.Second, hold: 20 * time.Second, lots: 0.1,
			side: []record.Side{record.Buy, record.Sell}[r.IntN(2)],
		})
	}
	a := analysis.Analyse(input(owner(2), deals...))
	number := regexp.MustCompile(`; \d,\d{3} are expected by chance \(\d,\d{3} to \d,\d{3} with shifted days\)`)
	for _, kind := range []string{"copied_trades", "opposite_positions"} {
		if text := detection(t, a, kind).Detail; !number.MatchString(text) {
			t.Errorf("%s: %s", kind, text)
		}
	}
}

// TestAccountsAreNamed: a statement that names no login is known by its file, here and
// beside the finding.
func TestAccountsAreNamed(t *testing.T) {
	t.Parallel()
	accounts := owner(2)
	accounts[0].Login, accounts[0].ExternalID, accounts[0].File = "", "", "june.csv"
	var deals []deal
	for i := range 20 {
		deals = append(deals, deal{account: i % 2, at: startWorkday(i / 2), hold: time.Hour, lots: 1, net: 5})
	}
	if text := detection(t, analysis.Analyse(input(accounts, deals...)), "opposite_positions").Detail; !strings.HasPrefix(text, "No opposite") {
		t.Fatal(text)
	}
	for i := range deals {
		deals[i].side = []record.Side{record.Buy, record.Sell}[i%2]
	}
	if text := detection(t, analysis.Analyse(input(accounts, deals...)), "opposite_positions").Detail; !strings.Contains(text, `in account "june.csv" and account "901"`) {
		t.Errorf("the file is not named: %s", text)
	}
}
