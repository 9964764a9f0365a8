package ruleset

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

//go:embed preset/*.json
var presetFiles embed.FS

// presetNames are the presets, the neutral one first.
var presetNames = [...]string{"neutral", "minimum_hold", "consistency", "news_window"}

// PresetNames lists the presets, the neutral one first.
func PresetNames() []string { return slices.Clone(presetNames[:]) }

// Preset returns a fresh copy of a preset; ok is false for unknown names.
func Preset(name string) (r *Ruleset, ok bool) {
	if !slices.Contains(presetNames[:], name) {
		return nil, false
	}
	r = Neutral()
	if name == "neutral" {
		return r, true
	}
	if err := json.Unmarshal(presetText(name), r); err != nil {
		panic("preset " + name + ": " + err.Error()) // a test reads them all
	}
	return r, true
}

// Neutral returns the neutral preset: general thresholds that describe trading
// without a particular rule book.
func Neutral() *Ruleset {
	r := &Ruleset{}
	if err := json.Unmarshal(presetText("neutral"), r); err != nil {
		panic("preset neutral: " + err.Error()) // a test reads it
	}
	return r
}

func presetText(name string) []byte {
	text, err := presetFiles.ReadFile("preset/" + name + ".json")
	if err != nil {
		panic(err) // embedded under a constant name
	}
	return text
}

// MaxBytes bounds the text of a ruleset.
const MaxBytes = 64 << 10

// Faults are all that is wrong with a ruleset, each with the path of its member.
type Faults []string

// Error lists them.
func (f Faults) Error() string { return "ruleset: " + strings.Join(f, "; ") }

// Decode reads a ruleset from JSON. Members that are left out have the
// neutral preset's values. Unknown and repeated members, names in another case,
// wrong types and values out of range are refused, all of them at once, as Faults.
func Decode(text []byte) (*Ruleset, error) {
	if len(text) > MaxBytes {
		return nil, Faults{fmt.Sprintf("is larger than %d bytes", MaxBytes)}
	}
	faults := strangeMembers(text)
	r := Neutral()
	if err := json.Unmarshal(text, r); err != nil {
		var kind *json.UnmarshalTypeError
		if errors.As(err, &kind) {
			return nil, append(faults, fmt.Sprintf("%s: must be %s and not %s", kind.Field, typeName(kind.Type.Kind().String()), kind.Value))
		}
		return nil, append(faults, "is not JSON: "+err.Error())
	}
	if faults = append(faults, r.findFaults()...); len(faults) > 0 {
		return nil, faults
	}
	return r, nil
}

func typeName(kind string) string {
	switch {
	case strings.HasPrefix(kind, "int"):
		return "a whole number"
	case strings.HasPrefix(kind, "float"):
		return "a number"
	case kind == "string":
		return "a string"
	}
	return "an object"
}

// Validate returns Faults with all that is wrong with the ruleset, or nil.
func (r *Ruleset) Validate() error {
	if f := r.findFaults(); len(f) > 0 {
		return f
	}
	return nil
}

// Version identifies the ruleset's content: equal rulesets have equal versions.
func (r *Ruleset) Version() string {
	text, err := json.Marshal(r)
	if err != nil {
		panic(err) // NaN can't come from JSON, and Validate refuses it
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}
