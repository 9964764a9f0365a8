package v1

import (
	"fmt"
	"strings"
	"testing"
)

// TestDocument checks that no route stays without an operation and no operation without a route, and
// that two routes do not share one.
func TestDocument(t *testing.T) {
	t.Parallel()
	operations := map[string]Operation{"listThings": {Summary: "List things"}}
	list, other := Route{Method: "GET", Path: "/things", ID: "listThings"}, Route{Method: "GET", Path: "/others", ID: "listOthers"}
	if got := Document([]Route{list}, operations)[0].Operation.Summary; got != "List things" {
		t.Errorf("the summary is %q", got)
	}
	for name, tt := range map[string]struct {
		routes []Route
		want   string
	}{
		"no operation": {[]Route{list, other}, `GET /others: no operation has the ID "listOthers"`},
		"no route":     {nil, `0 routes have the ID "listThings"`},
		"two routes":   {[]Route{list, list}, `2 routes have the ID "listThings"`},
	} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.Contains(got, tt.want) {
					t.Errorf("%s: %s, want %s", name, got, tt.want)
				}
			}()
			Document(tt.routes, operations)
		}()
	}
}
