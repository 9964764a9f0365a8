package demo

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// summary tells how to use what runs. Whatever does not answer is left out.
func (s *Stack) summary(ctx context.Context, api *client, id string, o owner, p platform) string {
	var b strings.Builder
	row := func(name, value string) { fmt.Fprintf(&b, "  %-20s %s\n", name, value) }
	b.WriteString("assay runs.\n\n")
	row("API", api.base)
	for _, page := range []struct{ name, path string }{
		{"dashboard", "/"}, {"documentation", "/docs"}, {"OpenAPI", "/v1/openapi.json"},
	} {
		if status, _, err := get(ctx, s.http, api.base+page.path); err != nil || status != http.StatusOK {
			continue
		}
		row(page.name, api.base+page.path)
		if page.path == "/" { // the only place to sign in to
			row("owner", ownerEmail)
			row("password", o.Password)
		}
	}
	row("API key", o.APIKey)
	row("reference platform", p.BaseURL+" (its API key is "+p.APIKey+")")
	for _, fault := range s.Faults {
		row("  goes wrong", fault+" (until the next start without it)")
	}
	row("metrics", s.url(s.ports.SyncdDebug)+"/metrics (syncd)")
	row("", s.url(s.ports.APIServerDebug)+"/metrics (apiserver)")
	row("configuration", s.path("assay.yaml"))
	row("logs", s.path("logs"))
	b.WriteString("\nTry:\n\n")
	for _, path := range s.examples(ctx, api, id) {
		fmt.Fprintf(&b, "  curl -s -H 'Authorization: Bearer %s' '%s%s'\n", o.APIKey, api.base, path)
	}
	return b.String()
}

// examples returns the requests worth showing, of those that work.
func (s *Stack) examples(ctx context.Context, api *client, id string) []string {
	candidates := []string{"/v1/traders?limit=5"}
	var list struct {
		Data []struct {
			LastName string `json:"last_name"`
		} `json:"data"`
	}
	if api.call(ctx, http.MethodGet, candidates[0], nil, &list) == nil && len(list.Data) > 0 && len(list.Data[0].LastName) > 2 {
		candidates = append(candidates, "/v1/traders?limit=5&search="+url.QueryEscape(list.Data[0].LastName))
	} else {
		candidates = append(candidates, "/v1/integrations")
	}
	if len(s.Faults) > 0 { // what assay makes of them
		candidates = append(candidates, "/v1/integrations/"+id)
	}
	candidates = append(candidates, "/v1/integrations/"+id+"/runs?limit=5")
	var work []string
	for _, path := range candidates {
		if api.call(ctx, http.MethodGet, path, nil, nil) == nil {
			work = append(work, path)
		}
	}
	return work
}
