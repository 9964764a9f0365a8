package route_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assayhq/assay/apiserver/route"
)

// TestDocument checks that no route stays without an operation and no operation without a route, and
// that two routes do not share one.
func TestDocument(t *testing.T) {
	t.Parallel()
	operations := map[string]route.Operation{"listThings": {Summary: "List things"}}
	list, other := route.Route{Method: "GET", Path: "/things", ID: "listThings"}, route.Route{Method: "GET", Path: "/others", ID: "listOthers"}
	if got := route.Document([]route.Route{list}, operations)[0].Operation.Summary; got != "List things" {
		t.Errorf("the summary is %q", got)
	}
	for name, tt := range map[string]struct {
		routes []route.Route
		want   string
	}{
		"no operation": {[]route.Route{list, other}, `GET /others: no operation has the ID "listOthers"`},
		"no route":     {nil, `0 routes have the ID "listThings"`},
		"two routes":   {[]route.Route{list, list}, `2 routes have the ID "listThings"`},
	} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.Contains(got, tt.want) {
					t.Errorf("%s: %s, want %s", name, got, tt.want)
				}
			}()
			route.Document(tt.routes, operations)
		}()
	}
}
