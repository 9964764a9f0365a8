package extract_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/interview/claims"
	"github.com/assayhq/assay/internal/interview/claims/claimstest"
	"github.com/assayhq/assay/internal/interview/claims/extract"
)

// TestCareful compares what people say in passing, take back or limit with trades
// that are three a day in the euro, held for twenty minutes with a stop that risks
// 0.2 %. A remark that does not firmly contradict this must never be called
// inconsistent.
func TestCareful(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	someGold := func(w *claimstest.World) {
		w.Each = func(n int, t *record.Trade) {
			if n%4 == 0 {
				t.Symbol = "XAUUSD"
			}
		}
	}
	for _, tc := range []struct {
		say    string
		change func(w *claimstest.World)
		want   []string
	}{
		// What is said last counts.
		{"I hold for two days, sorry, I mean twenty minutes", nil, []string{"holding_time = 1200 s: consistent"}},
		{"I hold for two days. Sorry, I mean twenty minutes.", nil, []string{"holding_time = 1200 s: consistent"}},
		{"I hold for twenty minutes, no wait, two days", nil, []string{"holding_time = 172800 s: inconsistent"}},
		{"I risk two percent, no, actually point two percent", nil, []string{"risk_per_trade = 0.2 %: consistent"}},
		{"I risk point zero one percent, actually two", nil, nil},
		{"I trade gold, no wait, I trade euro dollar", nil, []string{"instruments EURUSD: consistent"}},
		{"I hold for two days, sorry", nil, []string{"holding_time = 172800 s: inconsistent"}},
		{"I don't use bots, no, never", nil, []string{"ea_use/program false: consistent"}},

		// What is not sure, or only so under a condition.
		{"I could hold for three days if it runs", nil, nil},
		{"If it runs I hold for two days", nil, []string{"holding_time = 172800 s (sometimes): partly"}},
		{"I think I hold for maybe two days, I don't know", nil, []string{"holding_time = 172800 s ~ (sometimes): partly"}},
		{"I'm not sure, I hold two days", nil, []string{"holding_time = 172800 s (sometimes): partly"}},
		{"I might risk up to point zero one percent", nil, []string{"risk_per_trade < 0.01 % (sometimes): partly"}},
		{"I hold winners for two days and losers for five minutes", nil, []string{"holding_time = 172800 s (sometimes): partly", "holding_time = 300 s (sometimes): partly"}},
		{"My average winning trade lasts three hours", nil, []string{"holding_time = 10800 s (sometimes): partly"}},
		{"I make one trade a day sometimes ten", nil, []string{"trades_per_day = 1 count (sometimes): partly"}},
		{"I day trade and swing", nil, []string{"holding_time < 86400 s (sometimes): consistent", "holding_time > 86400 s (sometimes): partly"}},
		{"I'm a swing trader but I also scalp", nil, []string{"holding_time > 86400 s (sometimes): partly", "holding_time < 300 s (sometimes): partly"}},
		{"I am more of a day trader than a scalper", nil, []string{"holding_time < 86400 s: consistent"}},
		{"If I lose point one percent I stop for the day", nil, []string{"max_loss_day = 0.1 %: inconsistent"}},
		{"I hold gold for two days", someGold, []string{"holding_time = 172800 s: partly"}},
		{"I hold the euro dollar for two days", nil, []string{"holding_time = 172800 s: inconsistent"}},

		// What is left out, and what is not all.
		{"I trade everything except gold", nil, nil},
		{"I trade anything but gold", nil, nil},
		{"I trade nothing but gold", nil, []string{"instruments XAUUSD only: inconsistent"}},
		{"I don't only trade gold", nil, nil},
		{"I trade gold", someGold, []string{"instruments XAUUSD: partly"}},
		{"I mainly trade gold", someGold, []string{"instruments XAUUSD (usually): inconsistent"}},
		{"I only trade gold", someGold, []string{"instruments XAUUSD only: inconsistent"}},
		{"I trade gold and euro dollar and cable", someGold, []string{"instruments EURUSD+GBPUSD+XAUUSD: consistent"}},
		{"I don't always use a stop loss", nil, []string{"stop_loss_use true (sometimes): consistent"}},
		{"I always have a mental stop loss", func(w *claimstest.World) { w.Stop = "" }, nil},
		{"I never average down except on gold", nil, []string{"martingale_hedging/averaging false (sometimes): consistent"}},

		// Rules, targets and times that are over.
		{"Your daily loss limit is five percent", nil, nil},
		{"The rule is to hold for two minutes", nil, nil},
		{"I have to hold for two minutes because of the rule", nil, nil},
		{"I target two percent per trade", nil, nil},
		{"I risk one percent of my remaining drawdown", nil, nil},
		{"I took 1 trade a day at the beginning of my career", nil, nil},
		{"I used an EA before", nil, nil},
		{"Do I hold for two days? No.", nil, nil},

		// Numbers, currencies, people.
		{"I risk a tenth of a percent", nil, []string{"risk_per_trade = 0.1 %: partly"}},
		{"I risk two tenths of a percent per trade", nil, []string{"risk_per_trade = 0.2 %: consistent"}},
		{"I risk 20 euros per trade", nil, []string{"risk_per_trade = 20 money: unclear ambiguous_claim"}},
		{"I risk 20 francs per trade", nil, nil},
		{"I share my account with nobody", nil, []string{"account_sharing false: not_checkable no_data_source"}},
		{"Nobody but me has my password", nil, []string{"account_sharing false: not_checkable no_data_source"}},
		{"I don't follow signals, I use signals from my own indicator", nil, []string{"ea_use/signals false: not_checkable no_data_source"}},

		// Accounts that are over may be left out.
		{"I have one account", func(w *claimstest.World) { w.Directory, w.Ended = new(3), 2 }, []string{"account_count = 1 count: consistent"}},
		{"I have one account", func(w *claimstest.World) { w.Directory, w.Ended = new(3), 1 }, []string{"account_count = 1 count: inconsistent"}},
		{"I have maybe one account", func(w *claimstest.World) { w.Directory = new(3) }, []string{"account_count = 1 count ~ (sometimes): partly"}},

		// Times are those of the zone that was named; Berlin is the trader's.
		{"I trade from 11 am to 1 pm UTC+2", nil, []string{"hours_timezone 11..13 h UTC+02:00: consistent"}},
		{"I trade from 12 to 3 pm GMT plus three", nil, []string{"hours_timezone 12..15 h UTC+03:00: consistent"}},
		{"I trade from 4 am to 6 am utc -5", nil, []string{"hours_timezone 4..6 h UTC-05:00: consistent"}},
		{"I trade from 1 pm to 3 pm Dubai time", nil, []string{"hours_timezone 13..15 h Asia/Dubai: consistent"}},
		{"I trade from 1 am to 2 am Lagos time", func(w *claimstest.World) { w.Zone = berlin }, []string{"hours_timezone 1..2 h unknown: not_checkable timezone_unknown"}},
		{"I trade from 10 am to 1 pm most of the time", func(w *claimstest.World) { w.Zone = berlin }, []string{"hours_timezone 10..13 h: consistent"}},
		{"I trade from 9 am to 11 am IST", nil, []string{"hours_timezone 9..11 h unknown: not_checkable timezone_unknown"}},

		// What a recogniser makes of an accent is no claim, or the one that was meant.
		{"I hold my trays for too days", nil, nil},
		{"I risk won percent pear trade", nil, nil},
		{"eye hold for about twenty minutes", nil, []string{"holding_time = 1200 s ~: consistent"}},
		{"I have two pounds with your firm", nil, nil},
		{"I hold my threads for two hours and I trade the you row", nil, nil},
	} {
		t.Run(tc.say, func(t *testing.T) {
			t.Parallel()
			w := claimstest.NewWorld()
			if tc.change != nil {
				tc.change(&w)
			}
			var got []string
			for _, c := range w.Check(tc.say) {
				line := brief(c.Claim) + ": " + string(c.Verdict)
				if c.Reason != "" {
					line += " " + string(c.Reason)
				}
				got = append(got, line)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("checks (-want +got):\n%s", diff)
			}
		})
	}
}

// A correction may stand in the next segment, where a recogniser has cut; the next
// answer corrects nothing.
func TestCorrectedInTheNextSegment(t *testing.T) {
	t.Parallel()
	for question, want := range map[string]int{"q1": 1, "q2": 2} {
		found := extract.Claims([]claims.Segment{
			{ID: "s1", QuestionID: "q1", Text: "I hold for two days"}, {ID: "s2", QuestionID: question, Text: "Sorry, I mean I hold for twenty minutes"},
		}, nil)
		if len(found) != want || found[len(found)-1].Value != 1200 {
			t.Errorf("the second segment answers %s: %+v", question, found)
		}
	}
}
