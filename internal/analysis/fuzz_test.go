package analysis_test

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/assayhq/assay/internal/analysis"
	"github.com/assayhq/assay/internal/analysis/calendar"
	"github.com/assayhq/assay/internal/analysis/result"
	"github.com/assayhq/assay/internal/analysis/ruleset"
	"github.com/assayhq/assay/internal/analysis/trades"
)

// stream reads numbers from a fuzzer's bytes, zeros when they are used up.
type stream []byte

func (s *stream) take(n int) uint64 {
	var b [8]byte
	*s = (*s)[copy(b[:n], *s):]
	return binary.LittleEndian.Uint64(b[:])
}

// amount is a number of a trade: small, or any that a float64 can be.
func (s *stream) amount() float64 {
	if kind := s.take(1); kind < 200 {
		return float64(int16(s.take(2))) / 100
	}
	return math.Float64frombits(s.take(8))
}

// moment is a time near monday, or any.
func (s *stream) moment() int64 {
	if kind := s.take(1); kind < 240 {
		return monday.UnixMicro() + int64(s.take(3))*int64(1+kind)*1000
	}
	return int64(s.take(8))
}

// arbitrary makes an Input of bytes, valid or not.
func arbitrary(data []byte) trades.Input {
	s := stream(data)
	in := trades.Input{Symbols: []string{"EURUSD", "EURUSD.pro", "XAUUSD"}, Calendar: &calendar.Calendar{}}
	for i := range int(s.take(1)) % 4 {
		balance := s.amount()
		in.Accounts = append(in.Accounts, trades.Account{ID: accountID(i % 3), Currency: [...]string{"USD", "EUR"}[s.take(1)%2], InitialBalance: &balance, Peer: s.take(1)%4 == 3})
	}
	if name := ruleset.PresetNames()[s.take(1)%4]; name != "" {
		in.Ruleset, _ = ruleset.Preset(name)
	}
	for range s.take(1) % 8 {
		in.Calendar.Events = append(in.Calendar.Events, calendar.Event{Time: s.moment(), Currency: "USD", Impact: calendar.High})
	}
	for i := 0; len(s) > 0 && i < 400; i++ {
		bits := s.take(2)
		trade := trades.Trade{
			ID: string(rune('a' + bits%26)), Account: uint16(bits>>5) % 4, Symbol: uint16(bits>>7) % 4, Side: trades.Side(bits>>9) % 3,
			Has: trades.Has(s.take(2)), Open: s.moment(), Volume: s.amount(), OpenPrice: s.amount(), Profit: s.amount(),
			StopLoss: s.amount(), TakeProfit: s.amount(),
		}
		trade.Close = trade.Open + int64(s.take(4))
		for range 1 + bits>>14*10 { // some come in numbers, so that samples grow
			trade.Open += int64(time.Minute / time.Microsecond)
			in.Trades = append(in.Trades, trade)
		}
	}
	return in
}

// FuzzAnalyse: whatever the trades are, there is an activity that can be
// written, twice the same, whose numbers keep their promises.
func FuzzAnalyse(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{2, 100, 50, 0, 1, 100, 50, 1, 1, 0})
	r := random(3)
	for range 6 {
		data := make([]byte, 3000)
		for i := range data {
			data[i] = byte(r.IntN(256))
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		in := arbitrary(data)
		a := analysis.Analyse(in)
		first, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		second, err := json.Marshal(analysis.Analyse(in))
		if err != nil || string(first) != string(second) {
			t.Fatalf("a second analysis differs: %v", err)
		}
		excluded := 0
		for _, x := range a.Excluded {
			excluded += x.Count
		}
		peers := len(in.Trades) - excluded - a.Totals.Trades
		if peers < 0 {
			t.Errorf("%d trades in, %d analysed, %d excluded", len(in.Trades), a.Totals.Trades, excluded)
		}
		for name, m := range a.Metrics {
			checkMetric(t, name, m)
		}
		for _, d := range a.Detectors {
			if (d.Severity != nil) != (d.Status == result.OK) || (d.Metric != nil) != (d.Status == result.OK) || len(d.Evidence) > result.MaxEvidence || d.EvidenceTotal < len(d.Evidence) {
				t.Errorf("%+v", d)
			}
		}
	})
}

// checkMetric holds a metric against what its unit and status promise.
func checkMetric(t *testing.T, name string, m result.Metric) {
	t.Helper()
	switch {
	case (m.Value != nil) != (m.Status == result.OK):
		t.Errorf("%s: value %v with status %s", name, m.Value, m.Status)
	case (m.Reason != nil) != (m.Status == result.NotCheckable):
		t.Errorf("%s: reason %v with status %s", name, m.Reason, m.Status)
	case m.Status == result.OK && m.N < m.MinN:
		t.Errorf("%s: n %d below %d", name, m.N, m.MinN)
	case m.P != nil && !(*m.P >= 0 && *m.P <= 1):
		t.Errorf("%s: p %v", name, *m.P)
	}
	if m.Value == nil {
		return
	}
	if v := *m.Value; m.Unit == "count" && (v < 0 || v != math.Trunc(v)) && name != "copied_expected" || m.Unit == "seconds" && v < 0 && name != "copied_lag" {
		t.Errorf("%s: %v %s", name, v, m.Unit)
	}
	unbounded := name == "best_day_share_of_net" || name == "closed_daily_loss" || name == "day_symbol_side_loss" || name == "day_symbol_side_gain" || name == "loss_share_of_limit" || name == "gain_share_of_target"
	if v := *m.Value; m.Unit == "share" && !unbounded && (v < -1e-9 || v > 1+1e-9) {
		t.Errorf("%s: share %v", name, v)
	}
}

// FuzzRuleset: every ruleset that is accepted can be analysed with.
func FuzzRuleset(f *testing.F) {
	for _, s := range []string{`{}`, `{"name":"x","bursts":{"window_seconds":0,"min_opens":1}}`, `{"contract_sizes":{"A":1}}`, `{"cluster_gap_seconds":1e9}`} {
		f.Add(s)
	}
	in := input(owner(2), append(opens(every(0, 20, 12)...), deal{account: 1, lots: 1, price: 3})...) // the last one is closed as it is opened
	f.Fuzz(func(t *testing.T, text string) {
		in := in
		var err error
		if in.Ruleset, err = ruleset.Decode([]byte(text)); err != nil {
			return
		}
		if _, err := json.Marshal(analysis.Analyse(in)); err != nil {
			t.Fatal(err)
		}
	})
}

// FuzzCalendar: every calendar that is accepted can be analysed with.
func FuzzCalendar(f *testing.F) {
	f.Add("time,currency,impact\n2026-01-09T13:30:00Z,USD,high\n")
	f.Add("time,currency,impact\n1970-01-01T00:00:00Z,EUR,high\n2199-12-31T23:59:59Z,USD,high\n")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := calendar.Parse(strings.NewReader(text))
		if err != nil {
			return
		}
		if _, err := json.Marshal(analysis.Analyse(given(c, around(40, "EURUSD", always(0))...))); err != nil {
			t.Fatal(err)
		}
	})
}
