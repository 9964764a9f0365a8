package clients_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/assayhq/assay/apiserver/auth"
	"github.com/assayhq/assay/apiserver/interview"
	"github.com/assayhq/assay/apiserver/media"
	"github.com/assayhq/assay/apiserver/middleware"
	"github.com/assayhq/assay/apiserver/problem"
	v1 "github.com/assayhq/assay/apiserver/v1"
	"github.com/assayhq/assay/apiserver/web"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/blob"
	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/store/interviews/viewing"
	"github.com/assayhq/assay/store/mediatest"
	"github.com/assayhq/assay/store/storetest"
)

// TestOneTabAtATime opens an interview in a second tab, and then in a second browser. Each time the
// page says where the interview continues, and can take it back. It takes long because a tab waits two
// seconds for another one to let go.
func TestOneTabAtATime(t *testing.T) {
	t.Parallel()
	b := newTrader(t)
	a := startAPI(t)
	_, path := a.invite(t, threeQuestions())
	b.do(t, chromedp.Navigate(a.url+path))
	b.press(t, "Continue")
	b.heading(t, "Do you agree?")

	second := b.another(t)
	second.do(t, chromedp.Navigate(a.url+path))
	second.heading(t, "The interview is open in another tab")
	second.look(t, "30-tab")
	second.press(t, "Continue in this tab")
	second.heading(t, "Do you agree?")
	b.heading(t, "The interview is open in another tab")

	elsewhere := b.beside(t)
	elsewhere.do(t, chromedp.Navigate(a.url+path))
	elsewhere.press(t, "Continue")
	elsewhere.heading(t, "Do you agree?")
	second.do(t, click(`input[type="checkbox"]`))
	second.press(t, "I agree, continue")
	second.heading(t, "The interview is open somewhere else")
	second.look(t, "31-elsewhere")
	second.press(t, "Continue here instead")
	second.press(t, "Continue")
	second.heading(t, "Do you agree?")
	for _, each := range []*tab{b, second, elsewhere} {
		each.forgive("401")
		each.wantQuiet(t, a.url)
	}

	elsewhere.do(t, chromedp.Navigate(a.url+"/i/"+strings.Repeat("x", 43)))
	elsewhere.heading(t, "Link not found")
	elsewhere.look(t, "32-no-link")
}

// another opens another tab of the same browser.
func (b *tab) another(t *testing.T) *tab {
	t.Helper()
	return openTab(t, b.ctx())
}

// TestWrittenInterviewInBrowser answers in writing, with more time, and declines another interview. It
// takes long because axe checks each step of an interview.
func TestWrittenInterviewInBrowser(t *testing.T) {
	t.Parallel()
	b := newTab(t)
	a := startAPI(t)
	body := threeQuestions()
	body["answer_modes"] = []string{"text"}
	body["questions"] = body["questions"].([]any)[:1]
	body["questions"].([]any)[0].(map[string]any)["prompt"] = "كم تحتفظ بصفقاتك؟"
	id, path := a.invite(t, body)
	b.do(t, chromedp.Navigate(a.url+path))
	b.press(t, "Continue")
	b.do(t, click(`input[type="checkbox"]`))
	b.press(t, "I agree, continue")
	b.heading(t, "How you answer")
	b.look(t, "40-written")
	b.press(t, "I need another way to answer")
	b.do(t, click(`input[value="2"]`), write("#wish", "A second person reads to me."))
	b.press(t, "Send and continue")
	b.press(t, "Start the interview")
	b.pick(t, 1)
	b.press(t, "Show question")
	b.do(t, write("#answer", "حوالي أربع ساعات."))
	b.look(t, "41-writing")
	if got := ask(t, b, chromedp.Evaluate[string](`["#prompt", "#answer"].map((each) => getComputedStyle(document.querySelector(each)).direction).join(" ")`)); got != "rtl rtl" {
		t.Errorf("an Arabic question and its answer run %s", got)
	}
	b.press(t, "Save answer")
	b.sees(t, "Answered")
	b.look(t, "42-written")
	b.submits(t)
	i := a.call(t, "GET", "/v1/interviews/"+id, nil, 200)
	if i["status"] != "processing" || !strings.Contains(text(t, i["needs_accommodation"]), "A second person reads to me.") {
		t.Errorf("status %v, wish %s", i["status"], text(t, i["needs_accommodation"]))
	}

	id, path = a.invite(t, body)
	b.do(t, chromedp.Navigate(a.url+path))
	b.press(t, "Continue")
	b.press(t, "I decline")
	b.press(t, "Yes, decline")
	b.heading(t, "You declined the interview")
	b.look(t, "43-declined")
	b.wantQuiet(t, a.url)
	if i := a.call(t, "GET", "/v1/interviews/"+id, nil, 200); i["status"] != "declined" {
		t.Errorf("status %v", i["status"])
	}
}

// hurdles are what goes wrong while a recording is played: each once, in the order
// of the requests that they are about.
type hurdles struct {
	http.Handler
	mu   sync.Mutex
	seen map[string]int
	met  []string
}

// ServeHTTP implements http.Handler.
func (h *hurdles) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	kind := filepath.Ext(r.URL.Path)
	if strings.HasSuffix(r.URL.Path, "/playback") {
		kind = "playback"
	}
	h.mu.Lock()
	h.seen[kind]++
	what := fmt.Sprint(kind, " ", h.seen[kind])
	met := slices.Contains([]string{".m3u8 1", "playback 3", ".m4s 4", ".m4s 9", ".m4s 10"}, what)
	if met {
		h.met = append(h.met, what)
	}
	h.mu.Unlock()
	switch {
	case !met:
		h.Handler.ServeHTTP(w, r)
	case what == "playback 3":
		http.Error(w, "away", http.StatusServiceUnavailable)
	case what == ".m4s 9":
		panic(http.ErrAbortHandler) // the connection is cut
	default: // as when the page came too late
		http.Error(w, "expired", http.StatusForbidden)
	}
}

// TestPlaybackOutlivesItsAddress plays a shared recording to its end, which is longer than its
// addresses work: the player exchanges them under way, also when one was used too late, the server
// is away, or a connection is cut. It takes long because a browser plays a recording for longer
// than an address works.
func TestPlaybackOutlivesItsAddress(t *testing.T) {
	t.Parallel()
	const life, length = 8 * time.Second, 240
	b := newTab(t, chromedp.Flag("autoplay-policy", "no-user-gesture-required"))
	db := storetest.New(t)
	org := storetest.Organization(t, db).ID
	made := storetest.Completed(t, db, org, storetest.NewInterview("Zoe Miller", "zoe@example.com"), "phrase")
	blobs, err := blob.Open(t.Context(), "file://"+t.TempDir())
	check(t, err)
	t.Cleanup(func() { _ = blobs.Close() })
	putPresentation(t, blobs, interviews.MediaPrefix(made.ID, 1), length)
	server := httptest.NewUnstartedServer(nil)
	origin := "http://" + server.Listener.Addr().String()
	h := &hurdles{Handler: linksOnly(t, db, blobs, origin, life), seen: make(map[string]int)}
	server.Config.Handler, server.Config.ErrorLog = h, slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	server.Start()
	t.Cleanup(server.Close)
	link, err := viewing.CreateShare(t.Context(), db, store.SystemChange(org), made.ID, 1, false)
	check(t, err)

	b.do(t, chromedp.Navigate(origin+"/s/"+link.Token.Reveal()))
	b.do(t, visible("video"))
	ask(t, b, chromedp.Evaluate[bool](`(() => { const v = document.querySelector("video"); v.muted = true; v.defaultPlaybackRate = v.playbackRate = 6; v.play().catch(() => {}); return true; })()`))
	permit := regexp.MustCompile(`/media/v1/[^/]+/1/([^/]+)/.*m4s$`)
	permits := make(map[string]int)
	const player = `(() => { const v = document.querySelector("video"); return [v.ended, v.error?.message ?? "", v.paused, v.currentTime, v.duration].join(" "); })()`
	askFor(t, b, patience, chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		return repeat(ctx, "the recording plays to its end", func() (string, error) {
			state, err := chromedp.Evaluate[string](player)(ctx, target)
			if err == nil && !strings.HasPrefix(state, "true  ") {
				return "the player is at " + state, nil
			}
			return "", err
		})
	}))
	b.mu.Lock()
	for _, address := range b.requests {
		if m := permit.FindStringSubmatch(address); m != nil {
			permits[m[1]]++
		}
	}
	b.mu.Unlock()
	if len(permits) < 3 || len(h.met) != 5 {
		t.Errorf("%d signatures, met %v", len(permits), h.met)
	}
	if told := ask(t, b, chromedp.Evaluate[string](`document.querySelector("main .notice.warn[role=status]")?.innerText ?? ""`)); strings.Contains(told, "cannot be played") {
		t.Errorf("the page still says %q", told)
	}
	b.forgive("403", "503", "ERR_")
	b.wantQuiet(t, origin)
	t.Logf("%d signatures of %s", len(permits), life)
}

// putPresentation makes a presentation of so many seconds.
func putPresentation(t *testing.T, blobs *blob.Bucket, prefix string, seconds int) {
	t.Helper()
	dir := t.TempDir()
	mediatest.FFmpeg(t, "-f", "lavfi", "-i", "testsrc=size=160x120:rate=5", "-t", strconv.Itoa(seconds), "-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p",
		"-force_key_frames", "expr:gte(t,n_forced*4)", "-f", "hls", "-hls_time", "4", "-hls_playlist_type", "vod", "-hls_segment_type", "fmp4",
		"-hls_segment_filename", filepath.Join(dir, "seg_%05d.m4s"), filepath.Join(dir, "index.m3u8"))
	mediatest.FFmpeg(t, "-f", "lavfi", "-i", "testsrc=size=160x120", "-frames:v", "1", filepath.Join(dir, "poster.jpg"))
	entries, err := os.ReadDir(dir)
	check(t, err)
	for _, entry := range entries {
		f, err := os.Open(filepath.Join(dir, entry.Name()))
		check(t, err)
		_, err = blobs.Put(t.Context(), prefix+entry.Name(), f)
		check(t, err)
		check(t, f.Close())
	}
}

// linksOnly serves only the pages behind links. Addresses of shared recordings work for the given
// time.
func linksOnly(t *testing.T, db *store.DB, blobs *blob.Bucket, origin string, life time.Duration) http.Handler {
	t.Helper()
	registry := prometheus.NewRegistry()
	origins, err := auth.NewOrigins(origin)
	check(t, err)
	stack, err := middleware.New(middleware.Config{Logger: slog.New(slog.DiscardHandler), Registry: registry, Problems: problem.NewWriter(origin), Now: time.Now})
	check(t, err)
	pages, err := web.New()
	check(t, err)
	routes, err := v1.New(v1.Config{
		Store: db, Stack: stack, Registry: registry, PublicURL: origin, Origins: origins, Pages: pages,
		Media:      &media.Handler{Store: db, Blobs: blobs, Now: time.Now},
		Interviews: interview.New(interview.Config{Store: db, Blobs: blobs, Pages: pages, Origins: origins, Now: time.Now, PublicURL: origin, SharedTTL: life}),
	})
	check(t, err)
	return routes.Handler()
}
