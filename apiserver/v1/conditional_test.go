package v1_test

import (
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/apiserver/route"
)

// request is a request that send cannot create.
type request struct {
	method string
	path   string
	key    string
	header http.Header
	body   string // empty if there is none
	chunks bool   // the body is sent without its length
}

func (b *testAPI) ask(t testing.TB, q request) reply {
	t.Helper()
	var body io.Reader
	if q.body != "" {
		body = strings.NewReader(q.body)
	}
	if q.chunks {
		body = io.MultiReader(body)
	}
	req, err := http.NewRequestWithContext(t.Context(), q.method, b.server.URL+q.path, body)
	check(t, err)
	req.Header.Set("X-Request-Id", requestID)
	identify(req, q.key)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	for name, values := range q.header {
		req.Header[name] = values
	}
	res, err := b.server.Client().Do(req)
	check(t, err)
	defer func() { _ = res.Body.Close() }()
	if res.Header.Get("Content-Encoding") == "gzip" && q.method != http.MethodHead { // as the request asked for
		if res.Body, err = gzip.NewReader(res.Body); err != nil {
			t.Fatal(err)
		}
	}
	r := reply{res.StatusCode, res.Header, readAnswer(t, res)}
	honor(t, req, q.body, r)
	return r
}

// with returns a header with one line.
func with(name, value string) http.Header { return http.Header{http.CanonicalHeaderKey(name): {value}} }

// pathIn inserts the id of one of the objects into a route's path.
func pathIn(t testing.TB, route route.Route, ids objects) string {
	t.Helper()
	id := ids.of(route)
	if hasID(route) && id == "" {
		t.Fatalf("testAPI has no object for %s: add one to objects", route.Path)
	}
	return pathTo(route, id)
}

func TestItemsHaveTags(t *testing.T) {
	t.Parallel()
	b := setup(t)
	objects := b.objects(t)
	for _, route := range b.api.Routes() {
		if route.Method != http.MethodGet {
			continue
		}
		path, key := pathIn(t, route, objects), b.keyFor(t, route)
		got := b.send(t, "GET", path, key, nil).want(t, http.StatusOK)
		tag := got.header.Get("ETag")
		if strings.HasPrefix(got.body, `{"data":`) || strings.HasSuffix(route.Path, "/export") || route.Produces == "text/event-stream" {
			if tag != "" {
				t.Errorf("%s is a list, or made again each time, and has the tag %s", route.Path, tag)
			}
			continue
		}
		sum := sha256.Sum256([]byte(got.body))
		want := base64.RawURLEncoding.EncodeToString(sum[:16]) + `"`
		plain := strings.Replace(tag, `-gzip"`, `"`, 1) // the client accepts gzip
		if state, view, parted := strings.Cut(plain, "."); plain != `"`+want && (!parted || len(state) != len(want) || view != want) {
			t.Errorf("%s: tag %s, want %s", route.Path, tag, want)
		}
		for _, method := range []string{"GET", "HEAD"} {
			r := b.ask(t, request{method: method, path: path, key: key, header: http.Header{"If-None-Match": {tag}, "Accept-Encoding": {"gzip"}}}).want(t, http.StatusNotModified)
			if r.body != "" || r.header.Get("ETag") != tag || r.header.Get("Content-Type") != "" || r.header.Get("Content-Length") != "" {
				t.Errorf("%s %s answers 304 with %q and %v", method, route.Path, r.body, r.header)
			}
			// A 304 has the same headers about caching as a 200 (RFC 9110, 15.4.5).
			for _, name := range []string{"Cache-Control", "X-Request-Id"} {
				if r.header.Get(name) != got.header.Get(name) {
					t.Errorf("%s %s: %s is %q with 304", method, route.Path, name, r.header.Get(name))
				}
			}
			if r.header.Get("Date") == "" {
				t.Errorf("%s %s: 304 without a date", method, route.Path)
			}
		}
	}
}

func TestConditionsOfReads(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const path = "/v1/integrations/egress"
	tag := b.send(t, "GET", path, b.key, nil).want(t, http.StatusOK).header.Get("ETag")
	tests := []struct {
		name   string
		header http.Header
		want   int
		code   string
	}{
		{"have it", with("If-None-Match", tag), 304, ""},
		{"have it, weakly", with("If-None-Match", "W/"+tag), 304, ""},
		{"have it among others", with("If-None-Match", `"x" , W/"y",`+tag), 304, ""},
		{"have it, on a line of its own", http.Header{"If-None-Match": {`"x"`, tag}}, 304, ""},
		{"have anything", with("If-None-Match", "*"), 304, ""},
		{"have another", with("If-None-Match", `"x"`), 200, ""},
		{"have none", with("If-None-Match", ""), 200, ""},
		{"quotes left out", with("If-None-Match", strings.Trim(tag, `"`)), 400, "invalid_header"},
		{"wants this", with("If-Match", tag), 200, ""},
		{"wants anything", with("If-Match", "*"), 200, ""},
		{"wants another", with("If-Match", `"x"`), 412, "precondition_failed"},
		{"a weak tag is not strong", with("If-Match", "W/"+tag), 412, "precondition_failed"},
		{"wants this and has it", http.Header{"If-Match": {tag}, "If-None-Match": {tag}}, 304, ""},
		{"wants another and has this", http.Header{"If-Match": {`"x"`}, "If-None-Match": {tag}}, 412, "precondition_failed"},
		{"dates are ignored", http.Header{"If-Modified-Since": {"Fri, 20 Nov 2099 12:00:00 GMT"}, "If-Unmodified-Since": {"Fri, 20 Nov 1970 12:00:00 GMT"}}, 200, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := b.ask(t, request{method: "GET", path: path, key: b.key, header: tt.header}).want(t, tt.want)
			if tt.code != "" {
				r.wantProblem(t, tt.want, tt.code)
				if r.header.Get("ETag") != "" {
					t.Error("a problem has a tag")
				}
			}
		})
	}
}

// TestCompressedAnswers requests gzip as a browser does. The response is not decompressed here.
func TestCompressedAnswers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	large := "/v1/traders/" + b.objects(t)["/v1/traders/"]
	b.send(t, "POST", large+"/notes", b.key, `{"body": "`+strings.Repeat("Again and again. ", 200)+`"}`).want(t, http.StatusCreated)
	ask := func(t *testing.T, method, path, coding, name, tag string) reply {
		t.Helper()
		header := with("Accept-Encoding", coding)
		if name != "" {
			header.Set(name, tag)
		}
		return b.ask(t, request{method: method, path: path, key: b.key, header: header})
	}
	plain := ask(t, "GET", large, "identity", "", "").want(t, http.StatusOK)
	if plain.header.Get("Content-Encoding") != "" || plain.header.Get("Vary") != "Accept-Encoding" || len(plain.body) < 1024 {
		t.Fatalf("without gzip: %d bytes with %v", len(plain.body), plain.header)
	}
	zipped := ask(t, "GET", large, "br, gzip;q=0.5", "", "").want(t, http.StatusOK)
	if length, err := strconv.Atoi(zipped.header.Get("Content-Length")); zipped.body != plain.body || zipped.header.Get("Content-Encoding") != "gzip" || err != nil || length >= len(plain.body) {
		t.Errorf("in gzip: %d bytes with %v, want %d in fewer", len(zipped.body), zipped.header, len(plain.body))
	}
	if head := ask(t, "HEAD", large, "gzip", "", "").want(t, http.StatusOK); head.header.Get("Content-Length") != zipped.header.Get("Content-Length") || head.header.Get("ETag") != zipped.header.Get("ETag") {
		t.Errorf("HEAD tells %v", head.header)
	}
	// Different bytes have different tags, and both refer to the same object.
	tags := []string{plain.header.Get("ETag"), zipped.header.Get("ETag")}
	if tags[0] == tags[1] {
		t.Errorf("both have the tag %s", tags[0])
	}
	for i, tag := range tags {
		for j, coding := range []string{"identity", "gzip"} {
			want := http.StatusOK // what the client has is not what it asks for
			if i == j {
				want = http.StatusNotModified
			}
			r := ask(t, "GET", large, coding, "If-None-Match", tag).want(t, want)
			if r.header.Get("ETag") != tags[j] || r.header.Get("Vary") != "Accept-Encoding" {
				t.Errorf("who has %s and takes %s is told %v", tag, coding, r.header)
			}
			ask(t, "GET", large, coding, "If-Match", tag).want(t, http.StatusOK)
		}
		r := b.ask(t, request{method: "PATCH", path: large, key: b.key, header: with("If-Match", tag), body: `{}`})
		r.want(t, http.StatusOK)
	}
	if r := ask(t, "GET", "/v1/integrations/egress", "gzip", "", "").want(t, http.StatusOK); r.header.Get("Content-Encoding") != "" {
		t.Errorf("%d bytes come as %v", len(r.body), r.header)
	}
	if r := ask(t, "GET", "/v1/interviews?limit=0", "gzip", "", ""); r.header.Get("Content-Encoding") != "" {
		t.Errorf("a problem comes as %v", r.header)
	}
}

func TestHeadersThatCannotBeUnderstood(t *testing.T) {
	t.Parallel()
	b := setup(t)
	objects := b.objects(t)
	broken := http.Header{"If-Match": {"abc"}, "If-None-Match": {`"x`}}
	for _, route := range b.api.Routes() {
		r := b.ask(t, request{method: route.Method, path: pathIn(t, route, objects), key: b.keyFor(t, route), header: broken})
		r.wantProblem(t, http.StatusBadRequest, "invalid_header")
		const want = `"errors":[{"header":"If-Match","code":"invalid_format","detail":"Must be * or entity tags in quotes,`
		if !strings.Contains(r.body, want) || !strings.Contains(r.body, `{"header":"If-None-Match","code":"invalid_format"`) || strings.Contains(r.body, "abc") {
			t.Errorf("%s %s: %s", route.Method, route.Path, r.body)
		}
	}
	b.send(t, "GET", "/v1/integrations/"+objects["/v1/integrations/"], b.key, nil).want(t, http.StatusOK) // it was not removed
}

// tag returns the current tag of the object in the path.
func (b *testAPI) tag(t testing.TB, path string) string {
	t.Helper()
	return b.send(t, "GET", path, b.key, nil).want(t, http.StatusOK).header.Get("ETag")
}

func TestConditionsOfPatches(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path := "/v1/integrations/" + b.create(t).String()
	tests := []struct {
		name   string
		header func(tag string) http.Header
		body   string // if empty, a new name
		want   int
		code   string
	}{
		{"none", func(string) http.Header { return nil }, "", 200, ""},
		{"current", func(tag string) http.Header { return with("If-Match", tag) }, "", 200, ""},
		{"current among others", func(tag string) http.Header { return with("If-Match", `"x", `+tag) }, "", 200, ""},
		{"any", func(string) http.Header { return with("If-Match", "*") }, "", 200, ""},
		{"another", func(string) http.Header { return with("If-Match", `"x"`) }, "", 412, "precondition_failed"},
		{"weak", func(tag string) http.Header { return with("If-Match", "W/"+tag) }, "", 412, "precondition_failed"},
		{"empty list", func(string) http.Header { return with("If-Match", "") }, "", 412, "precondition_failed"},
		{"not the current one", func(tag string) http.Header { return with("If-None-Match", tag) }, "", 412, "precondition_failed"},
		{"only if there is none", func(string) http.Header { return with("If-None-Match", "*") }, "", 412, "precondition_failed"},
		{"not another one", func(string) http.Header { return with("If-None-Match", `"x"`) }, "", 200, ""},
		{"unreadable", func(string) http.Header { return with("If-Match", "x") }, "", 400, "invalid_header"},
		{"another, but the body is faulty", func(string) http.Header { return with("If-Match", `"x"`) }, `{"name": 1}`, 422, "validation_failed"},
		{"another, and nothing to change", func(string) http.Header { return with("If-Match", `"x"`) }, `{}`, 412, "precondition_failed"},
		{"another, with a live check", func(string) http.Header { return with("If-Match", `"x"`) }, goodKey, 412, "precondition_failed"},
		{"current, with a live check", func(tag string) http.Header { return with("If-Match", tag) }, goodKey, 200, ""},
	}
	for i, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			before, asked := b.send(t, "GET", path, b.key, nil).want(t, http.StatusOK), b.platform.requests()
			body := tt.body
			if body == "" {
				body = fmt.Sprintf(`{"name": "Name %d"}`, i)
			}
			r := b.ask(t, request{method: "PATCH", path: path, key: b.key, header: tt.header(before.header.Get("ETag")), body: body}).want(t, tt.want)
			after := b.send(t, "GET", path, b.key, nil)
			if tt.code == "" {
				if r.body != after.body || r.header.Get("ETag") != after.header.Get("ETag") || r.header.Get("ETag") == before.header.Get("ETag") {
					t.Errorf("answered\n%s %s\nthen read\n%s %s", r.header.Get("ETag"), r.body, after.header.Get("ETag"), after.body)
				}
				return
			}
			r.wantProblem(t, tt.want, tt.code)
			if after.body != before.body {
				t.Errorf("the refused PATCH changed something:\n%s\n%s", before.body, after.body)
			}
			if b.platform.requests() != asked {
				t.Error("a live check was made for a PATCH that was refused")
			}
		})
	}
}

// TestPatchesWithTheSameTag checks that of many concurrent changes only the first succeeds.
func TestPatchesWithTheSameTag(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path := "/v1/integrations/" + b.create(t).String()
	header := with("If-Match", b.tag(t, path))
	var (
		wg       sync.WaitGroup
		mu       sync.Mutex
		statuses = make(map[int]int)
		winner   string
	)
	for i := range 16 {
		wg.Go(func() {
			r := b.ask(t, request{method: "PATCH", path: path, key: b.key, header: header, body: fmt.Sprintf(`{"name": "Name %d"}`, i)})
			mu.Lock()
			defer mu.Unlock()
			statuses[r.status]++
			if r.status == http.StatusOK {
				winner = r.body
			}
		})
	}
	wg.Wait()
	if diff := cmp.Diff(map[int]int{200: 1, 412: 15}, statuses); diff != "" {
		t.Errorf("statuses (-want +got):\n%s", diff)
	}
	if got := b.send(t, "GET", path, b.key, nil).body; got != winner {
		t.Errorf("left is\n%s\nbut answered was\n%s", got, winner)
	}
}

// TestTagOutdatedByTheTimeOfSaving changes the object during the live check of a conditional
// PATCH, after its condition was satisfied.
func TestTagOutdatedByTheTimeOfSaving(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path := "/v1/integrations/" + b.create(t).String()
	tag := b.tag(t, path)
	reached, release := b.platform.hang()
	replies := make(chan reply, 1)
	go func() {
		replies <- b.ask(t, request{method: "PATCH", path: path, key: b.key, header: with("If-Match", tag), body: wrongKey})
	}()
	<-reached
	before := b.send(t, "PATCH", path, b.key, `{"name": "Other"}`).want(t, http.StatusOK)
	release()
	(<-replies).wantProblem(t, http.StatusPreconditionFailed, "precondition_failed")
	if after := b.send(t, "GET", path, b.key, nil).body; after != before.body {
		t.Errorf("the refused PATCH changed something:\n%s\n%s", before.body, after)
	}
}

func TestConditionsOfRemovals(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path := "/v1/integrations/" + b.create(t).String()
	tag := b.tag(t, path)
	b.send(t, "PATCH", path, b.key, `{"name": "Other"}`).want(t, http.StatusOK)
	b.ask(t, request{method: "DELETE", path: path, key: b.key, header: with("If-Match", tag)}).wantProblem(t, http.StatusPreconditionFailed, "precondition_failed")
	b.ask(t, request{method: "DELETE", path: path, key: b.key, header: with("If-Match", b.tag(t, path))}).want(t, http.StatusNoContent)
	b.ask(t, request{method: "DELETE", path: path, key: b.key, header: with("If-Match", "*")}).wantProblem(t, http.StatusNotFound, "not_found")
}
