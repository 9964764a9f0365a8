package decode_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/problem"
)

// readTags reads If-Match from lines of the header.
func readTags(lines ...string) (*decode.Tags, error) {
	faults := new(decode.Faults)
	tags := faults.EntityTags(http.Header{"If-Match": lines}, "If-Match")
	return tags, faults.HeaderErr()
}

func TestEntityTags(t *testing.T) {
	t.Parallel()
	type matches struct{ Strong, Weak bool }
	const tag = `"a,b"`
	tests := []struct {
		name  string
		lines []string
		want  matches
	}{
		{"the same", []string{`"a,b"`}, matches{true, true}},
		{"another", []string{`"b"`}, matches{}},
		{"case counts", []string{`"A,b"`}, matches{}},
		{"weak", []string{`W/"a,b"`}, matches{false, true}},
		{"any", []string{`*`}, matches{true, true}},
		{"any with space", []string{" * \t"}, matches{true, true}},
		{"list", []string{`"x", W/"y" ,"a,b"`}, matches{true, true}},
		{"list without spaces", []string{`"x",W/"y","a,b"`}, matches{true, true}},
		{"weak and strong", []string{`W/"a,b", "a,b"`}, matches{true, true}},
		{"several lines", []string{`"x"`, `"a,b"`}, matches{true, true}},
		{"empty elements", []string{`, ,"a,b",,`, ``}, matches{true, true}},
		{"empty", []string{``}, matches{}},
		{"empty tag", []string{`""`}, matches{}},
		{"beyond ASCII", []string{"\"\xff\"", `"ä"`, `"a,b"`}, matches{true, true}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tags, err := readTags(tt.lines...)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, matches{tags.Strong(tag), tags.Weak(tag)}); diff != "" {
				t.Errorf("matches (-want +got):\n%s", diff)
			}
		})
	}
	if tags, err := readTags(); tags != nil || err != nil {
		t.Errorf("without the header: %v, %v", tags, err)
	}
}

func TestEntityTagsThatBreakTheGrammar(t *testing.T) {
	t.Parallel()
	for name, lines := range map[string][]string{
		"no quotes":            {`abc`},
		"other quotes":         {`'abc'`},
		"not closed":           {`"abc`},
		"not opened":           {`abc"`},
		"weak without a slash": {`W"abc"`},
		"weak in lower case":   {`w/"abc"`},
		"weak with a space":    {`W/ "abc"`},
		"weak without a tag":   {`W/`},
		"weak without quotes":  {`W/abc`},
		"any and a tag":        {`*, "abc"`},
		"a tag and any":        {`"abc", *`},
		"any twice":            {`*`, `*`},
		"no comma":             {`"abc" "def"`},
		"parameter":            {`"abc";q=1`},
		"space":                {`"a b"`},
		"control character":    {"\"a\x7f\""},
		"second one broken":    {`"abc", def`},
		"second line broken":   {`"abc"`, `"def`},
		"nothing but quotes":   {strings.Repeat(`"`, 30_001)},
	} {
		_, err := readTags(lines...)
		p, ok := errors.AsType[*problem.Problem](err)
		if !ok || p.Code != problem.InvalidHeader || len(p.Faults) != 1 || p.Faults[0].Header != "If-Match" || p.Faults[0].Code != problem.InvalidFormat {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzEntityTags checks that a well-formed list remains so with one more tag, and then contains
// it.
func FuzzEntityTags(f *testing.F) {
	for _, seed := range []string{"", "*", `"a"`, `W/"a,b" , "c"`, `"a`, `,,"\"`, "\"\xff\"", `W/*`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		const tag = `"one more"`
		tags, err := readTags(text)
		if err != nil {
			if tags.Strong(tag) || tags.Weak(tag) {
				t.Errorf("%q is refused and holds a tag", text)
			}
			return
		}
		if tags.Strong(tag) != tags.Weak(tag) && !strings.Contains(text, "W/") {
			t.Errorf("%q holds the tag in one way only", text)
		}
		const valid = `"one-more"`
		if more, err := readTags(text, valid); strings.Trim(text, " \t") != "*" && (err != nil || !more.Strong(valid)) {
			t.Errorf("%q beside %s: %v", text, valid, err)
		}
	})
}
