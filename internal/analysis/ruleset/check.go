package ruleset

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/assayhq/assay/internal/analysis/instrument"
)

// strangeMembers lists members that are unknown, given twice, or null without
// leave. encoding/json takes the last of equal names, folds their case and
// passes over null, so it would let a misspelled threshold pass.
func strangeMembers(text []byte) Faults {
	w := memberWalk{d: json.NewDecoder(bytes.NewReader(text))}
	if err := w.checkValue(reflect.TypeFor[Ruleset](), ""); err != nil {
		return w.faults // json.Unmarshal says what is wrong
	}
	if _, err := w.d.Token(); !errors.Is(err, io.EOF) {
		w.addFault("", "has more text after its end")
	}
	return w.faults
}

type memberWalk struct {
	d      *json.Decoder
	faults Faults
}

func (w *memberWalk) addFault(path, fault string) {
	w.faults = append(w.faults, cmp.Or(path, "the whole")+": "+fault)
}

// checkValue reads one value that is to be of a type; nil is a type that is not
// known.
func (w *memberWalk) checkValue(want reflect.Type, path string) error {
	token, err := w.d.Token()
	if err != nil {
		return err
	}
	switch token {
	case nil:
		if want != nil && want.Kind() != reflect.Pointer {
			w.addFault(path, "must not be null")
		}
	case json.Delim('{'):
		return w.checkObject(want, path)
	case json.Delim('['):
		for w.d.More() {
			if err := w.checkValue(nil, path); err != nil {
				return err
			}
		}
		_, err = w.d.Token()
	}
	return err
}

func (w *memberWalk) checkObject(want reflect.Type, path string) error {
	seen := map[string]bool{}
	for w.d.More() {
		token, err := w.d.Token()
		if err != nil {
			return err
		}
		name, _ := token.(string)
		at := strings.TrimPrefix(path+"."+name, ".")
		if seen[name] {
			w.addFault(at, "is given twice")
		}
		seen[name] = true
		below, known := memberType(want, name)
		if !known && want != nil {
			w.addFault(at, "is unknown")
		}
		if err := w.checkValue(below, at); err != nil {
			return err
		}
	}
	_, err := w.d.Token()
	return err
}

// memberType returns the type of an object's member.
func memberType(of reflect.Type, name string) (below reflect.Type, known bool) {
	switch {
	case of == nil:
		return nil, false
	case of.Kind() == reflect.Map:
		return of.Elem(), true
	case of.Kind() != reflect.Struct:
		return nil, false
	}
	for i := range of.NumField() {
		if of.Field(i).Tag.Get("json") == name {
			return of.Field(i).Type, true
		}
	}
	return nil, false
}

// Bounds of the ruleset's texts.
const (
	maxRulesetName        = 64
	maxRulesetDescription = 1000
	maxContractSizes      = 1000
	maxContractSize       = 1e9
)

// findFaults lists what is wrong with the values.
func (r *Ruleset) findFaults() Faults {
	var f Faults
	if !validName(r.Name) {
		f = append(f, fmt.Sprintf("name: must be 1 to %d of a-z, 0-9, _ and -", maxRulesetName))
	}
	if utf8.RuneCountInString(r.Description) > maxRulesetDescription {
		f = append(f, fmt.Sprintf("description: must be at most %d characters", maxRulesetDescription))
	}
	f = append(f, r.contractFaults()...)
	f = append(f, rangeFaults(reflect.ValueOf(r).Elem(), "")...)
	return append(f, r.orderFaults()...)
}

func validName(name string) bool {
	strange := strings.ContainsFunc(name, func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '_' && c != '-'
	})
	return name != "" && len(name) <= maxRulesetName && !strange
}

func (r *Ruleset) contractFaults() Faults {
	var f Faults
	if len(r.ContractSizes) > maxContractSizes {
		f = append(f, fmt.Sprintf("contract_sizes: must be at most %d", maxContractSizes))
	}
	for symbol, size := range r.ContractSizes {
		switch {
		case symbol != instrument.WithoutSuffix(symbol) || symbol == "" || len(symbol) > 64:
			f = append(f, fmt.Sprintf("contract_sizes.%s: must be a symbol in upper case without a broker's suffix", symbol))
		case !(size > 0 && size <= maxContractSize):
			f = append(f, fmt.Sprintf("contract_sizes.%s: must be above 0 and at most %d", symbol, int(maxContractSize)))
		}
	}
	slices.Sort(f)
	return f
}

// rangeFaults compares numbers with their tag "in".
func rangeFaults(v reflect.Value, path string) Faults {
	var f Faults
	for i := range v.NumField() {
		field, value := v.Type().Field(i), v.Field(i)
		at := strings.TrimPrefix(path+"."+field.Tag.Get("json"), ".")
		if value.Kind() == reflect.Struct {
			f = append(f, rangeFaults(value, at)...)
			continue
		}
		low, high, ok := strings.Cut(field.Tag.Get("in"), ",")
		if value.Kind() == reflect.Pointer {
			ok = ok && !value.IsNil()
			value = value.Elem()
		}
		if !ok {
			continue
		}
		var x float64
		if value.CanInt() {
			x = float64(value.Int())
		} else {
			x = value.Float()
		}
		if !(x >= parseNumber(low) && x <= parseNumber(high)) { // NaN fails both
			f = append(f, fmt.Sprintf("%s: must be from %s to %s", at, low, high))
		}
	}
	return f
}

func parseNumber(text string) float64 {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic("tag in: " + err.Error())
	}
	return x
}

// orderFaults compares thresholds of one thing with each other.
func (r *Ruleset) orderFaults() Faults {
	var f Faults
	for _, pair := range []struct {
		low, high       float64
		lowName, member string
	}{
		{r.Bursts.MediumShare, r.Bursts.HighShare, "bursts.medium_share", "bursts.high_share"},
		{r.OneSided.MediumShare, r.OneSided.HighShare, "one_sided.medium_share", "one_sided.high_share"},
		{float64(r.OneSided.MinDecisions), float64(r.OneSided.HighMinDecisions), "one_sided.min_decisions", "one_sided.high_min_decisions"},
		{float64(r.Averaging.LowDepth), float64(r.Averaging.MediumDepth), "averaging.low_depth", "averaging.medium_depth"},
		{r.LotSize.MediumShare, r.LotSize.HighShare, "lot_size.medium_share", "lot_size.high_share"},
		{r.CopiedTrades.MediumRate, r.CopiedTrades.HighRate, "copied_trades.medium_rate", "copied_trades.high_rate"},
		{float64(r.Opposite.LowCount), float64(r.Opposite.MediumCount), "opposite_positions.low_count", "opposite_positions.medium_count"},
		{float64(r.Opposite.MediumCount), float64(r.Opposite.HighCount), "opposite_positions.medium_count", "opposite_positions.high_count"},
		{r.Opposite.MinVolumeRatio, r.Opposite.MaxVolumeRatio, "opposite_positions.min_volume_ratio", "opposite_positions.max_volume_ratio"},
		{r.News.MediumShare, r.News.HighShare, "news.medium_share", "news.high_share"},
		{valueOr(r.LotSize.BandLow, 0), valueOr(r.LotSize.BandHigh, 1000), "lot_size.band_low", "lot_size.band_high"},
	} {
		if pair.low > pair.high {
			f = append(f, fmt.Sprintf("%s: must not be below %s", pair.member, pair.lowName))
		}
	}
	return f
}

// valueOr returns what p points at, or null if p is nil.
func valueOr(p *float64, null float64) float64 {
	if p == nil {
		return null
	}
	return *p
}
