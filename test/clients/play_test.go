package clients_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/google/uuid"

	"github.com/assayhq/assay/apiserver/media"
	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/blob"
	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/store/mediatest"
	"github.com/assayhq/assay/store/storetest"
)

// played is an interview whose recording a page plays.
type played struct {
	*store.DB
	id     uuid.UUID
	server *httptest.Server
	ahead  atomic.Int64 // by how much the server's clock is

	mu    sync.Mutex
	asked []string // "status path"
}

// recorded is how long the recording is.
const recorded = 20 * time.Second

// player is a page that plays with hls.js. What it asks for goes to the address that holds now.
const player = `<!doctype html><title>play</title><video id="v" muted playsinline></video><script src="/hls.js"></script><script>
const v = document.getElementById("v");
const hls = new Hls({ maxBufferLength: 3, maxMaxBufferLength: 3, enableWorker: false,
  xhrSetup: (xhr, url) => xhr.open("GET", window.base + url.split("/").pop(), true) });
window.fatal = "";
hls.on(Hls.Events.ERROR, (_, e) => { if (e.fatal) window.fatal = e.details; });
window.play = (base, captions) => {
  window.base = base;
  const track = document.createElement("track");
  Object.assign(track, { kind: "captions", src: captions, default: true });
  v.append(track);
  hls.loadSource(base + "index.m3u8");
  hls.attachMedia(v);
  v.playbackRate = 3;
  return v.play().then(() => true);
};
</script>`

// play makes a recording as the pipeline does, and serves it.
func play(t *testing.T) *played {
	t.Helper()
	mediatest.Need(t, "ffmpeg")
	p := &played{DB: storetest.New(t)}
	org := storetest.Organization(t, p.DB).ID
	p.id = storetest.Completed(t, p.DB, org, storetest.NewInterview("Ada", "ada@example.com"), "phrase").ID
	blobs, err := blob.Open(t.Context(), "file://"+t.TempDir())
	check(t, err)
	dir := t.TempDir()
	mediatest.FFmpeg(t, "-f", "lavfi", "-i", "testsrc=size=320x240:rate=25", "-f", "lavfi", "-i", "sine=sample_rate=48000", "-t", fmt.Sprint(recorded.Seconds()),
		"-c:v", "libx264", "-preset", "ultrafast", "-profile:v", "main", "-pix_fmt", "yuv420p", "-bf", "0", "-force_key_frames", "expr:gte(t,n_forced*4)", "-c:a", "aac", "-ac", "1",
		"-f", "hls", "-hls_time", "4", "-hls_playlist_type", "vod", "-hls_segment_type", "fmp4", "-hls_fmp4_init_filename", "init.mp4",
		"-hls_segment_filename", filepath.Join(dir, "seg_%05d.m4s"), filepath.Join(dir, "index.m3u8"))
	files, err := os.ReadDir(dir)
	check(t, err)
	for _, entry := range files {
		f, err := os.Open(filepath.Join(dir, entry.Name()))
		check(t, err)
		_, err = blobs.Put(t.Context(), interviews.MediaPrefix(p.id, 1)+entry.Name(), f)
		check(t, err)
		check(t, f.Close())
	}
	script, err := os.ReadFile(filepath.Join(tools(t), "node_modules", "hls.js", "dist", "hls.min.js"))
	check(t, err)
	handler := &media.Handler{Store: p.DB, Blobs: blobs, Now: p.now}
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, player) })
	mux.HandleFunc("/favicon.ico", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("/hls.js", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/javascript")
		_, _ = w.Write(script)
	})
	mux.HandleFunc("/captions.vtt", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/vtt; charset=utf-8")
		fmt.Fprint(w, "WEBVTT\n\ns1\n00:00:00.000 --> 00:00:05.000\n<v Trader>I trade &lt;euros&gt;.</v>\n")
	})
	mux.HandleFunc(media.Path, p.serve(handler))
	p.server = httptest.NewServer(mux)
	t.Cleanup(p.server.Close)
	return p
}

func (p *played) serve(h *media.Handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		status := http.StatusOK
		if err := h.Serve(w, r); err != nil {
			status = problem.From(err).Status()
			http.Error(w, "no", status)
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		p.asked = append(p.asked, fmt.Sprintf("%d %s", status, r.URL.Path))
	}
}

func (p *played) now() time.Time { return time.Now().Add(time.Duration(p.ahead.Load())) }

// base is an address that holds for so long.
func (p *played) base(t *testing.T, long time.Duration) string {
	t.Helper()
	path, err := media.Sign(p.DB, media.Grant{Interview: p.id, Version: 1, Expires: p.now().Add(long)})
	check(t, err)
	return p.server.URL + path
}

// count is how many answers of a status the address has got.
func (p *played) count(status int, base string) (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, a := range p.asked {
		if strings.HasPrefix(p.server.URL+strings.TrimPrefix(a, fmt.Sprint(status)+" "), base) {
			n++
		}
	}
	return n
}

// TestPlay has hls.js play a recording in a browser, past the expiry of its address, with captions. It
// takes long because a browser plays a recording to its end.
func TestPlay(t *testing.T) {
	t.Parallel()
	p := play(t)
	b := newTab(t)
	first := p.base(t, 10*time.Minute)
	b.do(t, chromedp.Navigate(p.server.URL+"/"))
	ask(t, b, chromedp.Evaluate[bool](fmt.Sprintf("play(%q, '/captions.vtt')", first), chromedp.EvalAwaitPromise))
	b.until(t, "the picture moves", "v.currentTime > 1 && v.videoWidth === 320")
	b.until(t, "captions are shown", `v.textTracks[0].mode === "showing" && v.textTracks[0].cues?.length === 1 && v.textTracks[0].cues[0].getCueAsHTML().textContent === "I trade <euros>."`)
	if got := ask(t, b, chromedp.Evaluate[float64]("v.duration")); got < recorded.Seconds()-0.5 || got > recorded.Seconds()+0.5 {
		t.Errorf("the player finds %.2f s, want %s", got, recorded)
	}
	second := p.base(t, 20*time.Minute)
	ask(t, b, chromedp.Evaluate[string](fmt.Sprintf("window.base = %q", second)))
	p.ahead.Store(int64(11 * time.Minute))
	if got := ask(t, b, chromedp.Evaluate[int](fmt.Sprintf("fetch(%q).then(r => r.status)", first+"seg_00004.m4s"), chromedp.EvalAwaitPromise)); got != http.StatusForbidden {
		t.Errorf("the address that has expired answers %d", got)
	}
	b.until(t, "it plays to the end", "v.ended || v.currentTime > v.duration - 0.3")
	if fatal := ask(t, b, chromedp.Evaluate[string]("window.fatal")); fatal != "" {
		t.Errorf("hls.js gave up: %s", fatal)
	}
	if p.count(http.StatusOK, first) == 0 || p.count(http.StatusOK, second) == 0 {
		t.Errorf("both addresses were to be used: %v", p.asked)
	}
}
