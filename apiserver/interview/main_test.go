package interview_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/goleak"

	"github.com/assayhq/assay/apiserver/auth"
	"github.com/assayhq/assay/apiserver/interview"
	"github.com/assayhq/assay/apiserver/media"
	"github.com/assayhq/assay/apiserver/middleware"
	"github.com/assayhq/assay/apiserver/problem"
	v1 "github.com/assayhq/assay/apiserver/v1"
	"github.com/assayhq/assay/apiserver/web"
	"github.com/assayhq/assay/store/blob"
	"github.com/assayhq/assay/store/interviews/invite"
	"github.com/assayhq/assay/store/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(storetest.Suite{M: m}) }

// testServer is an apiserver with an organization that interviews traders.
type testServer struct {
	storetest.OrgDB
	blobs  *blob.Bucket
	server *httptest.Server
	log    *strings.Builder
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func setup(t testing.TB) *testServer {
	t.Helper()
	return setupOn(t, storetest.URL(t))
}

// setupOn is setup on a database of the test's choice.
func setupOn(t testing.TB, url string) *testServer {
	t.Helper()
	b := &testServer{OrgDB: storetest.NewOrgDBOn(t, url), log: new(strings.Builder)}
	var err error
	b.blobs, err = blob.Open(context.Background(), "file://"+t.TempDir())
	check(t, err)
	t.Cleanup(func() { _ = b.blobs.Close() })
	b.server = httptest.NewTLSServer(b.handler(t))
	b.server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	t.Cleanup(b.server.Close)
	return b
}

// handler returns what apiserver serves to holders of a link.
func (b *testServer) handler(t testing.TB) http.Handler {
	t.Helper()
	registry := prometheus.NewRegistry()
	origins, err := auth.NewOrigins("https://assay.example")
	check(t, err)
	stack, err := middleware.New(middleware.Config{
		Logger: slog.New(slog.DiscardHandler), Registry: registry, Problems: problem.NewWriter("https://assay.example"), Now: time.Now,
	})
	check(t, err)
	pages, err := web.New()
	check(t, err)
	// The process's clock is wrong: what a trader sees and what is recorded depends on the database's.
	slow := func() time.Time { return time.Now().Add(-2 * time.Hour) }
	api, err := v1.New(v1.Config{
		Store: b.DB, Stack: stack, Registry: registry, PublicURL: "https://assay.example", Origins: origins, Pages: pages,
		Media: &media.Handler{Store: b.DB, Blobs: b.blobs, Now: slow},
		Interviews: interview.New(interview.Config{
			Store: b.DB, Blobs: b.blobs, Pages: pages, Origins: origins, Now: slow, PublicURL: "https://assay.example", LawfulBasis: "Our contract with you.",
		}),
	})
	check(t, err)
	return api.Handler()
}

// browser is a browser that has opened one link.
type browser struct {
	testServer *testServer
	client     *http.Client
	base       string // path of the link
}

// browse opens a link in a new browser.
func (b *testServer) browse(t testing.TB, base string) *browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	check(t, err)
	return &browser{b, &http.Client{Transport: b.server.Client().Transport, Jar: jar}, base}
}

// trader opens an interview's link.
func (b *testServer) trader(t testing.TB, made invite.Made) *browser {
	t.Helper()
	return b.browse(t, "/i/"+made.Token.Reveal())
}

// reply is a response whose body has been read.
type reply struct {
	status int
	header http.Header
	body   string
}

// send sends a request below the link. A body that is not a reader is sent as JSON.
func (b *browser) send(t testing.TB, method, path string, body any, header ...string) reply {
	t.Helper()
	var reader io.Reader
	kind := ""
	switch body := body.(type) {
	case nil:
	case io.Reader:
		reader = body
	default:
		text, err := json.Marshal(body)
		check(t, err)
		reader, kind = strings.NewReader(string(text)), "application/json"
	}
	if !strings.HasPrefix(path, "/") {
		path = strings.TrimRight(b.base+"/"+path, "/")
	}
	req, err := http.NewRequestWithContext(t.Context(), method, b.testServer.server.URL+path, reader)
	check(t, err)
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := b.client.Do(req)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	check(t, err)
	return reply{res.StatusCode, res.Header, string(text)}
}

// empty is an empty request body.
var empty = map[string]any{}

func (b *browser) post(t testing.TB, path string, body any) reply {
	t.Helper()
	return b.send(t, "POST", path, body)
}

// want fails the test unless the response has the status and, if it is a problem, the code: "409
// conflict".
func (r reply) want(t testing.TB, want string) reply {
	t.Helper()
	if got := r.outcome(t); got != want {
		t.Fatalf("answered %s, want %s: %s", got, want, r.body)
	}
	return r
}

func (r reply) outcome(t testing.TB) string {
	t.Helper()
	text := http.StatusText(r.status)
	if r.header.Get("Content-Type") == problem.MediaType && r.body != "" {
		text = decodeInto[struct {
			Code string `json:"code"`
		}](t, r).Code
	}
	return strings.TrimSpace(itoa(r.status) + " " + text)
}

func itoa(n int) string {
	return string(rune('0'+n/100)) + string(rune('0'+n/10%10)) + string(rune('0'+n%10))
}

func decodeInto[T any](t testing.TB, r reply) (v T) {
	t.Helper()
	if err := json.Unmarshal([]byte(r.body), &v); err != nil {
		t.Fatalf("decode %q: %v", r.body, err)
	}
	return v
}

// state is the part of the state that the tests check.
type state struct {
	SessionID       uuid.UUID  `json:"session_id"`
	Status          string     `json:"status"`
	ConsentedAt     *time.Time `json:"consented_at"`
	DeviceCheckedAt *time.Time `json:"device_checked_at"`
	StartedAt       *time.Time `json:"started_at"`
	ExtraTimeFactor float64    `json:"extra_time_factor"`
	TimeLeftMS      *int64     `json:"time_left_ms"`
	Questions       []struct {
		ID           uuid.UUID `json:"id"`
		Prompt       *string   `json:"prompt"`
		ThinkLeftMS  *int64    `json:"think_left_ms"`
		ThinkSeconds int       `json:"think_seconds"`
		MaxSeconds   int       `json:"max_seconds"`
		Unanswerable bool      `json:"unanswerable"`
	} `json:"questions"`
	Answers []struct {
		QuestionID uuid.UUID `json:"question_id"`
		Take       int       `json:"take"`
		Mode       string    `json:"mode"`
		Status     string    `json:"status"`
		Counts     bool      `json:"counts"`
		DurationMS *int      `json:"duration_ms"`
		Text       *string   `json:"text"`
	} `json:"answers"`
}

func (b *browser) state(t testing.TB) state {
	t.Helper()
	return decodeInto[state](t, b.send(t, "GET", "state", nil).want(t, "200 OK"))
}

// opened takes an interview up to the session.
func (b *browser) opened(t testing.TB) *browser {
	t.Helper()
	b.post(t, "session", empty).want(t, "200 OK")
	return b
}

// agreed takes an interview up to the consent.
func (b *browser) agreed(t testing.TB) *browser {
	t.Helper()
	b.opened(t)
	landing := decodeInto[struct {
		Consent struct {
			SHA256 string `json:"sha256"`
		} `json:"consent"`
	}](t, b.send(t, "GET", "interview", nil).want(t, "200 OK"))
	b.post(t, "consent", map[string]any{"accepted": true, "sha256": landing.Consent.SHA256}).want(t, "200 OK")
	return b
}

// started takes an interview up to the questions.
func (b *browser) started(t testing.TB) state {
	t.Helper()
	b.agreed(t)
	b.post(t, "device-check", map[string]any{"outcome": "ok", "browser": "Chromium", "upload_kbps": 4000}).want(t, "200 OK")
	return decodeInto[state](t, b.post(t, "start", empty).want(t, "200 OK"))
}

const webm = "video/webm;codecs=vp8,opus"

// open opens a take of the question.
func (b *browser) open(t testing.TB, question uuid.UUID) int {
	t.Helper()
	return decodeInto[struct {
		Take int `json:"take"`
	}](t, b.post(t, "answers/"+question.String()+"/takes", map[string]any{"mode": "video", "media_type": webm}).want(t, "200 OK")).Take
}
