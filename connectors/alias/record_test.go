package alias_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/connectors/alias"
	"github.com/assayhq/assay/connectors/record"
)

const resource = record.Accounts

// decode reads one record through a table of one field and returns the outcome in
// one line: the value, or the rejection, and the findings.
func decode(item string, field alias.Field, read func(r *alias.Record) any) string {
	d := alias.NewDecoder(alias.NewTable([]alias.Field{field}), resource)
	value := read(d.Next(item))
	if !d.Accept("", "sample", record.Owner{}) {
		r := d.Rejected()[0]
		return fmt.Sprintf("rejected %s %s", r.Rule, r.Pointer)
	}
	line := fmt.Sprint(value)
	for _, f := range d.Findings() {
		line += " !" + f.Rule
	}
	return line
}

type readerTest struct {
	name string
	item string
	want string
}

func runReader(t *testing.T, field alias.Field, read func(r *alias.Record) any, tests []readerTest) {
	t.Helper()
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := decode(test.item, field, read); got != test.want {
				t.Errorf("%.200s\n got %.200s\nwant %.200s", test.item, got, test.want)
			}
		})
	}
}

func quoted(read func(r *alias.Record) string) func(r *alias.Record) any {
	return func(r *alias.Record) any { return fmt.Sprintf("%q", read(r)) }
}

var text = quoted(func(r *alias.Record) string { return r.Text(0) })

func TestAliases(t *testing.T) {
	t.Parallel()
	field := alias.Field{Aliases: []string{"accountNr", "account_nr", "account.accountNr", "account", "user.contact.email"}}
	runReader(t, field, text, []readerTest{
		{"first", `{"accountNr":"a","account_nr":"b"}`, `"a"`},
		{"order of the table, not of the record", `{"account_nr":"b","accountNr":"a"}`, `"a"`},
		{"second", `{"account_nr":"b"}`, `"b"`},
		{"null counts as absent", `{"accountNr":null,"account_nr":"b"}`, `"b"`},
		{"empty counts as absent", `{"accountNr":"","account_nr":"b"}`, `"b"`},
		{"blank counts as absent", `{"accountNr":"  ","account_nr":"b"}`, `"b"`},
		{"object counts as absent", `{"accountNr":{"x":1},"account_nr":"b"}`, `"b"`},
		{"array counts as absent", `{"accountNr":["x"],"account_nr":"b"}`, `"b"`},
		{"boolean counts as absent", `{"accountNr":true,"account_nr":"b"}`, `"b"`},
		{"dotted", `{"account":{"accountNr":"c"}}`, `"c"`},
		{"dotted over scalar of the same name", `{"account":"d"}`, `"d"`},
		{"two levels", `{"user":{"name":"x","contact":{"phone":1,"email":"e"}}}`, `"e"`},
		{"no object on the way", `{"user":"x"}`, `""`},
		{"null on the way", `{"user":{"contact":null}}`, `""`},
		{"array on the way", `{"user":[{"contact":{"email":"e"}}]}`, `""`},
		{"escaped name", `{"account\u004er":"a"}`, `"a"`},
		{"dot in a name is no path", `{"account.accountNr":"x"}`, `""`},
		{"letter case matters", `{"ACCOUNTNR":"x"}`, `""`},
		{"unknown members", `{"x":{"accountNr":"y"},"z":[[]]}`, `""`},
		{"empty object", `{}`, `""`},
		{"only an unsuitable value", `{"account_nr":{"x":1}}`, `"" !wrong_type`},
		{"object whose members serve is no fault", `{"account":{"accountNr":"c"},"accountNr":null}`, `"c"`},
		{"object whose member is null", `{"account":{"accountNr":null,"x":1}}`, `""`},
		{"object without the member", `{"account":{"x":1}}`, `"" !wrong_type`},
		{"repeated, last counts", `{"accountNr":"a","accountNr":"b"}`, `"b" !duplicate_member`},
		{"repeated, last is null", `{"accountNr":"a","accountNr":null}`, `"" !duplicate_member`},
		{"repeated object forgets the first one's members", `{"account":{"accountNr":"c"},"account":{}}`, `"" !duplicate_member !wrong_type`},
		{"repeated unknown member", `{"x":1,"x":2,"accountNr":"a"}`, `"a"`},
	})
}

// Two fields may read the same member.
func TestSharedName(t *testing.T) {
	t.Parallel()
	d := alias.NewDecoder(alias.NewTable([]alias.Field{
		{Aliases: []string{"id", "login"}}, {Aliases: []string{"login", "id"}},
	}), resource)
	r := d.Next(`{"id":7,"login":"x"}`)
	if a, b := r.ID(0), r.ID(1); a != "7" || b != "x" {
		t.Errorf("read %q and %q", a, b)
	}
	r = d.Next(`{"id":7}`)
	if a, b := r.ID(0), r.ID(1); a != "7" || b != "7" {
		t.Errorf("read %q and %q", a, b)
	}
}

// A record whose members have names of another style says so.
func TestMisspelledNames(t *testing.T) {
	t.Parallel()
	table := alias.NewTable([]alias.Field{alias.Required("updated_at", "changed")})
	for item, want := range map[string]string{
		`{"a":{"updatedAt":1},"UpdatedAt":"2025-03-04"}`: "updated_at is missing, null or empty. The record has UpdatedAt instead.",
		`{"updated-at":1}`:                     "updated_at is missing, null or empty. The record has updated-at instead.",
		`{"updated_at":null,"updated":1}`:      "updated_at is missing, null or empty.",
		`{"a":[{"updatedAt":1}],"b":"\ud800"}`: "updated_at is missing, null or empty.",
	} {
		d := alias.NewDecoder(table, resource)
		d.Next(item).Text(0)
		if d.Accept("1", "1", record.Owner{}); d.Rejected()[0].Detail != want {
			t.Errorf("%s: %q, want %q", item, d.Rejected()[0].Detail, want)
		}
	}
}

// A required time that cannot be used says why.
func TestRejectedTimes(t *testing.T) {
	t.Parallel()
	field := alias.Required("at")
	field.Times = alias.SpaceSeparated | alias.Unix
	for item, want := range map[string]string{
		`{"at":"2025-03-04T09:00:00"}`:       "at is not an RFC 3339 time with an offset.",
		`{"at":"0001-01-01T00:00:00Z"}`:      "at is the first instant of year 1, which stands for no time.",
		`{"at":"1970-01-01T01:00:00+01:00"}`: "at is Unix time 0, which stands for no time.",
		`{"at":"1970-01-01 00:00:00"}`:       "at is Unix time 0, which stands for no time.",
		`{"at":0}`:                           "at is Unix time 0, which stands for no time.",
	} {
		d := alias.NewDecoder(alias.NewTable([]alias.Field{field}), resource)
		if at := d.Next(item).Time(0); !at.IsZero() {
			t.Errorf("%s: read %s", item, at)
		}
		if d.Accept("1", "1", record.Owner{}); d.Rejected()[0].Detail != want {
			t.Errorf("%s: %q, want %q", item, d.Rejected()[0].Detail, want)
		}
	}
}

func TestRejectedRecords(t *testing.T) {
	t.Parallel()
	table := alias.NewTable([]alias.Field{{Aliases: []string{"id"}, Required: true}, {Aliases: []string{"x"}, Required: true}})
	deep := strings.Repeat(`{"a":[`, 40) + strings.Repeat(`]}`, 40)
	large := `{"id":"1","x":"a","y":"` + strings.Repeat("y", alias.MaxRecordBytes) + `"}`
	tests := []struct {
		name          string
		item          string
		key           string
		rule, pointer string
	}{
		{"number", `7`, "", alias.RuleNotObject, ""},
		{"null", `null`, "", alias.RuleNotObject, ""},
		{"array", `[{"id":1}]`, "", alias.RuleNotObject, ""},
		{"too deep keeps its id", `{"id":"1","x":"a","y":` + deep + `}`, "1", alias.RuleRecordTooDeep, ""},
		{"too large keeps its id", large, "1", alias.RuleRecordTooLarge, ""},
		{"first fault counts", `{}`, "", alias.RuleRequiredMissing, "/id"},
		{"later field", `{"id":"1"}`, "1", alias.RuleRequiredMissing, "/x"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := alias.NewDecoder(table, resource)
			r := d.Next(test.item)
			id := r.ID(0)
			r.Text(1)
			if d.Accept(id, id, record.Owner{TraderID: id}) {
				t.Fatal("accepted")
			}
			want := []record.Rejected{{Key: test.key, Owner: record.Owner{TraderID: test.key}, Raw: test.item, Pointer: test.pointer, Rule: test.rule}}
			if test.key == "" {
				want[0].Key = record.RawKey(test.item)
			}
			want[0].Raw = want[0].Raw[:min(len(want[0].Raw), record.MaxRawBytes)]
			got := d.Rejected()
			if got[0].Detail == "" {
				t.Error("no detail")
			}
			got[0].Detail = ""
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if len(d.Findings()) != 0 {
				t.Errorf("findings of a rejected record: %v", d.Findings())
			}
		})
	}
}

// 64 levels are within the bound, and brackets in strings are not levels.
func TestDepth(t *testing.T) {
	t.Parallel()
	within := `{"id":1,"s":"[[[[\"{{{","y":` + strings.Repeat("[", 63) + strings.Repeat("]", 63) + `}`
	read := quoted(func(r *alias.Record) string { return r.ID(0) })
	field := alias.Field{Aliases: []string{"id"}}
	if got := decode(within, field, read); got != `"1"` {
		t.Errorf("64 levels: %s", got)
	}
	beyond := strings.Replace(within, `"y":`, `"y":[`, 1)
	beyond = beyond[:len(beyond)-1] + "]}"
	if got := decode(beyond, field, read); got != "rejected record_too_deep " {
		t.Errorf("65 levels: %s", got)
	}
}

// What quarantine stores of a record must be text that Postgres accepts.
func TestRawIsStorable(t *testing.T) {
	t.Parallel()
	table := alias.NewTable([]alias.Field{{Aliases: []string{"id"}, Required: true}})
	tests := []struct{ name, item, want string }{
		{"invalid UTF-8", "{\"x\":\"\xff\xfe\"}", `{"x":"�"}`},
		{"cut within a character", `["` + strings.Repeat("€", record.MaxRawBytes) + `"]`, `["` + strings.Repeat("€", (record.MaxRawBytes-2)/3)},
		{"grows by repair", `["` + strings.Repeat("\xffa", record.MaxRawBytes) + `"]`, `["` + strings.Repeat("�a", record.MaxRawBytes)[:(record.MaxRawBytes-2)/4*4]},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := alias.NewDecoder(table, resource)
			d.Next(test.item).ID(0)
			d.Accept("", "", record.Owner{})
			got := d.Rejected()[0].Raw
			if len(got) > record.MaxRawBytes || !strings.HasPrefix(got, test.want) || len(got)-len(test.want) > 4 {
				t.Errorf("%d bytes %.20q…, want %d bytes %.20q…", len(got), got, len(test.want), test.want)
			}
		})
	}
}

func TestFindingsAreCounted(t *testing.T) {
	t.Parallel()
	d := alias.NewDecoder(alias.NewTable([]alias.Field{{Aliases: []string{"id"}}, {Aliases: []string{"x"}}, {Aliases: []string{"y"}}}), resource)
	for i := range 7 {
		r := d.Next(fmt.Sprintf(`{"id":%d,"x":true,"y":true}`, i))
		id := r.ID(0)
		r.Text(1)
		r.Text(2)
		d.Accept(id, id, record.Owner{TraderID: id})
	}
	d.Find("page_rule", "")
	want := []record.Finding{
		{Rule: alias.RuleWrongType, Resource: resource, Count: 7, Samples: []string{"0", "1", "2", "3", "4"}},
		{Rule: "page_rule", Resource: resource, Count: 1},
	}
	if diff := cmp.Diff(want, d.Findings()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// Records of changing shapes are read by their members' names, not by their
// positions.
func TestShapesChange(t *testing.T) {
	t.Parallel()
	d := alias.NewDecoder(alias.NewTable([]alias.Field{{Aliases: []string{"a"}}, {Aliases: []string{"b"}}}), resource)
	for _, item := range []string{`{"a":"1","b":"2"}`, `{"b":"2","a":"1"}`, `{"x":0,"a":"1","y":0,"b":"2"}`, `{"a":"1","b":"2"}`} {
		r := d.Next(item)
		if a, b := r.Text(0), r.Text(1); a != "1" || b != "2" {
			t.Errorf("%s: a %q, b %q", item, a, b)
		}
	}
	r := d.Next(`{"b":"2"}`)
	if a, b := r.Text(0), r.Text(1); a != "" || b != "2" {
		t.Errorf("values of the record before were left: a %q, b %q", a, b)
	}
}

func TestNewTablePanics(t *testing.T) {
	t.Parallel()
	for _, fields := range [][]alias.Field{{{}}, {{Aliases: []string{""}}}, {{Aliases: []string{"a..b"}}}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("no panic for %v", fields)
				}
			}()
			alias.NewTable(fields)
		}()
	}
}
