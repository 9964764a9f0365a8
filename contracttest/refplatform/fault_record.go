package refplatform

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"
)

// recordFaults spoil single records. Most strike every record; every=10 makes
// it each tenth of a page.
func recordFaults() []fault {
	faults := slices.Concat(idFaults(), timeFaults(), wordingFaults(), numberFaults(), textFaults(), structureFaults())
	for i := range faults {
		faults[i].endpoints = []endpoint{endpointTraders, endpointTrader, endpointAccounts, endpointTrades, endpointPayouts}
	}
	return faults
}

// idFaults send ids that are wrong or unusual.
func idFaults() []fault {
	return []fault{
		{name: "numeric-ids", description: "sends ids as numbers, which is accepted", record: numericIDs("")},
		{name: "huge-numeric-ids", description: "sends ids as numbers beyond 2^53, which floats cannot tell apart", record: numericIDs("900719925474099")},
		{name: "missing-id", description: "leaves the id out", record: dropMember("id")},
		{name: "null-id", description: "sends id: null", record: setMember("id", "null")},
		{name: "empty-id", description: `sends id: ""`, record: setMember("id", `""`)},
	}
}

// timeFaults send times that are wrong or unusual.
func timeFaults() []fault {
	return []fault{
		{name: "missing-updated-at", description: "leaves updated_at out", record: dropMember("updated_at")},
		{name: "bad-updated-at", description: "sends updated_at as a text that is no time", record: setMember("updated_at", `"yesterday"`)},
		{name: "stale-updated-at", description: "sends a trade's open_time as its updated_at, as platforms do that forget to bump it", record: staleUpdate},
		{name: "offset-times", description: "sends times with an offset of two hours instead of Z, which is accepted", record: editTimes(func(t time.Time) []byte {
			return t.In(time.FixedZone("", 2*60*60)).AppendFormat(nil, `"2006-01-02T15:04:05.000000Z07:00"`)
		})},
		{name: "zoneless-times", description: "sends times such as 2026-01-31 08:00:00, without a zone", record: editTimes(func(t time.Time) []byte {
			return t.AppendFormat(nil, `"2006-01-02 15:04:05"`)
		})},
		{name: "second-times", description: "sends times in whole seconds, though it orders and filters by microseconds", record: editTimes(func(t time.Time) []byte {
			return t.AppendFormat(nil, `"2006-01-02T15:04:05Z"`)
		})},
	}
}

// wordingFaults say what the contract knows in other words.
func wordingFaults() []fault {
	return []fault{
		{name: "unknown-enum", description: "sends a value that the contract does not know in kyc_status, phase, side or status", record: onField(enumFields, func([]byte) []byte {
			return []byte(`"sideways"`)
		})},
		{name: "upper-case-enum", description: "sends kyc_status, phase, side or status in capitals", record: onField(enumFields, bytes.ToUpper)},
		{name: "side-synonyms", description: "sends long, short, 0 and 1 as sides, which is accepted", record: sideSynonyms},
		{name: "field-aliases", description: "sends full_name, created_at and lots instead of the preferred fields, which is accepted", record: fieldAliases},
		{name: "numeric-strings", description: "sends numbers as strings with thousands commas, which is accepted in accounts", record: numericStrings},
	}
}

// numberFaults send numbers that money cannot be.
func numberFaults() []fault {
	return []fault{
		{name: "huge-number", description: "sends a number with an exponent beyond any database in a money field", record: onField(numberFields, func([]byte) []byte {
			return []byte("1e1000000000")
		})},
		{name: "float-noise", description: "sends money that has been through a float, such as 31.500000000000004", record: onField(numberFields, func(value []byte) []byte {
			if string(value) == "null" {
				return value
			}
			return append(bytes.Clone(value), "00000000000004"...)
		})},
	}
}

// textFaults send texts that are no valid ones for JSON or for Postgres.
func textFaults() []fault {
	return []fault{
		{name: "invalid-utf8", description: "sends bytes that are no UTF-8 in a text", record: onField(textFields, spoilText("\xff\xfe\xc3"))},
		{name: "lone-surrogate", description: `sends half of a surrogate pair, \ud83d, in a text`, record: onField(textFields, spoilText(`\ud83d`))},
		{name: "nul", description: `sends \u0000 in a text, which Postgres does not store`, record: onField(textFields, spoilText(`\u0000`))},
	}
}

// structureFaults send records that are too much, too little or of another form.
func structureFaults() []fault {
	return []fault{
		{
			name: "deep-nesting", description: "sends metadata of size=100000 nested arrays, in the first record of a page", defaults: FaultOptions{Size: 100_000, Every: 1 << 30},
			record: func(_ Resource, _ int, record []byte, o *FaultOptions) []byte {
				depth := int(o.Size)
				return addMember(record, "metadata", strings.Repeat("[", depth)+strings.Repeat("]", depth))
			},
		},
		{
			name: "huge-record", description: "sends metadata of size=2MiB, in the first record of a page", defaults: FaultOptions{Size: 2 << 20, Every: 1 << 30},
			record: func(_ Resource, _ int, record []byte, o *FaultOptions) []byte {
				return addMember(record, "metadata", `{"note":"`+strings.Repeat("x", int(o.Size))+`"}`)
			},
		},
		{name: "record-not-object", description: "sends a string in the place of a record", record: func(Resource, int, []byte, *FaultOptions) []byte {
			return []byte(`"record"`)
		}},
		{name: "unknown-fields", description: "sends fields that the contract does not have, which are ignored", record: func(_ Resource, i int, record []byte, _ *FaultOptions) []byte {
			return addMember(record, "internal_row", `{"shard":`+strconv.Itoa(i%8)+`,"flags":[1,null,"x"]}`)
		}},
		{name: "half-closed", description: "sends closed trades without close_price", record: func(list Resource, i int, record []byte, o *FaultOptions) []byte {
			if list != Trades {
				return record
			}
			return setMember("close_price", "null")(list, i, record, o)
		}},
	}
}

// The fields that faults pick in each list.
var (
	enumFields   = map[Resource]string{Traders: "kyc_status", Accounts: "phase", Trades: "side", Payouts: "status"}
	textFields   = map[Resource]string{Traders: "last_name", Accounts: "program", Trades: "symbol", Payouts: "currency"}
	numberFields = map[Resource]string{Accounts: "balance", Trades: "profit", Payouts: "amount"}
)

// recordHook is what a fault does to a record.
type recordHook = func(list Resource, i int, record []byte, o *FaultOptions) []byte

func dropMember(name string) recordHook {
	return func(_ Resource, _ int, record []byte, _ *FaultOptions) []byte {
		return editMember(record, name, func([]byte) []byte { return nil })
	}
}

func setMember(name, value string) recordHook {
	return func(_ Resource, _ int, record []byte, _ *FaultOptions) []byte {
		return editMember(record, name, func([]byte) []byte { return []byte(value) })
	}
}

// onField changes the field that a list has in the map.
func onField(fields map[Resource]string, change func(value []byte) []byte) recordHook {
	return func(list Resource, _ int, record []byte, _ *FaultOptions) []byte {
		name, ok := fields[list]
		if !ok {
			return record
		}
		return editMember(record, name, change)
	}
}

// spoilText puts a text into a string, behind its first character.
func spoilText(text string) func([]byte) []byte {
	return func(value []byte) []byte {
		if len(value) < 2 || value[0] != '"' {
			return []byte(`"x` + text + `"`)
		}
		return append(append([]byte{'"'}, text...), value[1:]...)
	}
}

// editTimes rewrites every time of a record.
func editTimes(format func(time.Time) []byte) recordHook {
	return func(_ Resource, _ int, record []byte, _ *FaultOptions) []byte {
		return edit(record, func(name string, value []byte) (string, []byte) {
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
func numericIDs(prefix string) recordHook {
	return func(_ Resource, _ int, record []byte, _ *FaultOptions) []byte {
		return edit(record, func(name string, value []byte) (string, []byte) {
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

// staleUpdate relies on open_time standing before updated_at.
func staleUpdate(_ Resource, _ int, record []byte, _ *FaultOptions) []byte {
	var opened []byte
	return edit(record, func(name string, value []byte) (string, []byte) {
		switch {
		case name == "open_time":
			opened = value
		case name == "updated_at" && opened != nil:
			value = opened
		}
		return name, value
	})
}

func sideSynonyms(list Resource, i int, record []byte, _ *FaultOptions) []byte {
	if list != Trades {
		return record
	}
	return editMember(record, "side", func(value []byte) []byte {
		synonyms := [...]string{`"long"`, "0", `"0"`}
		if string(value) == `"sell"` {
			synonyms = [...]string{`"short"`, "1", `"1"`}
		}
		return []byte(synonyms[i%len(synonyms)])
	})
}

func fieldAliases(_ Resource, _ int, record []byte, _ *FaultOptions) []byte {
	var first string
	return edit(record, func(name string, value []byte) (string, []byte) {
		switch name {
		case "first_name":
			_ = json.Unmarshal(value, &first) // null leaves it empty
			return name, nil
		case "last_name":
			var last string
			_ = json.Unmarshal(value, &last)
			return "full_name", appendNullable(nil, strings.TrimSpace(first+" "+last))
		case "registered_at":
			return "created_at", value
		case "volume":
			return "lots", value
		}
		return name, value
	})
}

// numericStrings sends numbers as strings, with a comma for each thousand.
func numericStrings(_ Resource, _ int, record []byte, _ *FaultOptions) []byte {
	return edit(record, func(name string, value []byte) (string, []byte) {
		if c := value[0]; c != '-' && (c < '0' || c > '9') {
			return name, value
		}
		whole, fraction, hasPoint := strings.Cut(string(value), ".")
		digits := strings.TrimPrefix(whole, "-")
		grouped := whole[:len(whole)-len(digits)]
		for i := range len(digits) {
			if i > 0 && (len(digits)-i)%3 == 0 {
				grouped += ","
			}
			grouped += digits[i : i+1]
		}
		if hasPoint {
			grouped += "." + fraction
		}
		return name, []byte(`"` + grouped + `"`)
	})
}

// editMember replaces the value of one member; nil drops the member.
func editMember(record []byte, name string, change func(value []byte) []byte) []byte {
	return edit(record, func(member string, value []byte) (string, []byte) {
		if member == name {
			value = change(value)
		}
		return member, value
	})
}

// addMember sets a member at the end of a record.
func addMember(record []byte, name, value string) []byte {
	record = editMember(record, name, func([]byte) []byte { return nil })
	if len(record) == 0 || record[len(record)-1] != '}' {
		return record
	}
	return append(record[:len(record)-1], `,"`+name+`":`+value+`}`...)
}

// edit rewrites the members of a JSON object in their order; a nil value drops
// a member. What is no object is returned as it is.
func edit(record []byte, change func(name string, value []byte) (string, []byte)) []byte {
	decoder := json.NewDecoder(bytes.NewReader(record))
	if token, err := decoder.Token(); err != nil || token != json.Delim('{') {
		return record
	}
	edited := []byte{'{'}
	for decoder.More() {
		var value json.RawMessage
		token, err := decoder.Token()
		if err != nil || decoder.Decode(&value) != nil {
			return record
		}
		name, ok := token.(string)
		if !ok {
			return record
		}
		newName, newValue := change(name, value)
		if newValue == nil {
			continue
		}
		if len(edited) > 1 {
			edited = append(edited, ',')
		}
		edited = append(append(appendString(edited, newName), ':'), newValue...)
	}
	return append(edited, '}')
}
