package analysis_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/analysis"
	"github.com/assayhq/assay/internal/analysis/result"
)

// TestEvidenceTrades copies the trades of another trader: both accounts are
// evidence, and only the trader's own trades are listed, each once.
func TestEvidenceTrades(t *testing.T) {
	t.Parallel()
	accounts := owner(2)
	accounts[1].Peer = true
	var deals []deal
	for i := range 40 {
		at := time.Duration(i) * 5 * time.Hour
		deals = append(deals,
			deal{at: at, hold: time.Minute, lots: 1.5, net: -2, side: turn(i)},
			deal{account: 1, at: at + time.Second, hold: time.Minute, lots: 1.5, net: -2, side: turn(i)})
	}
	deals[0].symbol, deals[0].lots = "EURUSD.pro", 0
	a := analysis.Analyse(input(accounts, deals...))
	own, others := map[string]bool{}, 0
	for _, d := range a.Detectors {
		for _, e := range d.Evidence {
			if e.AccountID == accountID(0) {
				own[e.TradeID] = true
			} else {
				others++
			}
		}
	}
	if len(own) == 0 || others == 0 {
		t.Fatalf("evidence of %d own trades and %d of others", len(own), others)
	}
	for i, f := range a.EvidenceTrades {
		if f.AccountID != accountID(0) || !own[f.TradeID] {
			t.Errorf("trade %s of account %s is told, which no evidence points at, or is another's", f.TradeID, f.AccountID)
		}
		delete(own, f.TradeID)
		if i > 0 && f.OpenTime.Before(a.EvidenceTrades[i-1].OpenTime) {
			t.Errorf("trade %s is not in the order of time", f.TradeID)
		}
	}
	if len(own) > 0 {
		t.Errorf("nothing is told of %v", own)
	}
	closed, net := monday.Add(time.Minute), -2.0
	want := result.TradeFacts{
		AccountID: accountID(0), TradeID: "t000000", Symbol: "EURUSD.pro", Side: record.Buy, OpenTime: monday, CloseTime: &closed, Net: &net,
	}
	if diff := cmp.Diff(want, a.EvidenceTrades[0]); diff != "" {
		t.Errorf("first trade (-want +got):\n%s", diff)
	}
}
