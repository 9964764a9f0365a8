package alias_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/connectors/alias"
	"github.com/assayhq/assay/connectors/record"
)

// named is the identity of a record with a key and an id of the same text.
type named string

func (n named) Names() (key, id string) { return string(n), string(n) }

func (n named) BelongsTo() record.Owner { return record.Owner{TraderID: string(n)} }

func TestDecodeAll(t *testing.T) {
	t.Parallel()
	d := alias.NewDecoder(alias.NewTable([]alias.Field{alias.Required("id"), alias.Required("size")}), resource)
	decode := func(r *alias.Record) (string, named) {
		id := r.ID(0)
		return id + " " + r.Text(1), named(id)
	}
	var met []string
	accepted := func(d *alias.Decoder, n named) {
		met = append(met, string(n))
		if n == "c" {
			d.Find("third", string(n))
		}
	}
	items := []string{`{"id":"a","size":"1"}`, `{"id":"b"}`, `{"id":"c","size":"2"}`, `5`}
	got := alias.DecodeAll(d, items, decode, accepted)
	if diff := cmp.Diff([]string{"a 1", "c 2"}, got); diff != "" {
		t.Errorf("records (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]string{"a", "c"}, met); diff != "" {
		t.Errorf("accepted (-want +got)\n%s", diff)
	}
	var keys []string
	for _, r := range d.Rejected() {
		keys = append(keys, r.Key)
	}
	if diff := cmp.Diff([]string{"b", record.RawKey("5")}, keys); diff != "" {
		t.Errorf("rejected (-want +got)\n%s", diff)
	}
	want := []record.Finding{{Rule: "third", Resource: resource, Count: 1, Samples: []string{"c"}}}
	if diff := cmp.Diff(want, d.Findings()); diff != "" {
		t.Errorf("findings (-want +got)\n%s", diff)
	}
	if got := alias.DecodeAll(d, nil, decode, accepted); got != nil {
		t.Errorf("no items gave %v", got)
	}
}

func TestChooseAlias(t *testing.T) {
	t.Parallel()
	table := alias.NewTable([]alias.Field{alias.Optional("accountNr", "account.accountNr", "accountId", "account")})
	tests := []struct {
		name  string
		item  string
		alias int
		ok    bool
	}{
		{"first", `{"accountNr":1,"account":"x"}`, 0, true},
		{"within an object", `{"account":{"accountNr":1}}`, 1, true},
		{"after a blank one", `{"accountNr":" ","accountId":"7"}`, 2, true},
		{"last", `{"account":"x","accountNr":{}}`, 3, true},
		{"only an unsuitable one", `{"account":{"id":1}}`, 3, false},
		{"none", `{"account":null}`, -1, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			i, ok := alias.NewDecoder(table, resource).Next(test.item).ChooseAlias(0)
			if i != test.alias || ok != test.ok {
				t.Errorf("alias %d, ok %t", i, ok)
			}
		})
	}
}

func TestWord(t *testing.T) {
	t.Parallel()
	runReader(t, alias.Optional("side", "type"), quoted(func(r *alias.Record) string { return r.Word(0) }), []readerTest{
		{"lower case", `{"side":" ShOrt "}`, `"short"`},
		{"letters of other scripts", `{"side":"ПРОДАЖА"}`, `"продажа"`},
		{"number", `{"side":1}`, `"1"`},
		{"number with a fraction of zero", `{"side":1.0}`, `"1"`},
		{"number with an exponent", `{"side":1E0}`, `"1"`},
		{"number out of range", `{"side":1E99999}`, `"1e99999"`},
		{"number as a string", `{"side":"1.0"}`, `"1.0"`},
		{"second alias", `{"side":null,"type":"Buy"}`, `"buy"`},
		{"none", `{}`, `""`},
	})
}

func TestEmailIsBounded(t *testing.T) {
	t.Parallel()
	runReader(t, alias.Email("mail"), quoted(func(r *alias.Record) string { return r.Text(0) }), []readerTest{
		{"an address", `{"mail":"a@b.example"}`, `"a@b.example"`},
		{"too long", `{"mail":"` + strings.Repeat("a", alias.MaxEmailBytes+1) + `"}`, `"" !too_long`},
	})
}
