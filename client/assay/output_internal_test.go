package main

import (
	"bytes"
	"strings"
	"testing"
)

// A list that is cut off without a limit of the user's says so.
func TestListSaysThatThereAreMore(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		args  []string
		items int
		shown int
		more  bool
	}{
		{"fewer", nil, 99, 99, false},
		{"as many as are shown", nil, 100, 100, false},
		{"more", nil, 101, 100, true},
		{"more than the user wants", []string{"--limit", "3"}, 101, 3, false},
		{"all", []string{"--limit", "0"}, 101, 101, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c := newWebhooksList()
			var stdout, stderr bytes.Buffer
			c.SetOut(&stdout)
			c.SetErr(&stderr)
			c.Flags().Bool("json", false, "")
			if err := c.ParseFlags(tc.args); err != nil {
				t.Fatal(err)
			}
			items := func(yield func(int, error) bool) {
				for i := range tc.items {
					if !yield(i, nil) {
						return
					}
				}
			}
			if err := showList(c, items, []any{"ITEM"}, func(i int) []any { return []any{i} }); err != nil {
				t.Fatal(err)
			}
			if shown, more := strings.Count(stdout.String(), "\n")-1, strings.Contains(stderr.String(), "first 100"); shown != tc.shown || more != tc.more {
				t.Errorf("shows %d and says %q, want %d, %t", shown, &stderr, tc.shown, tc.more)
			}
		})
	}
}
