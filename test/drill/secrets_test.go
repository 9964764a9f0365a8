package drill_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/assayhq/assay/internal/simulator/fault"
	"github.com/assayhq/assay/internal/simulator/firm"
	"github.com/assayhq/assay/internal/simulator/reference"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/syncd/enginetest"
	"github.com/assayhq/assay/test/deploytest"
)

// kept collects what may be read by others: logs, metrics, traces, answers.
type kept struct {
	mu   sync.Mutex
	text map[string]*bytes.Buffer
}

func (k *kept) add(where string, text []byte) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.text[where] == nil {
		k.text[where] = new(bytes.Buffer)
	}
	k.text[where].Write(text)
}

// ServeHTTP is a collector of traces.
func (k *kept) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body := io.Reader(r.Body)
	if r.Header.Get("Content-Encoding") == "gzip" {
		unpacked, err := gzip.NewReader(body)
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		body = unpacked
	}
	text, err := io.ReadAll(body)
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	k.add("traces", text)
	w.Header().Set("Content-Type", "application/x-protobuf")
	w.WriteHeader(http.StatusOK)
}

// TestSecretsStayInside runs both processes through what has to do with secrets, with all that goes
// wrong, at the log level that says most. Then no secret is in logs, metrics, traces, answers or a
// dump of the database, in any spelling. It takes long because what goes wrong must have gone
// wrong: time limits and repetitions are the real ones.
func TestSecretsStayInside(t *testing.T) {
	t.Parallel()
	if storetest.ProgramPath("pg_dump") == "" {
		storetest.LeaveOut(t, "pg_dump is not on this machine")
	}
	k := &kept{text: make(map[string]*bytes.Buffer)}
	collector := httptest.NewServer(k)
	t.Cleanup(collector.Close)
	database := storetest.URL(t)
	w := enginetest.NewOn(t, database, reference.Options{Firm: firm.Options{Seed: 3, Traders: 30, AccountsPerTrader: 2, Trades: 900, Payouts: 10, Weekends: true}})
	r := receive(t, w)
	d := deploy(t, database, w, r.certificate(), fmt.Sprintf("log: {level: debug}\notlp: {endpoint: %q}", collector.URL))
	secrets := map[string]string{
		"platform's key": w.Platform.Key, "signing secret": r.Secret.Reveal(), "keyring": "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=",
		"keyring's bytes": "0123456789abcdef0123456789abcdef",
	}
	told := d.Bootstrap(t)
	secrets["first key"], secrets["owner's password"] = told[0], told[1]
	server, syncd := d.Start(t, "apiserver"), d.Start(t, "syncd")
	settled(t, w)
	d.useSecrets(t, k, secrets, w, r)
	d.goWrong(t, k, w)
	settled(t, w)
	r.complete(t, w)
	for name := range d.Debug {
		_, metrics := deploytest.Get(t.Context(), "http://"+d.Debug[name]+"/metrics", "")
		k.add("metrics of "+name, metrics)
	}
	for _, p := range []*deploytest.Process{server, syncd} {
		check(t, p.Cmd.Process.Signal(os.Interrupt))
		p.Wait()
	}
	k.add("log of apiserver", []byte(server.Log()))
	k.add("log of syncd", []byte(syncd.Log()))
	dump := d.Path("dump.sql")
	postgres(t, database, "pg_dump", "--format=plain", "--file", dump, "--dbname")
	text, err := os.ReadFile(dump)
	check(t, err)
	k.add("dump", text)
	k.look(t, secrets)
}

// useSecrets calls whatever takes or gives a secret, and collects the others.
func (d *drill) useSecrets(t *testing.T, k *kept, secrets map[string]string, w *enginetest.Fixture, r *receiver) {
	t.Helper()
	last := func(address any) string { return address.(string)[strings.LastIndex(address.(string), "/")+1:] }
	made := d.Call(t, "POST", "/v1/api-keys", `{"name": "second", "scopes": ["traders:read"]}`, http.StatusCreated)
	secrets["second key"] = made["secret"].(string)
	d.Call(t, "DELETE", "/v1/api-keys/"+made["id"].(string), "", http.StatusNoContent)
	hook := d.Call(t, "POST", "/v1/webhooks", fmt.Sprintf(`{"url": %q, "events": ["*"]}`, r.server.URL+"/second"), http.StatusCreated)
	secrets["second signing secret"] = hook["secret"].(string)
	secrets["rotated signing secret"] = d.Call(t, "POST", "/v1/webhooks/"+hook["id"].(string)+"/rotate-secret", "", http.StatusOK)["secret"].(string)
	person := d.Call(t, "POST", "/v1/users", `{"email": "second@example.com", "role": "owner"}`, http.StatusCreated)
	secrets["second password"], _ = person["initial_password"].(string) // looked at below
	i := d.Call(t, "POST", "/v1/interviews", `{"trader": {"full_name": "Yan Li", "email": "yan@example.com"}, "auto_questions": 0}`, http.StatusCreated)
	secrets["invite"] = last(i["invite_url"])
	path := "/v1/interviews/" + i["interview"].(map[string]any)["id"].(string)
	secrets["reissued invite"] = last(d.Call(t, "POST", path+"/reissue", "", http.StatusOK)["invite_url"])
	secrets["share"] = last(d.Call(t, "POST", path+"/share", "", http.StatusCreated)["url"])
	for _, link := range []string{"/i/" + secrets["invite"], "/i/" + secrets["reissued invite"], "/s/" + secrets["share"]} {
		_, _ = deploytest.Get(t.Context(), d.URL+link, "") // pages show their own link
	}
	const body = `{"email": "drill@example.com", "password": %q}`
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, d.URL+"/session", strings.NewReader(fmt.Sprintf(body, secrets["owner's password"])))
	check(t, err)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	check(t, err)
	_ = res.Body.Close()
	for _, c := range res.Cookies() {
		secrets["session"] = c.Value
	}
	if len(secrets["session"]) < 20 || len(secrets["second password"]) != 26 {
		t.Fatalf("signed in with %d, and the second person: %v", res.StatusCode, person)
	}
	integration := d.Call(t, "POST", "/v1/integrations", fmt.Sprintf(`{"kind": "custom_api", "base_url": %q, "api_key": %q}`, w.Platform.URL, w.Platform.Key), http.StatusCreated)
	for _, list := range []string{"integrations", "integrations/" + integration["id"].(string), "api-keys", "webhooks", "webhooks/deliveries", "users", "audit", "interviews", "traders", "organization"} {
		_, text := deploytest.Get(t.Context(), d.URL+"/v1/"+list, d.Key)
		k.add("answers", text)
	}
}

// goWrong makes mistakes with secrets in hand, and has the platform make some.
func (d *drill) goWrong(t *testing.T, k *kept, w *enginetest.Fixture) {
	t.Helper()
	for _, name := range []string{"status-500", "status-401", "html-200", "reset", "redirect"} {
		check(t, w.Platform.SetFault(name, fault.Options{}))
		body := fmt.Sprintf(`{"kind": "custom_api", "base_url": %q, "api_key": %q}`, w.Platform.URL, w.Platform.Key)
		k.add("errors", d.say(t, "POST", "/v1/integrations/test", d.Key, body))
		w.Platform.ClearFaults()
	}
	check(t, w.Platform.SetFault("status-500", fault.Options{Times: 30}))
	if _, err := w.Conn.Exec(t.Context(), `UPDATE sync_state SET claimable_at = now()`); err != nil {
		t.Fatal(err)
	}
	storetest.Within(t, patience, "a cycle fails", func() bool {
		return len(w.Texts(t, `SELECT 'x' FROM sync_runs WHERE status = 'failed' LIMIT 1`)) > 0
	})
	w.Platform.ClearFaults()
	for _, wrong := range []struct{ method, path, key, body string }{
		{"GET", "/v1/traders?api_key=" + d.Key, "", ""},
		{"GET", "/v1/traders/" + d.Key, d.Key, ""},
		{"GET", "/v1/traders", d.Key + "x", ""},
		{"POST", "/v1/traders", d.Key, `{"full_name": "` + w.Platform.Key},
		{"POST", "/v1/integrations", d.Key, fmt.Sprintf(`{"kind": "custom_api", "base_url": "https://127.0.0.1:1", "api_key": %q, "x": 1}`, w.Platform.Key)},
		{"POST", "/v1/integrations", d.Key, fmt.Sprintf(`{"kind": "custom_api", "base_url": "https://x:%s@127.0.0.1:1", "api_key": %q}`, w.Platform.Key, w.Platform.Key)},
		{"POST", "/session", "", `{"email": "drill@example.com", "password": "wrong"}`},
	} {
		k.add("errors", d.say(t, wrong.method, wrong.path, wrong.key, wrong.body))
	}
}

// say sends a request and returns what is answered, whatever it is.
func (d *drill) say(t *testing.T, method, path, key, body string) []byte {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, d.URL+path, strings.NewReader(body))
	check(t, err)
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	req.Header.Set("Content-Type", "application/json")
	_, text := deploytest.Send(req)
	return text
}

// look finds secrets in what was kept.
func (k *kept) look(t *testing.T, secrets map[string]string) {
	t.Helper()
	for _, where := range []string{"log of apiserver", "log of syncd", "dump", "answers", "errors", "metrics of syncd", "metrics of apiserver"} {
		if k.text[where] == nil || k.text[where].Len() < 100 {
			t.Errorf("%s: nothing was collected", where)
		}
	}
	for where, text := range k.text {
		for name, secret := range secrets {
			for spelling, s := range map[string]string{
				"as it is": secret, "base64": base64.StdEncoding.EncodeToString([]byte(secret)), "hex": hex.EncodeToString([]byte(secret)),
				"in a URL": url.QueryEscape(secret), "without its prefix": secret[strings.LastIndexByte(secret, '_')+1:],
			} {
				if at := bytes.Index(text.Bytes(), []byte(s)); len(s) >= 8 && at >= 0 {
					t.Errorf("%s: %s, %s:\n… %s …", where, name, spelling, text.Bytes()[max(0, at-200):min(text.Len(), at+60)])
				}
			}
		}
	}
}
