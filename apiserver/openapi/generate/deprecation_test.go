package main

import (
	"strings"
	"testing"
	"time"

	"github.com/assayhq/assay/apiserver/route"
	v1 "github.com/assayhq/assay/apiserver/v1"
)

// TestDeprecatedOperation marks a route of the real table, and reads what the document says.
func TestDeprecatedOperation(t *testing.T) {
	t.Parallel()
	since := time.Date(2026, 11, 26, 0, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name       string
		deprecated route.Deprecation
		headers    []string
		text, err  string
	}{
		{
			name: "with an end", deprecated: route.Deprecation{Since: since, Sunset: since.Add(route.DeprecationNotice), Instead: "Use `x`."},
			headers: []string{"Deprecation", "Sunset"}, text: "**Deprecated** since 2026-11-26, works until 2027-05-25. Use `x`.\n\n",
		},
		{
			name: "without an end", deprecated: route.Deprecation{Since: since, Instead: "Use `x`."},
			headers: []string{"Deprecation"}, text: "**Deprecated** since 2026-11-26. Use `x`.\n\n",
		},
		{
			name: "too soon", deprecated: route.Deprecation{Since: since, Sunset: since.Add(route.DeprecationNotice - 1), Instead: "Use `x`."},
			err: "earlier than 180 days",
		},
		{name: "without another way", deprecated: route.Deprecation{Since: since}, err: "what to use instead"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			routes := v1.DescribedRoutes()
			for i := range routes {
				if routes[i].ID == "listTraders" {
					routes[i].Operation.Deprecated = &tt.deprecated
				}
			}
			doc, err := buildDocument(routes, route.Tags(), moduleRoot)
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), "GET /v1/traders") || !strings.Contains(err.Error(), tt.err) {
					t.Errorf("error %v, want %q", err, tt.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			item, _ := doc.Paths.Find("/v1/traders")
			if !item.Get.Deprecated || !strings.HasPrefix(item.Get.Description, tt.text) {
				t.Errorf("deprecated %t, described as %s", item.Get.Deprecated, item.Get.Description)
			}
			answer, _ := item.Get.Responses.Find("200")
			for _, name := range tt.headers {
				if _, ok := answer.Headers.Find(name); !ok {
					t.Errorf("the answer has no header %s", name)
				}
			}
			if _, ok := answer.Headers.Find("Sunset"); ok != (len(tt.headers) == 2) {
				t.Errorf("Sunset is described: %t", ok)
			}
			if item, _ := doc.Paths.Find("/v1/users"); item.Get.Deprecated {
				t.Error("another operation is deprecated too")
			}
		})
	}
}
