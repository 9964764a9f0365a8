package fault

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/assayhq/assay/internal/simulator/wire"
)

// Hook is what a fault does to a record of a list, the i-th of its page.
type Hook = func(list string, i int, record []byte, o *Options) []byte

// Field names the members that a fault picks in each list: all spellings that
// the field has there.
type Field map[string][]string

// Fields are what the faults of Records pick.
type Fields struct{ Enum, Text, Number Field }

// Records returns the faults of single records that do not depend on what a
// contract calls its members. Most strike every record; every=10 makes it each
// tenth of a page.
func Records[Q, P any](fields Fields) []Fault[Q, P] {
	return slices.Concat(enumFaults[Q, P](fields.Enum), numberFaults[Q, P](fields.Number), textFaults[Q, P](fields.Text), structureFaults[Q, P]())
}

// enumFaults say what a contract knows in other words.
func enumFaults[Q, P any](field Field) []Fault[Q, P] {
	return []Fault[Q, P]{
		{Name: "unknown-enum", Description: "sends a value that the contract does not know in a trader's KYC status, an account's phase, a trade's side or a payout's status", Record: field.Change(func([]byte) []byte {
			return []byte(`"sideways"`)
		})},
		{Name: "upper-case-enum", Description: "sends KYC status, phase, side or status in capitals", Record: field.Change(func(value []byte) []byte {
			if len(value) == 0 || value[0] != '"' {
				return value // null is no word
			}
			return bytes.ToUpper(value)
		})},
	}
}

// numberFaults send numbers that money cannot be.
func numberFaults[Q, P any](field Field) []Fault[Q, P] {
	return []Fault[Q, P]{
		{Name: "huge-number", Description: "sends a number with an exponent beyond any database in a money field", Record: field.Change(func([]byte) []byte {
			return []byte("1e1000000000")
		})},
		{Name: "float-noise", Description: "sends money that has been through a float, such as 31.500000000000004", Record: field.Change(func(value []byte) []byte {
			if string(value) == "null" {
				return value
			}
			return append(bytes.Clone(value), "00000000000004"...)
		})},
	}
}

// textFaults send texts that are no valid ones for JSON or for Postgres.
func textFaults[Q, P any](field Field) []Fault[Q, P] {
	return []Fault[Q, P]{
		{Name: "invalid-utf8", Description: "sends bytes that are no UTF-8 in a text", Record: field.Change(spoilText("\xff\xfe\xc3"))},
		{Name: "lone-surrogate", Description: `sends half of a surrogate pair, \ud83d, in a text`, Record: field.Change(spoilText(`\ud83d`))},
		{Name: "nul", Description: `sends \u0000 in a text, which Postgres does not store`, Record: field.Change(spoilText(`\u0000`))},
	}
}

// structureFaults send records that are too much, too little or of another form.
func structureFaults[Q, P any]() []Fault[Q, P] {
	return []Fault[Q, P]{
		{
			Name: "deep-nesting", Description: "sends metadata of size=100000 nested arrays, in the first record of a page", Defaults: Options{Size: 100_000, Every: 1 << 30},
			Record: func(_ string, _ int, record []byte, o *Options) []byte {
				depth := int(o.Size)
				return wire.AddMember(record, "metadata", strings.Repeat("[", depth)+strings.Repeat("]", depth))
			},
		},
		{
			Name: "huge-record", Description: "sends metadata of size=2MiB, in the first record of a page", Defaults: Options{Size: 2 << 20, Every: 1 << 30},
			Record: func(_ string, _ int, record []byte, o *Options) []byte {
				return wire.AddMember(record, "metadata", `{"note":"`+strings.Repeat("x", int(o.Size))+`"}`)
			},
		},
		{Name: "record-not-object", Description: "sends a string in the place of a record", Record: func(string, int, []byte, *Options) []byte {
			return []byte(`"record"`)
		}},
		{Name: "unknown-fields", Description: "sends fields that the contract does not have, which are ignored", Record: func(_ string, i int, record []byte, _ *Options) []byte {
			return wire.AddMember(record, "internal_row", `{"shard":`+strconv.Itoa(i%8)+`,"flags":[1,null,"x"]}`)
		}},
	}
}

// Change returns a hook that changes the field's value; nil drops the member.
func (f Field) Change(change func(value []byte) []byte) Hook {
	return func(list string, _ int, record []byte, _ *Options) []byte {
		names := f[list]
		if len(names) == 0 {
			return record
		}
		return wire.Edit(record, func(name string, value []byte) (string, []byte) {
			if slices.Contains(names, name) {
				value = change(value)
			}
			return name, value
		})
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
