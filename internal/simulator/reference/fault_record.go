package reference

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"

	"github.com/assayhq/assay/internal/simulator/fault"
	"github.com/assayhq/assay/internal/simulator/wire"
)

// idFaults send ids that are wrong or unusual.
func idFaults() []breach {
	return []breach{
		{Name: "numeric-ids", Description: "sends ids as numbers, which is accepted", Record: numericIDs("")},
		{Name: "huge-numeric-ids", Description: "sends ids as numbers beyond 2^53, which floats cannot tell apart", Record: numericIDs("900719925474099")},
		{Name: "float-ids", Description: "sends ids as floats, such as 12.0, which is accepted up to 15 digits", Record: floatIDs},
		{Name: "missing-id", Description: "leaves the id out", Record: dropMember("id")},
		{Name: "null-id", Description: "sends id: null", Record: setMember("id", "null")},
		{Name: "empty-id", Description: `sends id: ""`, Record: setMember("id", `""`)},
	}
}

// timeFaults send times that are wrong or unusual.
func timeFaults() []breach {
	return []breach{
		{Name: "missing-updated-at", Description: "leaves updated_at out", Record: dropMember("updated_at")},
		{Name: "bad-updated-at", Description: "sends updated_at as a text that is no time", Record: setMember("updated_at", `"yesterday"`)},
		{Name: "stale-updated-at", Description: "sends a trade's open_time as its updated_at, as platforms do that forget to bump it", Record: staleUpdate},
		{Name: "offset-times", Description: "sends times with an offset of two hours instead of Z, which is accepted", Record: editTimes(func(t time.Time) []byte {
			return t.In(time.FixedZone("", 2*60*60)).AppendFormat(nil, `"2006-01-02T15:04:05.000000Z07:00"`)
		})},
		{Name: "zoneless-times", Description: "sends times such as 2026-01-31 08:00:00, without a zone", Record: editTimes(func(t time.Time) []byte {
			return t.AppendFormat(nil, `"2006-01-02 15:04:05"`)
		})},
		{Name: "second-times", Description: "sends times in whole seconds, though it orders and filters by microseconds", Record: editTimes(func(t time.Time) []byte {
			return t.AppendFormat(nil, `"2006-01-02T15:04:05Z"`)
		})},
	}
}

// wordingFaults say what the contract knows in other words.
func wordingFaults() []breach {
	return []breach{
		{Name: "side-synonyms", Description: "sends long, short, 0 and 1 as sides, which is accepted", Record: sideSynonyms},
		{Name: "field-aliases", Description: "sends full_name, created_at and lots instead of the preferred fields, which is accepted", Record: fieldAliases},
		{Name: "numeric-texts", Description: "sends names, programs, symbols and currencies as numbers, which is accepted", Record: onMembers(map[string]string{
			"last_name": "7", "program": "100000", "symbol": "225", "currency": "840",
		})},
		{Name: "numeric-strings", Description: "sends numbers as strings with thousands commas, which is accepted in accounts", Record: numericStrings},
	}
}

// closeFaults close trades by half.
func closeFaults() []breach {
	return []breach{{Name: "half-closed", Description: "sends closed trades without close_price", Record: func(list string, i int, record []byte, o *fault.Options) []byte {
		if list != string(Trades) {
			return record
		}
		return setMember("close_price", "null")(list, i, record, o)
	}}}
}

func dropMember(name string) fault.Hook {
	return func(_ string, _ int, record []byte, _ *fault.Options) []byte {
		return wire.EditMember(record, name, func([]byte) []byte { return nil })
	}
}

func setMember(name, value string) fault.Hook {
	return func(_ string, _ int, record []byte, _ *fault.Options) []byte {
		return wire.EditMember(record, name, func([]byte) []byte { return []byte(value) })
	}
}

// editTimes rewrites every time of a record.
func editTimes(format func(time.Time) []byte) fault.Hook {
	return func(_ string, _ int, record []byte, _ *fault.Options) []byte {
		return wire.Edit(record, func(name string, value []byte) (string, []byte) {
			if !strings.HasSuffix(name, "_at") && !strings.HasSuffix(name, "_time") {
				return name, value
			}
			t, err := time.Parse(`"`+time.RFC3339+`"`, string(value))
			if err != nil {
				return name, value
			}
			return name, format(t)
		})
	}
}

// numericIDs sends every id as its digits, with others in front.
func numericIDs(prefix string) fault.Hook {
	return func(_ string, _ int, record []byte, _ *fault.Options) []byte {
		return wire.Edit(record, func(name string, value []byte) (string, []byte) {
			if name != "id" && !strings.HasSuffix(name, "_id") || string(value) == "null" {
				return name, value
			}
			digits := strings.Map(func(r rune) rune {
				if r < '0' || r > '9' {
					return -1
				}
				return r
			}, string(value))
			if prefix == "" {
				digits = strings.TrimLeft(digits, "0")
			}
			if digits = prefix + digits; digits == "" {
				digits = "0"
			}
			return name, []byte(digits)
		})
	}
}

// floatIDs sends every id as its digits with a fraction of nothing.
func floatIDs(list string, i int, record []byte, o *fault.Options) []byte {
	record = numericIDs("")(list, i, record, o)
	return wire.Edit(record, func(name string, value []byte) (string, []byte) {
		if name != "id" && !strings.HasSuffix(name, "_id") || string(value) == "null" {
			return name, value
		}
		return name, append(bytes.Clone(value), ".0"...)
	})
}

// staleUpdate relies on open_time standing before updated_at.
func staleUpdate(_ string, _ int, record []byte, _ *fault.Options) []byte {
	var opened []byte
	return wire.Edit(record, func(name string, value []byte) (string, []byte) {
		switch {
		case name == "open_time":
			opened = value
		case name == "updated_at" && opened != nil:
			value = opened
		}
		return name, value
	})
}

func sideSynonyms(list string, i int, record []byte, _ *fault.Options) []byte {
	if list != string(Trades) {
		return record
	}
	return wire.EditMember(record, "side", func(value []byte) []byte {
		synonyms := [...]string{`"long"`, "0", `"0"`}
		if string(value) == `"sell"` {
			synonyms = [...]string{`"short"`, "1", `"1"`}
		}
		return []byte(synonyms[i%len(synonyms)])
	})
}

func fieldAliases(_ string, _ int, record []byte, _ *fault.Options) []byte {
	var first string
	return wire.Edit(record, func(name string, value []byte) (string, []byte) {
		switch name {
		case "first_name":
			_ = json.Unmarshal(value, &first) // null leaves it empty
			return name, nil
		case "last_name":
			var last string
			_ = json.Unmarshal(value, &last)
			return "full_name", wire.AppendNullable(nil, strings.TrimSpace(first+" "+last))
		case "registered_at":
			return "created_at", value
		case "volume":
			return "lots", value
		}
		return name, value
	})
}

// numericStrings sends numbers as strings, with a comma for each thousand.
func numericStrings(_ string, _ int, record []byte, _ *fault.Options) []byte {
	return wire.Edit(record, func(name string, value []byte) (string, []byte) {
		if c := value[0]; c != '-' && (c < '0' || c > '9') {
			return name, value
		}
		return name, []byte(`"` + wire.Grouped(string(value)) + `"`)
	})
}
