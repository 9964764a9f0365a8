package drill_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/customapi"
	"github.com/assayhq/assay/connectors/fetch"
	"github.com/assayhq/assay/internal/simulator/firm"
	"github.com/assayhq/assay/internal/simulator/host"
	"github.com/assayhq/assay/internal/simulator/reference"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/store/syncing"
	"github.com/assayhq/assay/store/syncing/history"
	"github.com/assayhq/assay/syncd/engine"
	"github.com/assayhq/assay/syncd/enginetest"
)

// brands serves several platforms at one address: brands under paths, tenants
// under keys.
type brands struct {
	mu sync.Mutex
	at map[place]*reference.Platform
}

// place is the address of a platform.
type place struct{ path, key string }

func (b *brands) put(p place, platform *reference.Platform) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.at[p] = platform
}

// ServeHTTP answers like a gateway: 401 for a key that nobody has, 503 while
// nothing runs at the place.
func (b *brands) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := "/" + strings.SplitN(r.URL.Path, "/", 3)[1]
	key, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	b.mu.Lock()
	platform, known := b.at[place{path, key}]
	b.mu.Unlock()
	switch {
	case !known:
		w.WriteHeader(http.StatusUnauthorized)
	case platform == nil:
		w.WriteHeader(http.StatusServiceUnavailable)
	default:
		http.StripPrefix(path, platform).ServeHTTP(w, r)
	}
}

// peopleOf returns a platform whose four traders have the ids 1 to 4, like those
// of every other one, and emails at the domain.
func peopleOf(t *testing.T, key, domain string, count int) *reference.Platform {
	t.Helper()
	p, err := reference.New(reference.Options{Key: key})
	check(t, err)
	for n := range count {
		id := fmt.Sprint(n + 1)
		p.PutTrader(reference.Trader{ID: id, Email: "trader" + id + "@" + domain, FirstName: "Trader", LastName: domain})
		p.PutAccount(reference.Account{ID: "a" + id, TraderID: id, Login: domain, Platform: "mt5", Status: "active", Phase: "funded", Currency: "USD"})
	}
	return p
}

// platformWalk is an apiserver, an engine and an address with many platforms.
type platformWalk struct {
	*drill
	w      *enginetest.Fixture
	engine *engine.Engine
	brands *brands
	ipv4   string // addresses of the brands
	ipv6   string // empty: this machine has none
	port   string // of localhost
	https  string // at the default port, or empty when that port is taken
}

// newPlatformWalk serves at the default port only where asked to: two tests at a
// time would take it from each other.
func newPlatformWalk(t *testing.T, defaultPort bool) *platformWalk {
	t.Helper()
	database := storetest.URL(t)
	w := enginetest.NewOn(t, database, reference.Options{Firm: firm.Options{Seed: 3, Traders: 1}})
	identity, err := host.NewIdentity("127.0.18.1")
	check(t, err)
	p := &platformWalk{w: w, brands: &brands{at: make(map[place]*reference.Platform)}}
	serve := func(address string) (url string, roots *host.Server) {
		listener, err := net.Listen("tcp", address)
		if err != nil {
			return "", nil
		}
		server, err := host.Serve(listener, identity, p.brands, "none")
		check(t, err)
		t.Cleanup(func() { _ = server.Close() })
		return server.URL, server
	}
	var server *host.Server
	p.ipv4, server = serve("127.0.0.1:0")
	p.ipv6, _ = serve("[::1]:0")
	if defaultPort {
		p.https, _ = serve("127.0.18.1:443")
		p.https = strings.TrimSuffix(p.https, ":443")
	}
	p.port = p.ipv4[strings.LastIndexByte(p.ipv4, ':')+1:]
	client := fetch.New(fetch.Options{AllowCIDRs: enginetest.Loopback(), RootCAs: server.CertPool})
	t.Cleanup(client.Close)
	kinds, err := connectors.NewRegistry(customapi.New(client))
	check(t, err)
	p.engine = w.NewEngine(t, func(c *engine.Config) { c.Connectors = kinds })
	p.drill = deploy(t, database, w, identity.CA, "")
	p.Start(t, "apiserver")
	return p
}

// cycle reads the integration's platform once.
func (p *platformWalk) cycle(t *testing.T, id string) {
	t.Helper()
	integration, err := uuid.Parse(id)
	check(t, err)
	for {
		claim, err := syncing.ClaimOne(t.Context(), p.w.DB, "walk", integration, engine.DefaultLease)
		check(t, err)
		check(t, p.engine.RunSlice(context.WithoutCancel(t.Context()), claim))
		over, _, err := history.CheckCycle(t.Context(), p.w.DB, integration)
		check(t, err)
		if over {
			return
		}
	}
}

// connect connects the platform at the address.
func (d *drill) connect(t *testing.T, address, key string, want int) map[string]any {
	t.Helper()
	return d.Call(t, "POST", "/v1/integrations", fmt.Sprintf(`{"kind": "custom_api", "base_url": %q, "api_key": %q}`, address, key), want)
}

// bear leaves a note, an interview and a decision with each trader of the
// organization, which name his email.
func (d *drill) bear(t *testing.T) {
	t.Helper()
	for _, one := range d.Call(t, "GET", "/v1/traders?limit=100", "", http.StatusOK)["data"].([]any) {
		trader := one.(map[string]any)
		d.Call(t, "POST", "/v1/traders/"+trader["id"].(string)+"/notes", fmt.Sprintf(`{"body": "note on %s"}`, trader["email"]), http.StatusCreated)
		made := d.Call(t, "POST", "/v1/interviews", fmt.Sprintf(`{"trader_id": %q, "auto_questions": 0}`, trader["id"]), http.StatusCreated)
		interview := made["interview"].(map[string]any)["id"].(string)
		d.Call(t, "POST", "/v1/interviews/"+interview+"/decision", fmt.Sprintf(`{"decision": "rejected", "reason": "decided on %s"}`, trader["email"]), http.StatusOK)
	}
}

// people is a line for each trader of the integration: what the platform says of
// him, and what people have said.
func (p *platformWalk) people(t *testing.T, id string) (lines []string) {
	t.Helper()
	rows, err := p.w.Conn.Query(t.Context(), `SELECT concat_ws(' | ', t.external_id, t.email, t.full_name,
    (SELECT string_agg(concat_ws(' ', a.external_id, a.login), ',') FROM accounts a WHERE a.integration_id = t.integration_id AND a.trader_external_id = t.external_id),
    (SELECT string_agg(n.body, ',') FROM trader_notes n WHERE n.trader_id = t.id),
    (SELECT string_agg(concat_ws(' ', i.decision, d.reason), ',') FROM interviews i JOIN interview_decisions d ON d.interview_id = i.id WHERE i.trader_id = t.id))
FROM traders t WHERE t.integration_id = $1 ORDER BY t.external_id`, id)
	check(t, err)
	defer rows.Close()
	for rows.Next() {
		var line string
		check(t, rows.Scan(&line))
		lines = append(lines, line)
	}
	check(t, rows.Err())
	return lines
}

// persons are the lines of a platform's traders; with what people have said
// about them, or without.
func persons(domain string, count int, borne bool) (lines []string) {
	for n := range count {
		email := fmt.Sprintf("trader%d@%s", n+1, domain)
		line := fmt.Sprintf("%d | %s | Trader %s | a%d %s", n+1, email, domain, n+1, domain)
		if borne {
			line += fmt.Sprintf(" | note on %s | rejected decided on %s", email, email)
		}
		lines = append(lines, line)
	}
	return lines
}

// TestConnectedAgain deletes an integration and connects another one with a different host, path,
// key or tenant. Notes, interviews and decisions stay with the right person, nobody is lost, and
// only the same platform continues. It takes long because each case reads a platform, deletes it
// and reads another.
func TestConnectedAgain(t *testing.T) {
	t.Parallel()
	p := newPlatformWalk(t, true)
	const key, tenant = "key-of-the-desk-0001", "key-of-a-tenant-0002"
	for at, domain := range map[place]string{{"/alpha", key}: "alpha.test", {"/alpha", tenant}: "tenant.test", {"/beta", key}: "beta.test", {"/ALPHA", key}: "upper.test"} {
		p.brands.put(at, peopleOf(t, at.key, domain, 4))
	}
	alpha := place{"/alpha", key}
	for _, c := range []struct {
		name          string
		first, second string // addresses
		key           string // of the second, where it is another one
		kept          bool   // the first one is not deleted
		stranger      bool   // another organization connects the second
		hide          string // what the platform does at the second connection: "empty", "down"
		want          string // "continued", "own", or the code that refuses it
		domain        string // of the second one's people
	}{
		{name: "same path", first: p.ipv4 + "/alpha", second: p.ipv4 + "/alpha", want: "continued"},
		{name: "other path", first: p.ipv4 + "/alpha", second: p.ipv4 + "/beta", want: "own", domain: "beta.test"},
		{name: "path in capitals", first: p.ipv4 + "/alpha", second: p.ipv4 + "/ALPHA", want: "own", domain: "upper.test"},
		{name: "other tenant's key", first: p.ipv4 + "/alpha", second: p.ipv4 + "/alpha", key: tenant, want: "own", domain: "tenant.test"},
		{name: "other path and key", first: p.ipv4 + "/beta", second: p.ipv4 + "/alpha", key: tenant, want: "own", domain: "tenant.test"},
		{name: "host in capitals", first: "https://localhost:" + p.port + "/alpha", second: "https://LOCALHOST:" + p.port + "/alpha", want: "continued"},
		{name: "other host", first: "https://localhost:" + p.port + "/alpha", second: p.ipv4 + "/alpha", want: "own", domain: "alpha.test"},
		{name: "trailing slash", first: p.ipv4 + "/alpha", second: p.ipv4 + "/alpha/", want: "validation_failed"},
		{name: "default port", first: p.https + "/alpha", second: p.https + ":443/alpha", want: "continued"},
		{name: "IPv6 in full", first: p.ipv6 + "/alpha", second: strings.Replace(p.ipv6, "[::1]", "[0:0:0:0:0:0:0:1]", 1) + "/alpha", want: "continued"},
		{name: "empty for a moment", first: p.ipv4 + "/alpha", second: p.ipv4 + "/alpha", hide: "empty", want: "own", domain: "alpha.test"},
		{name: "down for a moment", first: p.ipv4 + "/alpha", second: p.ipv4 + "/alpha", hide: "down", want: "own", domain: "alpha.test"},
		{name: "same key twice", first: p.ipv4 + "/alpha", second: p.ipv4 + "/alpha", kept: true, want: "integration_exists"},
		{name: "host in capitals, twice", first: "https://localhost:" + p.port + "/alpha", second: "https://LocalHost:" + p.port + "/alpha", kept: true, want: "integration_exists"},
		{name: "two tenants beside each other", first: p.ipv4 + "/alpha", second: p.ipv4 + "/alpha", key: tenant, kept: true, want: "own", domain: "tenant.test"},
		{name: "two organizations", first: p.ipv4 + "/alpha", second: p.ipv4 + "/alpha", stranger: true, want: "own", domain: "alpha.test"},
		{name: "two organizations at a time", first: p.ipv4 + "/alpha", second: p.ipv4 + "/alpha", kept: true, stranger: true, want: "own", domain: "alpha.test"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if strings.HasPrefix(c.first, "/") {
				storetest.LeaveOut(t, "this machine does not let the test listen there")
			}
			d := p.organization(t, "Walk "+c.name)
			first := d.connect(t, c.first, key, http.StatusCreated)["id"].(string)
			p.cycle(t, first)
			d.bear(t)
			domain := "alpha.test"
			if strings.HasSuffix(c.first, "/beta") {
				domain = "beta.test"
			}
			ours := persons(domain, 4, true)
			if diff := cmp.Diff(ours, p.people(t, first)); diff != "" {
				t.Fatalf("the first one's people (-want +got):\n%s", diff)
			}
			if !c.kept {
				d.Call(t, "DELETE", "/v1/integrations/"+first, "", http.StatusNoContent)
			}
			switch full := p.brands.at[alpha]; c.hide {
			case "empty":
				p.brands.put(alpha, peopleOf(t, key, "", 0))
				defer p.brands.put(alpha, full)
			case "down":
				p.brands.put(alpha, nil)
				defer p.brands.put(alpha, full)
			}
			if c.stranger {
				d = p.organization(t, "Stranger "+c.name)
			}
			second := key
			if c.key != "" {
				second = c.key
			}
			if c.want != "own" && c.want != "continued" {
				p.refused(t, d, c.second, second, c.want, first)
			} else {
				p.connectedAgain(t, d, c.second, second, first, c.want == "continued", c.hide, c.domain)
			}
			if diff := cmp.Diff(ours, p.people(t, first)); diff != "" {
				t.Errorf("the first one's people afterwards (-want +got):\n%s", diff)
			}
		})
	}
}

// organization returns the deployment in the name of an organization of its own.
func (p *platformWalk) organization(t *testing.T, name string) *drill {
	t.Helper()
	d := &drill{new(*p.Deployment)}
	var made struct {
		APIKey string `json:"api_key"`
	}
	check(t, json.Unmarshal(d.Run(t, "apiserver", "bootstrap", "--organization", name, "--email", "drill@example.com"), &made))
	d.Key = made.APIKey
	return d
}

// refused connects a platform that must not be connected.
func (p *platformWalk) refused(t *testing.T, d *drill, address, key, code, first string) {
	t.Helper()
	status := map[string]int{"integration_exists": http.StatusConflict, "validation_failed": http.StatusUnprocessableEntity}[code]
	told := d.connect(t, address, key, status)
	if told["code"] != code {
		t.Errorf("refused with %v, want %s", told["code"], code)
	}
	if id := told["integration_id"]; code == "integration_exists" && id != first {
		t.Errorf("the first one's id is %v, want %s", id, first)
	}
}

// connectedAgain connects a platform once more and reads it.
func (p *platformWalk) connectedAgain(t *testing.T, d *drill, address, key, first string, continued bool, hide, domain string) {
	t.Helper()
	made := d.connect(t, address, key, http.StatusCreated)
	id := made["id"].(string)
	if (id == first) != continued {
		t.Fatalf("connected as %s after %s; want the same: %v", id, first, continued)
	}
	switch path := "/alpha"; hide {
	case "empty":
		p.cycle(t, id)
		p.brands.put(place{path, key}, peopleOf(t, key, domain, 4))
	case "down":
		p.brands.put(place{path, key}, peopleOf(t, key, domain, 4))
		d.Call(t, "POST", "/v1/integrations/"+id+"/test", "", http.StatusOK)
	}
	p.cycle(t, id)
	if continued {
		return
	}
	if diff := cmp.Diff(persons(domain, 4, false), p.people(t, id)); diff != "" {
		t.Errorf("the second one's people (-want +got):\n%s", diff)
	}
}

// TestMovedToAnotherPlatform changes address and key of an integration with people, notes and
// decisions. Where they lead to other people the answer says so; where nobody can be seen, nothing
// is written until somebody is. It takes long because each move is followed by a cycle of both
// processes.
func TestMovedToAnotherPlatform(t *testing.T) {
	t.Parallel()
	p := newPlatformWalk(t, false)
	const key, tenant = "key-of-the-desk-0001", "key-of-a-tenant-0002"
	alpha, beta := p.ipv4+"/alpha", place{"/beta", key}
	p.brands.put(place{"/alpha", key}, peopleOf(t, key, "alpha.test", 4))
	p.brands.put(place{"/alpha", tenant}, peopleOf(t, tenant, "tenant.test", 4))
	p.brands.put(place{"/moved", key}, peopleOf(t, key, "alpha.test", 5))
	d := p.organization(t, "Mover")
	id := d.connect(t, alpha, key, http.StatusCreated)["id"].(string)
	p.cycle(t, id)
	d.bear(t)
	path, ours := "/v1/integrations/"+id, persons("alpha.test", 4, true)
	unmoved := func(t *testing.T, what string) {
		t.Helper()
		if diff := cmp.Diff(ours, p.people(t, id)); diff != "" {
			t.Errorf("%s: people (-want +got):\n%s", what, diff)
		}
	}
	patch := func(t *testing.T, member, value string, want int) map[string]any {
		t.Helper()
		return d.Call(t, "PATCH", path, fmt.Sprintf(`{%q: %q}`, member, value), want)
	}
	failure := func(t *testing.T) any {
		t.Helper()
		p.cycle(t, id)
		failed, _ := d.Call(t, "GET", path, "", http.StatusOK)["last_error"].(map[string]any)
		return failed["code"]
	}

	p.brands.put(beta, peopleOf(t, key, "beta.test", 4))
	for member, value := range map[string]string{"base_url": p.ipv4 + "/beta", "api_key": tenant} {
		if told := patch(t, member, value, http.StatusConflict); told["code"] != "different_platform" {
			t.Errorf("another %s is refused with %v", member, told["code"])
		}
	}
	if code := failure(t); code != nil {
		t.Errorf("after refused changes: %v", code)
	}
	unmoved(t, "after refused changes")

	p.brands.put(beta, nil)
	if moved := patch(t, "base_url", p.ipv4+"/beta", http.StatusOK); moved["health_status"] != "check_failed" {
		t.Errorf("moved to where nobody answers: %v", moved["health_status"])
	}
	p.brands.put(beta, peopleOf(t, key, "beta.test", 0))
	d.Call(t, "POST", path+"/test", "", http.StatusOK)
	if code := failure(t); code != "unknown_platform" {
		t.Errorf("a platform without people: %v", code)
	}
	p.brands.put(beta, peopleOf(t, key, "beta.test", 4))
	if code := failure(t); code != "different_platform" {
		t.Errorf("a platform with other people: %v", code)
	}
	unmoved(t, "where nobody could be seen at first")

	patch(t, "base_url", alpha, http.StatusOK)
	if code := failure(t); code != nil {
		t.Errorf("back where it was: %v", code)
	}
	unmoved(t, "back where it was")

	patch(t, "base_url", p.ipv4+"/moved", http.StatusOK)
	if code := failure(t); code != nil {
		t.Errorf("moved with its people: %v", code)
	}
	if diff := cmp.Diff(slices.Concat(ours, persons("alpha.test", 5, false)[4:]), p.people(t, id)); diff != "" {
		t.Errorf("moved with its people (-want +got):\n%s", diff)
	}
}
