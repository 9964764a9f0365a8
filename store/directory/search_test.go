package directory_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store/directory"
	"github.com/assayhq/assay/store/storetest"
)

// letters returns n letters in an incompressible order: of the alphabet, or of those with four
// bytes each.
func letters(r *rand.Rand, n int, wide bool) string {
	text := make([]rune, n)
	for i := range text {
		if wide {
			text[i] = rune(0x20000 + r.IntN(0xa000))
		} else {
			text[i] = rune('a' + r.IntN(26))
		}
	}
	return string(text)
}

// TestSearchBounds searches for the ends of the longest searched texts, in traders whose other
// texts are as long as possible.
func TestSearchBounds(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	narrow := func(n int) string { return letters(r, n, false) }
	wide := func(n int) string { return letters(r, n, true) }
	for _, c := range []struct {
		name            string
		id, email, full string
		found, passed   []string // what each is of, from the last character looked at
	}{
		{"ASCII alone", narrow(512), narrow(254), narrow(200), []string{"id", "email", "name"}, nil},
		{"ASCII that is longer", narrow(512), narrow(254) + "tail-one", narrow(200) + "tail-two", []string{"id"}, []string{"email", "name"}},
		{"separators, which take two bytes", narrow(3) + strings.Repeat("-", 506) + narrow(3), strings.Repeat(".", 251) + narrow(3), strings.Repeat("' ", 98) + narrow(4), []string{"id", "email", "name"}, nil},
		{"a long id, and a name of other letters", narrow(512), narrow(20), wide(30), []string{"id"}, []string{"email", "name"}},
		{"an id of 257 characters", narrow(257), narrow(50), wide(200), []string{"id", "email", "name"}, nil},
		{"an id of four bytes a letter", wide(128), wide(254), wide(100), []string{"id", "email", "name"}, nil},
		{"everything of four bytes a letter", wide(128), wide(600), wide(2048), []string{"id"}, []string{"email", "name"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for _, status := range []string{"active", directory.TraderArchived} {
				b := setup(t)
				storetest.Traders(t, b.URL, storetest.Integration(t, b.DB, b.Org, "https://a.example"), record.Trader{
					ID: c.id, Email: c.email, FirstName: c.full, Country: wide(1024), KYCStatus: wide(1024),
				})
				b.Exec(t, `UPDATE traders SET status = $1`, status)
				found := func(list []string) (hits []string) {
					for _, of := range list {
						text := []rune(map[string]string{"id": c.id, "email": c.email, "name": c.full}[of])
						search := string(text[max(0, len(text)-20):])
						if _, total := b.list(t, directory.TraderFilter{Search: search, Statuses: directory.TraderStatuses()}); total == 1 {
							hits = append(hits, of)
						}
					}
					return hits
				}
				if diff := cmp.Diff(c.found, found(c.found)); diff != "" {
					t.Errorf("%s: found by their ends (-want +got):\n%s", status, diff)
				}
				if hits := found(c.passed); len(hits) > 0 {
					t.Errorf("%s: found by the ends of %s, which no search looks at", status, fmt.Sprint(hits))
				}
			}
		})
	}
}
