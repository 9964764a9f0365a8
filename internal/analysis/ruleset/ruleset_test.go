package ruleset_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/internal/analysis/ruleset"
)

func TestPresets(t *testing.T) {
	t.Parallel()
	versions := map[string]string{}
	for _, name := range ruleset.PresetNames() {
		r, ok := ruleset.Preset(name)
		if !ok || r.Name != name || r.Description == "" {
			t.Errorf("preset %s: %+v", name, r)
		}
		if err := r.Validate(); err != nil {
			t.Errorf("preset %s: %v", name, err)
		}
		if other, taken := versions[r.Version()]; taken {
			t.Errorf("presets %s and %s are equal", name, other)
		}
		versions[r.Version()] = name
		text, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		again, err := ruleset.Decode(text)
		if diff := cmp.Diff(r, again); err != nil || diff != "" {
			t.Errorf("preset %s read back: %v\n%s", name, err, diff)
		}
	}
	if _, ok := ruleset.Preset("../neutral"); ok {
		t.Error("an unknown preset was found")
	}
	if a, b := ruleset.Neutral(), ruleset.Neutral(); a.Version() != b.Version() || a == b {
		t.Error("the neutral preset is not a fresh copy each time")
	}
}

func TestDecode(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, text string
		faults     []string
	}{
		{"empty object", `{}`, nil},
		{"one threshold", `{"name":"ours","bursts":{"min_opens":6}}`, nil},
		{"a limit that is not checked", `{"holding":{"min_hold_seconds":null}}`, nil},
		{"contract sizes", `{"contract_sizes":{"XAUUSD":100}}`, nil},
		{"not JSON", `{"name":`, []string{"is not JSON: unexpected end of JSON input"}},
		{"nothing", ``, []string{"is not JSON: unexpected end of JSON input"}},
		{"a list", `[]`, []string{": must be an object and not array"}},
		{"null", `null`, []string{"the whole: must not be null"}},
		{"two values", `{} {}`, []string{"the whole: has more text after its end", "is not JSON: invalid character '{' after top-level value"}},
		{
			"unknown, repeated and miswritten members", `{"nam":"x","bursts":{"min_opens":6,"min_opens":7,"Max_p_adjusted":1}}`,
			[]string{"nam: is unknown", "bursts.min_opens: is given twice", "bursts.Max_p_adjusted: is unknown"},
		},
		{"null where there must be a number", `{"bursts":{"min_opens":null},"news":null}`, []string{"bursts.min_opens: must not be null", "news: must not be null"}},
		{"wrong type", `{"bursts":{"min_opens":"6"}}`, []string{"bursts.min_opens: must be a whole number and not string"}},
		{"fraction of a count", `{"bursts":{"min_opens":6.5}}`, []string{"bursts.min_opens: must be a whole number and not number 6.5"}},
		{
			"all that is out of range", `{"name":"Ours!","cluster_gap_seconds":-1,"bursts":{"medium_share":1.5},"contract_sizes":{"xau":100,"A":0}}`,
			[]string{
				"name: must be 1 to 64 of a-z, 0-9, _ and -",
				"contract_sizes.A: must be above 0 and at most 1000000000",
				"contract_sizes.xau: must be a symbol in upper case without a broker's suffix",
				"cluster_gap_seconds: must be from 0 to 31536000",
				"bursts.medium_share: must be from 0 to 1",
				"bursts.high_share: must not be below bursts.medium_share",
			},
		},
		{"too long", `{"description":"` + strings.Repeat("x", ruleset.MaxBytes) + `"}`, []string{"is larger than 65536 bytes"}},
		{"too long a description", `{"description":"` + strings.Repeat("é", 1001) + `"}`, []string{"description: must be at most 1000 characters"}},
		{"as long a description as allowed", `{"description":"` + strings.Repeat("é", 1000) + `"}`, nil},
		{"bounds the wrong way round", `{"lot_size":{"band_low":2,"band_high":0.5}}`, []string{"lot_size.band_high: must not be below lot_size.band_low"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r, err := ruleset.Decode([]byte(tc.text))
			var faults ruleset.Faults
			errors.As(err, &faults)
			if diff := cmp.Diff(tc.faults, []string(faults)); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
			if (r == nil) != (tc.faults != nil) {
				t.Errorf("ruleset %v with faults %v", r, faults)
			}
		})
	}
}

func TestDecodeKeepsNeutralValues(t *testing.T) {
	t.Parallel()
	r, err := ruleset.Decode([]byte(`{"name":"ours","bursts":{"min_opens":6},"holding":{"min_hold_seconds":null}}`))
	if err != nil {
		t.Fatal(err)
	}
	want := ruleset.Neutral()
	want.Name, want.Bursts.MinOpens, want.Holding.MinHoldSeconds = "ours", 6, nil
	if diff := cmp.Diff(want, r); diff != "" {
		t.Errorf("ruleset (-want +got):\n%s", diff)
	}
	if r.Version() == ruleset.Neutral().Version() {
		t.Error("another ruleset has the same version")
	}
}

// FuzzDecode: what is accepted is valid, and is read back as it was written.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{`{}`, `{"name":"x","bursts":{"window_seconds":0,"min_opens":1}}`, `{"contract_sizes":{"A":1}}`, `[{}]`, `{"a":[{}]}`, `{"cluster_gap_seconds":1e9}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := ruleset.Decode([]byte(text))
		if err != nil {
			var faults ruleset.Faults
			if !errors.As(err, &faults) || len(faults) == 0 {
				t.Fatalf("error without faults: %v", err)
			}
			return
		}
		out, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		again, err := ruleset.Decode(out)
		if err != nil || again.Version() != r.Version() {
			t.Fatalf("read back: %v", err)
		}
	})
}
