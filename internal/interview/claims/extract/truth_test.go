package extract_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/interview/claims"
	"github.com/assayhq/assay/internal/interview/claims/check"
	"github.com/assayhq/assay/internal/interview/claims/claimstest"
	"github.com/assayhq/assay/internal/interview/claims/extract"
)

// statedLine takes a line of the corpus apart: the topic, what it is about, and the rest.
var statedLine = regexp.MustCompile(`^([a-z_]+)(?:/([a-z]+))? (.*)$`)

// truthOf returns trading of which all statements of an answer are true, as far as a world can have it. ok is false if
// two statements cannot be true in one world.
func truthOf(t *testing.T, want []string) (w claimstest.World, ok bool) {
	t.Helper()
	w = claimstest.NewWorld()
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	w.Zone, w.Calendar = berlin, claimstest.NewsAt(3)
	var shift, gap time.Duration
	var symbols []string
	hedged, atNews := false, false
	set := map[string]string{}
	for _, line := range want {
		m := statedLine.FindStringSubmatch(line)
		if m == nil {
			t.Fatalf("cannot read the statement %q", line)
		}
		topic, about, rest := claims.Topic(m[1]), m[2], m[3]
		if other, again := set[m[1]+m[2]]; again && other != rest {
			return w, false
		}
		set[m[1]+m[2]] = rest
		if strings.Contains(rest, " @") {
			return w, false // it is about some instruments
		}
		value := valueOf(rest)
		switch topic {
		case claims.HoldingTime:
			if about != "" {
				if strings.HasPrefix(rest, "true") {
					return w, false // it depends on the hours
				}
				continue
			}
			w.Hold = time.Duration(value * float64(time.Second))
			gap = w.Hold + time.Minute // one position at a time
		case claims.Instruments:
			symbols = strings.Split(strings.Fields(rest)[0], "+")
		case claims.RiskPerTrade:
			if strings.Contains(rest, "money") {
				value /= 1000 // percent of 100,000
			}
			if value > 40 {
				return w, false
			}
			w.Loss = int(1000 * value)
			w.Each = func(n int, t *record.Trade) {
				sign := float64(2*(n%2) - 1)
				t.StopLoss = record.Decimal(strconv.FormatFloat(1.1*(1+sign*value/110), 'f', 6, 64))
			}
		case claims.StopLossUse:
			if strings.HasPrefix(rest, "false") {
				w.Stop = ""
			}
		case claims.AccountCount:
			w.Accounts = max(1, int(value))
		case claims.TradesPerDay:
			w.PerDay = max(1, int(value))
		case claims.Hours:
			from, zone, known := hoursOf(rest, berlin)
			if !known {
				continue
			}
			at := time.Date(claimstest.Monday.Year(), claimstest.Monday.Month(), claimstest.Monday.Day(), 0, 0, 0, 0, zone).Add(time.Duration(from * float64(time.Hour)))
			shift = at.Sub(claimstest.Monday)
		case claims.News:
			atNews = strings.HasPrefix(rest, "true")
		case claims.Averaging:
			hedged = hedged || strings.HasPrefix(rest, "true")
		case claims.MaxLossDay:
			if strings.Contains(rest, "money") {
				value /= 1000
			}
			w.Loss = int(1000 * value / 4)
		case claims.OtherPeople, claims.AccountSharing, claims.EAUse, claims.StrategyLength:
		}
	}
	if hedged || set["risk_per_trade"] != "" && (set["stop_loss_use"] != "" || set["max_loss_day"] != "" || len(symbols) > 0) {
		return w, false // these depend on each other
	}
	if set["holding_timeovernight"]+set["holding_timeweekend"] != "" && w.Hold > time.Hour {
		if set["holding_time"][0] != '<' {
			return w, false
		}
		w.Hold, gap = time.Hour, 0
	}
	if w.PerDay > 100 {
		return w, false
	}
	w.Directory = new(w.Accounts)
	if atNews {
		w.Calendar = claimstest.NewsAt(9 + int(shift.Hours()))
	}
	perDay, risk := w.PerDay, w.Each
	w.Each = func(n int, t *record.Trade) {
		if risk != nil {
			risk(n, t)
		}
		open := t.OpenTime.Add(shift)
		if set["hours_timezone"] != "" || perDay > 8 { // all of them near the beginning
			open = open.Add(-time.Duration(n%perDay) * 55 * time.Minute)
		}
		if gap > time.Hour && set["hours_timezone"] == "" && perDay == 3 {
			open = claimstest.Monday.Add(time.Duration(n) * gap)
		}
		t.OpenTime, t.CloseTime = open, open.Add(w.Hold)
		if len(symbols) > 0 {
			t.Symbol = symbolOf(symbols[n%len(symbols)])
			t.StopLoss = ""
		}
	}
	return w, true
}

// symbolOf returns a symbol of an instrument or of a class.
func symbolOf(name string) string {
	if symbol, ok := map[string]string{"forex": "EURUSD", "indices": "NAS100", "crypto": "BTCUSD", "metals": "XAUUSD", "OIL": "USOIL", "GAS": "XNGUSD"}[name]; ok {
		return symbol
	}
	return name
}

// valueOf returns a value that a statement allows.
func valueOf(rest string) float64 {
	number := strings.FieldsFunc(rest, func(r rune) bool { return r != '.' && (r < '0' || r > '9') })
	if len(number) == 0 {
		return 0
	}
	low, high, ranged := strings.Cut(number[0], "..")
	v, _ := strconv.ParseFloat(low, 64)
	if ranged {
		h, _ := strconv.ParseFloat(high, 64)
		return (v + h) / 2
	}
	switch rest[0] {
	case '<':
		return 0.25 * v
	case '>':
		return 1.1 * v
	}
	return v
}

// hoursOf returns the hour at which stated hours begin, and their zone. known is false if the zone is not known.
func hoursOf(rest string, own *time.Location) (from float64, zone *time.Location, known bool) {
	fields := strings.Fields(strings.TrimSuffix(rest, " (soft)"))
	low, _, _ := strings.Cut(fields[0], "..")
	from, _ = strconv.ParseFloat(low, 64)
	name := fields[len(fields)-1]
	switch name {
	case "h", claims.OwnZone:
		return from, own, true
	case claims.UnknownZone, claims.ServerZone:
		return from, nil, false
	}
	if at, err := time.Parse("UTC-07:00", name); err == nil {
		_, seconds := at.Zone()
		return from, time.FixedZone(name, seconds), true
	}
	zone, err := time.LoadLocation(name)
	return from, zone, err == nil
}

// TestTruth compares each answer of the corpus with trading of which it is true. None of its statements may be called
// inconsistent.
func TestTruth(t *testing.T) {
	t.Parallel()
	tried, accused := 0, 0
	worlds := map[string]check.Data{} // by what is true in them
	for _, a := range corpus(t) {
		w, ok := truthOf(t, a.want)
		if !ok || len(a.want) == 0 {
			continue
		}
		tried++
		all := extract.Claims([]claims.Segment{{ID: "s1", QuestionID: "q1", Text: a.text, Typed: true}}, map[string]extract.Asked{"q1": a.asked})
		key := strings.Join(a.want, "|")
		d, built := worlds[key]
		if !built {
			d = w.Data()
			worlds[key] = d
		}
		for _, c := range check.Claims(all, d) {
			if c.Verdict == check.Inconsistent {
				accused++
				t.Errorf("%s: %q: %s is inconsistent with trading of which it is true (%s). %s", a.file, a.text, statedAs(c.Claim), strings.Join(a.want, "; "), c.Detail)
			}
		}
	}
	fmt.Printf("true answers: %d, inconsistent: %d\n", tried, accused)
	if tried < 500 {
		t.Errorf("only %d answers were tried", tried)
	}
}
