package extract_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/internal/interview/claims"
	"github.com/assayhq/assay/internal/interview/claims/extract"
)

// lookalike is a sentence, and what it states, as brief writes it.
type lookalike struct {
	topic claims.Topic
	say   string
	want  []string
}

func checkLookalikes(t *testing.T, all []lookalike) {
	t.Helper()
	for _, tc := range all {
		if diff := cmp.Diff(tc.want, said(tc.say, tc.topic)); diff != "" {
			t.Errorf("%q about %q (-want +got):\n%s", tc.say, tc.topic, diff)
		}
	}
}

// TestValuesOfOtherThings reads no value of a topic from numbers of something else, and still those beside them.
func TestValuesOfOtherThings(t *testing.T) {
	t.Parallel()
	checkLookalikes(t, []lookalike{
		{"", "I make five hundred a day", nil},
		{"", "I make about eighty a day with it", nil},
		{"", "I like coffee, I take six a day", nil},
		{claims.TradesPerDay, "I make two hundred a day on average", nil},
		{claims.TradesPerDay, "I do four a day", []string{"trades_per_day = 4 count"}},
		{"", "My trades are short, I do six a day", []string{"trades_per_day = 6 count"}},

		{claims.HoldingTime, "I hold for twenty minutes and the number of them is five", []string{"holding_time = 1200 s"}},
		{claims.RiskPerTrade, "one percent a trade, the accounts are two", []string{"risk_per_trade = 1 %"}},
		{claims.RiskPerTrade, "I risk one percent per trade. How many, usually two.", []string{"risk_per_trade = 1 % (usually)"}},
		{claims.MaxLossDay, "I stop at two percent or after three", []string{"max_loss_day = 2 %"}},
		{claims.RiskPerTrade, "two percent, never above three", []string{"risk_per_trade = 2 %", "risk_per_trade < 3 % (never)"}},
		{claims.RiskPerTrade, "he risks four percent a trade, I risk two", []string{"risk_per_trade = 2 %"}},
		{claims.HoldingTime, "ten minutes, sorry, fifteen", []string{"holding_time = 900 s"}},

		{claims.StrategyLength, "I started my job as a nurse five years ago", nil},
		{claims.StrategyLength, "I began a degree in physics three years ago", nil},
		{claims.StrategyLength, "I started university four years ago", nil},
		{claims.StrategyLength, "I started two years ago", []string{"strategy_length = 63115200 s"}},
		{claims.StrategyLength, "I started with it about two years ago", []string{"strategy_length = 63115200 s ~"}},
		{claims.StrategyLength, "I began trading gold three years ago", []string{"strategy_length = 94672800 s"}},

		{claims.TradesPerDay, "I did five a day, no more", nil},
		{claims.MaxLossDay, "eight hundred dollars, no more discussion", []string{"max_loss_day = 800 money"}},
		{claims.RiskPerTrade, "one percent, no more questions", []string{"risk_per_trade = 1 %"}},
		{claims.TradesPerDay, "three a day, no more", []string{"trades_per_day < 3 count"}},

		{claims.RiskPerTrade, "my plan says that I risk one percent", []string{"risk_per_trade = 1 %"}},
		{claims.MaxLossDay, "our rules say that I stop at two percent a day", []string{"max_loss_day = 2 %"}},
		{"", "my account says that I can't lose more than five percent a day", nil},
		{"", "the contract says that I stop at five percent a day", nil},
	})
}

// TestPeopleWhoDoNotTrade tells people whom a trader lives with from those who trade, too.
func TestPeopleWhoDoNotTrade(t *testing.T) {
	t.Parallel()
	others := []string{"other_people true"}
	checkLookalikes(t, []lookalike{
		{"", "we are five people at home, so I trade at night", nil},
		{claims.Hours, "we are four people in the house and the mornings are loud", nil},
		{"", "we are a family of friends of the church", nil},
		{"", "we are five people in one trading office", others},
		{claims.OtherPeople, "we are a team of three traders", others},

		{claims.OtherPeople, "my mother lives with me, she is here all day", nil},
		{claims.OtherPeople, "my wife cooks, she is here in the room", nil},
		{claims.OtherPeople, "my son goes to school, he is with you on that", nil},
		{claims.OtherPeople, "my father told me about you, he is here too", others},
		{claims.OtherPeople, "my cousin Emeka", others},
		{claims.AccountCount, "my brother has two kids", nil},
		{claims.AccountCount, "my sister has three dogs and I have one account", []string{"account_count = 1 count"}},
		{claims.AccountCount, "my cousin has two", others},
		{claims.AccountCount, "my friend has three accounts", others},
	})
}

// TestZonesBesideHours takes the zone of a place behind hours for theirs, but not that of a session or of an instrument.
func TestZonesBesideHours(t *testing.T) {
	t.Parallel()
	checkLookalikes(t, []lookalike{
		{claims.Hours, "I live in Dubai. nine to eleven, London session", []string{"hours_timezone 9..11 h unknown"}},
		{claims.Hours, "I live in Toronto, two to five New York open", []string{"hours_timezone 2..5 h unknown"}},
		{claims.Hours, "nine to eleven German index", []string{"hours_timezone 9..11 h"}},
		{claims.Hours, "from two to five British pound", []string{"hours_timezone 2..5 h"}},
		{claims.Hours, "from nine to eleven German time", []string{"hours_timezone 9..11 h Europe/Berlin"}},
		{claims.Hours, "four to six Dubai", []string{"hours_timezone 4..6 h Asia/Dubai"}},
		{claims.Hours, "ten to noon, always after the nine thirty open New York", []string{"hours_timezone 10..12 h (always) America/New_York"}},
	})
}

// TestSaidOfOtherThings reads nothing from sentences that look like statements: of others, of rules, of questions, and of
// things that only share their words.
func TestSaidOfOtherThings(t *testing.T) {
	t.Parallel()
	checkLookalikes(t, []lookalike{
		{claims.EAUse, "people always assume that I have a bot running", nil},
		{claims.EAUse, "bots I find unfair, I have told you that", nil},
		{claims.Averaging, "hedging is not allowed here, is it", nil},
		{claims.Averaging, "and hedging isn't allowed here, is it?", nil},
		{claims.StopLossUse, "let me tell you about my neighbor he trades oil with no stop", nil},
		{claims.StopLossUse, "I look at how far the stop has to be", nil},
		{claims.StopLossUse, "he is somebody who never uses a stop loss", nil},
		{claims.RiskPerTrade, "one percent is what everyone teaches", nil},
		{claims.RiskPerTrade, "zero point five lots each time", nil},
		{claims.RiskPerTrade, "the better the setup the more I put", nil},
		{claims.HoldingTime, "I have an alarm at sixty minutes", nil},
		{claims.HoldingTime, "I don't come back until the next day", nil},
		{claims.HoldingTime, "my wife and I are out in the evening", nil},
		{claims.TradesPerDay, "sometimes there is a day with ten", nil},
		{claims.TradesPerDay, "zero point two five each", nil},
		{claims.News, "at the news I do nothing special", nil},
		{claims.News, "I keep an eye on the news", nil},
		{claims.StrategyLength, "I have been waiting for my payout for three weeks next month", nil},
		{"", "I close it when it is down fifty dollars", nil},
	})
}

// TestCutsWithoutMarks cuts clauses that no mark separates, where the words show that another one begins.
func TestCutsWithoutMarks(t *testing.T) {
	t.Parallel()
	checkLookalikes(t, []lookalike{
		{claims.Hours, "london session only and on news i go flat", []string{"hours_timezone 8..17 h Europe/London", "news false"}},
		{claims.EAUse, "I'm too slow to click them all robots I don't believe in", []string{"ea_use/program false"}},
		{claims.HoldingTime, "I am not somebody who holds trades overnight", []string{"holding_time/overnight false"}},
		{claims.HoldingTime, "I'm a guy who holds trades overnight", []string{"holding_time/overnight true"}},
		{claims.Instruments, "euro dollar, pound dollar, dollar yen, these three and no others", []string{"instruments EURUSD+GBPUSD+USDJPY only"}},
		{claims.News, "I take my setups whether there is news or not", []string{"news true"}},
		{claims.News, "before CPI I close my positions", []string{"news false"}},
		{claims.TradesPerDay, "four or five I'd say six when it's a good day", []string{"trades_per_day 4..5 count", "trades_per_day = 6 count (sometimes)"}},
		{claims.HoldingTime, "a couple of hours, I'd say two to three", []string{"holding_time 7200..10800 s ~"}},
		{claims.AccountSharing, "I trade all of them alone", []string{"account_sharing false (always)"}},
		{claims.RiskPerTrade, "not more than zero point five on any single idea", []string{"risk_per_trade < 0.5 %"}},
	})
}

// TestLettersInARow ends names that are spoken as letters where the next one begins.
func TestLettersInARow(t *testing.T) {
	t.Parallel()
	checkLookalikes(t, []lookalike{
		{claims.Instruments, "E U, G U", []string{"instruments EURUSD+GBPUSD"}},
		{claims.Instruments, "e u r u s d, g b p u s d", []string{"instruments EURUSD+GBPUSD"}},
		{claims.Instruments, "I trade from 9 a m S and P", []string{"instruments SPX500"}},
		{claims.News, "I don't trade n f p c p i", []string{"news false"}},
		{claims.Hours, "nine a m to one p m", []string{"hours_timezone 9..13 h"}},
	})
	apart := claims.Segment{ID: "s1", QuestionID: "q1", Text: "gold with strategy g u", EndMS: 2500, Words: []claims.Word{
		{Text: "gold", EndMS: 200},
		{Text: "with", StartMS: 200, EndMS: 400},
		{Text: "strategy", StartMS: 400, EndMS: 800},
		{Text: "g", StartMS: 900, EndMS: 1000},
		{Text: "u", StartMS: 2000, EndMS: 2500},
	}}
	var found []string
	for _, c := range extract.Claims([]claims.Segment{apart}, map[string]extract.Asked{"q1": {Topic: claims.Instruments}}) {
		found = append(found, brief(c))
	}
	if diff := cmp.Diff([]string{"instruments XAUUSD"}, found); diff != "" {
		t.Errorf("letters with a pause between them (-want +got):\n%s", diff)
	}
}
