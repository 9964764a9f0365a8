package connectortest_test

import (
	"testing"

	"github.com/assayhq/assay/connectors/connectortest"
)

func TestWith(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		object  string
		members []string
		want    string
	}{
		{"nothing", `{"a":1}`, nil, `{"a":1}`},
		{"set", `{"a":1}`, []string{"a", `2`}, `{"a":2}`},
		{"added", `{"a":1}`, []string{"b", `"x"`}, `{"a":1,"b":"x"}`},
		{"taken out", `{"a":1,"b":2}`, []string{"a", "-"}, `{"b":2}`},
		{"not there to be taken out", `{"a":1}`, []string{"b", "-", "c.d", "-"}, `{"a":1}`},
		{"in an object", `{"a":{"b":1}}`, []string{"a.c", `{}`, "a.b", `2`}, `{"a":{"b":2,"c":{}}}`},
		{"in an object that is not there", `{}`, []string{"a.b", `1`, "a.c", `2`}, `{"a":{"b":1,"c":2}}`},
		{"taken out of an object", `{"a":{"b":1,"c":2}}`, []string{"a.b", "-"}, `{"a":{"c":2}}`},
		{"numbers keep their digits", `{"a":12345678901234567890.10}`, []string{"b", `1e99999`}, `{"a":12345678901234567890.10,"b":1e99999}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := connectortest.With(test.object, test.members...); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}
