package demo

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// describeUsage explains how to use what runs. It leaves out what does not answer.
func (s *Stack) describeUsage(ctx context.Context, api *client, o owner, platforms []*platform) string {
	var b strings.Builder
	row := func(name, value string) { fmt.Fprintf(&b, "  %-20s %s\n", name, value) }
	b.WriteString("assay runs.\n\n")
	answers := func(path string, want int) bool {
		status, _, err := getPage(ctx, s.http, api.base+path)
		return err == nil && status == want
	}
	// People who try assay look at the pages first, and sign in there.
	if answers("/", http.StatusOK) {
		row("dashboard", api.base+"/")
	}
	// If users can sign in, /session answers 401 to a request without a session.
	if answers("/session", http.StatusUnauthorized) {
		row("owner", ownerEmail)
		row("password", o.Password)
	}
	row("API", api.base)
	row("API key", o.APIKey)
	for _, page := range []struct{ name, path string }{{"documentation", "/docs"}, {"OpenAPI", "/v1/openapi.json"}} {
		if answers(page.path, http.StatusOK) {
			row(page.name, api.base+page.path)
		}
	}
	for _, p := range platforms {
		row(p.name, p.ready.BaseURL+" (its API key is "+p.ready.APIKey+")")
		for _, fault := range p.faults {
			row("  goes wrong", fault+" (until the next start without it)")
		}
	}
	row("webhooks", "curl -s --cacert '"+s.receiverRoot()+"' "+s.receiverURL()+" (what came, newest first)")
	row("metrics", s.localURL(s.ports.SyncdDebug)+"/metrics (syncd)")
	row("", s.localURL(s.ports.APIServerDebug)+"/metrics (apiserver)")
	row("configuration", s.keptPath("assay.yaml"))
	row("logs", s.keptPath("logs"))
	b.WriteString("\nTry:\n\n")
	for _, path := range workingExamples(ctx, api, platforms) {
		fmt.Fprintf(&b, "  curl -s -H 'Authorization: Bearer %s' '%s%s'\n", o.APIKey, api.base, path)
	}
	return b.String()
}

// maxExamples is how many requests are shown.
const maxExamples = 4

// workingExamples returns the requests worth showing, of those that work.
func workingExamples(ctx context.Context, api *client, platforms []*platform) (work []string) {
	for _, path := range candidateRequests(ctx, api, platforms) {
		if len(work) < maxExamples && api.callAPI(ctx, http.MethodGet, path, nil, nil) == nil {
			work = append(work, path)
		}
	}
	return work
}

// candidateRequests returns requests, the most informative first. If platforms
// fail, these show how assay reports it.
func candidateRequests(ctx context.Context, api *client, platforms []*platform) []string {
	const some = "/v1/traders?limit=5"
	paths := []string{some}
	wrong := slices.DeleteFunc(slices.Clone(platforms), func(p *platform) bool { return len(p.faults) == 0 })
	if len(wrong) == 0 {
		paths = append(paths, searchRequest(ctx, api, some))
	}
	for _, p := range platforms[1:] { // the first one's traders are most of the list
		paths = append(paths, some+"&source="+p.kind)
	}
	for _, p := range wrong {
		paths = append(paths, "/v1/integrations/"+p.id)
	}
	return append(paths, "/v1/integrations/"+append(wrong, platforms...)[0].id+"/runs?limit=5")
}

// searchRequest returns a request that finds one of the traders in a list, or the
// integrations if there are no traders.
func searchRequest(ctx context.Context, api *client, traders string) string {
	var list struct {
		Data []struct {
			LastName string `json:"last_name"`
		} `json:"data"`
	}
	if api.callAPI(ctx, http.MethodGet, traders, nil, &list) == nil && len(list.Data) > 0 && len(list.Data[0].LastName) > 2 {
		return traders + "&search=" + url.QueryEscape(list.Data[0].LastName)
	}
	return "/v1/integrations"
}
