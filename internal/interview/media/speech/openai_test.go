package speech_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.uber.org/goleak"

	"github.com/assayhq/assay/internal/interview/media/speech"
	"github.com/assayhq/assay/internal/interview/media/transcript"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/seal"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const key = "sk-very-secret-key"

// asked is a request as the server has seen it.
type asked struct {
	path, authorization string
	form                map[string][]string
	file                int // bytes
}

// server answers by a function of the number of the request, from 1.
func server(t *testing.T, answer func(n int, w http.ResponseWriter, r *http.Request)) (*speech.Server, func() []asked) {
	t.Helper()
	var (
		mu  sync.Mutex
		all []asked
	)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodHead {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		if err := r.ParseMultipartForm(64 << 20); err != nil {
			t.Errorf("form: %v", err)
		}
		a := asked{path: r.URL.Path, authorization: r.Header.Get("Authorization"), form: r.MultipartForm.Value}
		for _, h := range r.MultipartForm.File["file"] {
			a.file += int(h.Size)
			wantWAV(t, h.Open)
		}
		_ = r.MultipartForm.RemoveAll()
		mu.Lock()
		all = append(all, a)
		n := len(all)
		mu.Unlock()
		answer(n, w, r)
	}))
	t.Cleanup(s.Close)
	engine, err := speech.NewServer(speech.ServerConfig{
		URL: s.URL, Model: "whisper-1", APIKey: seal.NewSecret(key), Pauses: []time.Duration{time.Millisecond, time.Millisecond},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(engine.Close)
	return engine, func() []asked {
		mu.Lock()
		defer mu.Unlock()
		return all
	}
}

func wantWAV[F io.ReadCloser](t *testing.T, open func() (F, error)) {
	t.Helper()
	f, err := open()
	if err != nil {
		t.Error(err)
		return
	}
	defer f.Close()
	head := make([]byte, 12)
	if _, err := io.ReadFull(f, head); err != nil || string(head[:4])+string(head[8:]) != "RIFFWAVE" {
		t.Errorf("the file begins with %q, want WAV", head)
	}
}

// sound is a file of so many seconds of a quiet hiss.
func sound(t *testing.T, seconds int) speech.Sound {
	t.Helper()
	samples := make([]byte, seconds*32000)
	for i := range samples {
		if i%2 == 0 {
			samples[i] = byte(i * 7)
		}
	}
	path := filepath.Join(t.TempDir(), "a.wav")
	if err := os.WriteFile(path, speech.WAV(samples), 0o600); err != nil {
		t.Fatal(err)
	}
	return speech.Sound{Path: path, Length: time.Duration(seconds) * time.Second, Language: "en-US"}
}

func say(text string) func(int, http.ResponseWriter, *http.Request) {
	return func(_ int, w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, text) }
}

func confidence(x float64) *float64 { return &x }

const verbose = `{"task":"transcribe","language":"english","duration":4.0,"text":"I trade. Yes.",
 "segments":[{"id":0,"start":0.0,"end":2.0,"text":" I trade.","avg_logprob":-0.1,"no_speech_prob":0.01},{"id":1,"start":2.5,"end":3.0,"text":" Yes.","avg_logprob":-0.5,"no_speech_prob":0.9}],
 "words":[{"word":"I","start":0.1,"end":0.2},{"word":"trade.","start":0.3,"end":1.9},{"word":"Yes.","start":2.45,"end":2.9}]}`

func TestServer(t *testing.T) {
	t.Parallel()
	engine, seen := server(t, say(verbose))
	got, err := engine.Transcribe(t.Context(), sound(t, 4))
	if err != nil {
		t.Fatal(err)
	}
	want := []transcript.RecognizedSegment{
		{Start: 0, End: 2, Text: " I trade.", Confidence: confidence(0.9048374180359595), NoSpeech: 0.01, Words: []transcript.RecognizedWord{{Start: 0.1, End: 0.2, Text: "I"}, {Start: 0.3, End: 1.9, Text: "trade."}}},
		{Start: 2.5, End: 3, Text: " Yes.", Confidence: confidence(0.6065306597126334), NoSpeech: 0.9, Words: []transcript.RecognizedWord{{Start: 2.45, End: 2.9, Text: "Yes."}}},
	}
	if diff := cmp.Diff(want, got.Segments, cmpopts.EquateApprox(0, 1e-9)); diff != "" {
		t.Errorf("recognized (-want +got):\n%s", diff)
	}
	wantAsked := []asked{{path: "/v1/audio/transcriptions", authorization: "Bearer " + key, file: 44 + 4*32000, form: map[string][]string{
		"model": {"whisper-1"}, "language": {"en"}, "temperature": {"0"}, "response_format": {"verbose_json"}, "timestamp_granularities[]": {"segment", "word"},
	}}}
	if diff := cmp.Diff(wantAsked, seen(), cmp.AllowUnexported(asked{})); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
}

// Servers that support less get simpler requests, and only once a request that asks
// for too much.
func TestServerThatKnowsLess(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		refuse func(form map[string][]string) bool
		answer string
		timing transcript.Timing
		asked  int
	}{
		{"words", func(f map[string][]string) bool { return len(f["timestamp_granularities[]"]) == 2 }, `{"text":"Hello.","segments":[{"start":0,"end":2,"text":"Hello."}]}`, transcript.BySegment, 3},
		{"everything but text", func(f map[string][]string) bool { return f["response_format"][0] != "json" }, `{"text":"Hello."}`, transcript.ByAnswer, 4},
		{"nothing, but it leaves times out", func(map[string][]string) bool { return false }, `{"text":"Hello.","segments":[{"text":"Hello."}]}`, transcript.ByAnswer, 2},
		{"nothing, but all times are zero", func(map[string][]string) bool { return false }, `{"text":"Hello.","segments":[{"start":0,"end":0,"text":"Hello."}]}`, transcript.ByAnswer, 2},
		{"segments", func(map[string][]string) bool { return false }, `{"text":"Hello.","words":[{"word":"Hello.","start":0.5,"end":1,"probability":0.7}]}`, transcript.ByWord, 2},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			engine, seen := server(t, func(_ int, w http.ResponseWriter, r *http.Request) {
				if tc.refuse(r.MultipartForm.Value) {
					http.Error(w, `{"error":{"message":"response_format is not compatible with model"}}`, http.StatusBadRequest)
					return
				}
				_, _ = io.WriteString(w, tc.answer)
			})
			for range 2 {
				recognized, err := engine.Transcribe(t.Context(), sound(t, 3))
				if err != nil {
					t.Fatal(err)
				}
				made := transcript.Assemble(engine.Head("en"), []transcript.Answer{{QuestionID: "q", End: 3 * time.Second, Recognition: recognized}})
				if made.Timing != tc.timing || len(made.Segments) != 1 || made.Segments[0].Text != "Hello." {
					t.Errorf("%s: %+v; want %s", made.Timing, made.Segments, tc.timing)
				}
			}
			if n := len(seen()); n != tc.asked {
				t.Errorf("asked %d times, want %d", n, tc.asked)
			}
		})
	}
}

// A server that refuses one sound in every format, because it is too short or in a language that it
// does not know, is asked for words in the next one.
func TestServerRefusesOneSound(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusBadRequest, http.StatusUnprocessableEntity} {
		engine, seen := server(t, func(n int, w http.ResponseWriter, _ *http.Request) {
			if n <= 3 {
				http.Error(w, `{"error":{"message":"Audio file is too short."}}`, status)
				return
			}
			_, _ = io.WriteString(w, verbose)
		})
		if _, err := engine.Transcribe(t.Context(), sound(t, 0)); err == nil {
			t.Errorf("%d: transcribed, want the refusal", status)
		}
		if _, err := engine.Transcribe(t.Context(), sound(t, 4)); err != nil {
			t.Errorf("%d: %v", status, err)
		}
		all := seen()
		if diff := cmp.Diff([]string{"segment", "word"}, all[len(all)-1].form["timestamp_granularities[]"]); diff != "" || len(all) != 4 {
			t.Errorf("%d: asked %d times, want 4; the last time for (-want +got):\n%s", status, len(all), diff)
		}
	}
}

func TestServerFaults(t *testing.T) {
	t.Parallel()
	status := func(code int, text string) func(int, http.ResponseWriter, *http.Request) {
		return func(_ int, w http.ResponseWriter, _ *http.Request) { http.Error(w, text, code) }
	}
	for _, tc := range []struct {
		name   string
		answer func(n int, w http.ResponseWriter, r *http.Request)
		want   string // in the error; empty when there is none
		asked  int
	}{
		{"away for a moment", func(n int, w http.ResponseWriter, _ *http.Request) {
			if n < 3 {
				http.Error(w, "starting", http.StatusServiceUnavailable)
				return
			}
			_, _ = io.WriteString(w, verbose)
		}, "", 3},
		{"busy for a moment", func(n int, w http.ResponseWriter, _ *http.Request) {
			if n == 1 {
				w.Header().Set("Retry-After", "-5")
				http.Error(w, "slow down", http.StatusTooManyRequests)
				return
			}
			_, _ = io.WriteString(w, verbose)
		}, "", 2},
		{"away", status(http.StatusBadGateway, "no backend"), "status 502: no backend", 3},
		{"key refused", status(http.StatusUnauthorized, "Incorrect API key provided: "+key), "refuses the key (401): check speech.api_key_file: Incorrect API key provided: ***", 1},
		{"no such model", status(http.StatusNotFound, "The model does not exist"), "check speech.url and speech.model: The model does not exist", 1},
		{"refuses everything", status(http.StatusBadRequest, "no"), "status 400: no", 3},
		{"redirects", func(_ int, w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://127.0.0.1:1/elsewhere", http.StatusTemporaryRedirect)
		}, "it redirects (307)", 1},
		{"a page", say("<html>Welcome to nginx</html>"), "not a transcription", 3},
		{"an error as a success", say(`{"error":"out of memory"}`), "it has no text", 3},
		{"truncated", say(verbose[:len(verbose)/2]), "not a transcription", 3},
		{"a list", say(`[]`), "not a transcription", 3},
		{"incomplete", func(_ int, w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100000")
			_, _ = io.WriteString(w, `{"text":"`)
		}, "incomplete", 3},
		{"endless", func(_ int, w http.ResponseWriter, _ *http.Request) {
			for block := strings.Repeat(" ", 1<<16); ; {
				if _, err := io.WriteString(w, block); err != nil {
					return
				}
			}
		}, "its answer is larger than", 3},
		{"silence", say(`{"text":"","segments":[]}`), "", 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			engine, seen := server(t, tc.answer)
			_, err := engine.Transcribe(t.Context(), sound(t, 1))
			if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
			if err != nil && strings.Contains(err.Error(), key) {
				t.Errorf("the error tells the key: %v", err)
			}
			if n := len(seen()); n != tc.asked {
				t.Errorf("asked %d times, want %d", n, tc.asked)
			}
		})
	}
}

func TestServerIsNotThere(t *testing.T) {
	t.Parallel()
	gone := httptest.NewServer(nil)
	gone.Close()
	engine, err := speech.NewServer(speech.ServerConfig{URL: gone.URL + "/v1/", Model: "m", Pauses: []time.Duration{}})
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	if _, err := engine.Transcribe(t.Context(), sound(t, 1)); err == nil || !strings.Contains(err.Error(), "speech server: Post \""+gone.URL+"/v1/audio/transcriptions\"") {
		t.Errorf("got %v, want what could not be reached", err)
	}
}

// A server that drops the connection for one sound is told from one that is away, which is waited
// for much longer. That it crashes on the sound, or stands behind a proxy that lives on when it does
// not, makes no difference.
func TestServerDropsTheConnection(t *testing.T) {
	t.Parallel()
	drop := func(w http.ResponseWriter) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_ = conn.Close()
	}
	for _, tc := range []struct {
		name   string
		answer func(crashed bool, w http.ResponseWriter, r *http.Request)
		outage bool
	}{
		{"for this sound", func(_ bool, w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost {
				drop(w)
			}
		}, false},
		{"in the middle of the answer", func(_ bool, w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, "{")
		}, false},
		{"because it crashed on this sound", func(crashed bool, w http.ResponseWriter, r *http.Request) {
			if crashed || r.Method == http.MethodPost {
				drop(w)
			}
		}, false},
		{"for everybody", func(_ bool, w http.ResponseWriter, _ *http.Request) { drop(w) }, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var crashed atomic.Bool
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				tc.answer(crashed.Load(), w, r)
				crashed.Store(crashed.Load() || r.Method == http.MethodPost)
			}))
			defer s.Close()
			engine, err := speech.NewServer(speech.ServerConfig{URL: s.URL, Model: "m", Pauses: []time.Duration{time.Millisecond}})
			if err != nil {
				t.Fatal(err)
			}
			defer engine.Close()
			if _, err := engine.Transcribe(t.Context(), sound(t, 1)); err == nil || store.Transient(err) != tc.outage {
				t.Errorf("%v: counts as an outage: %t, want %t", err, store.Transient(err), tc.outage)
			}
		})
	}
}

// assay gives up on a server that hangs after a time that depends on the sound's
// length, and at once when the process stops.
func TestServerHangs(t *testing.T) {
	t.Parallel()
	hang := func(_ int, _ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	engine, _ := server(t, hang)
	engine.Pauses, engine.Patience = []time.Duration{}, 100*time.Millisecond
	if _, err := engine.Transcribe(t.Context(), sound(t, 0)); err == nil || !strings.Contains(err.Error(), "did not answer within 100ms") {
		t.Errorf("got %v, want that it did not answer", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	stopping, _ := server(t, func(n int, w http.ResponseWriter, r *http.Request) {
		cancel()
		hang(n, w, r)
	})
	if _, err := stopping.Transcribe(ctx, sound(t, 1)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want Canceled", err)
	}
}

// Long answers go in pieces, whose times are moved.
func TestLongSound(t *testing.T) {
	t.Parallel()
	engine, seen := server(t, func(n int, w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"text":"x","segments":[{"start":1,"end":2,"text":"piece %d"}]}`, n)
	})
	s := sound(t, 16*60)
	recognized, err := engine.Transcribe(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	if len(recognized.Segments) != 2 || recognized.Segments[1].Text != "piece 2" || recognized.Segments[1].Start < 570 || recognized.Segments[1].Start > 602 {
		t.Errorf("recognized %+v, want the second piece at about ten minutes", recognized.Segments)
	}
	all := seen()
	if sum := all[0].file + all[1].file - 2*44; sum != 16*60*32000 {
		t.Errorf("%d bytes of samples were sent, want %d", sum, 16*60*32000)
	}
}

// A sound is cut where it is quiet.
func TestPieces(t *testing.T) {
	t.Parallel()
	samples := make([]byte, 25*32000)
	for i := range samples {
		if second := i / 32000; second != 8 && second != 17 && i%2 == 1 {
			samples[i] = 0x20
		}
	}
	path := filepath.Join(t.TempDir(), "a.wav")
	if err := os.WriteFile(path, speech.WAV(samples), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	got, err := speech.Pieces(f, 10*time.Second, 3*time.Second)
	if err != nil || len(got) != 3 || got[1] < 8 || got[1] > 9 || got[2] < 17 || got[2] > 18 {
		t.Errorf("cut at %v, %v; want in the ninth and in the eighteenth second", got, err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(verbose), 0.0)
	f.Add([]byte(`{"text":"a","words":[{"word":"a","start":1,"end":0}]}`), 600.0)
	f.Add([]byte(`{"segments":[{"start":1e308,"text":"","words":[{}]}],"words":[{},{"word":"x","start":3}]}`), 1.0)
	f.Fuzz(func(t *testing.T, content []byte, offset float64) {
		recognized, err := speech.Parse(content, offset)
		if err != nil {
			return
		}
		wantAssembled(t, recognized)
	})
}

func FuzzSphinx(f *testing.F) {
	f.Add([]byte("hello world\n<s> 0 0.1 1\nhello 0.1 0.5 0.9\nworld(2) 0.6 1.2 1.0001\n</s> 1.2 1.3 1\n"))
	f.Add([]byte("a NaN 1 1\nb 5 1 -1\n++UM++ 1 2 3\n( 1 2 3\n"))
	f.Fuzz(func(t *testing.T, output []byte) { wantAssembled(t, speech.ParseSphinx(output)) })
}

// wantAssembled checks that whatever was recognized makes an ordered transcript.
func wantAssembled(t *testing.T, recognized []transcript.RecognizedSegment) {
	t.Helper()
	made := transcript.Assemble(transcript.Head{}, []transcript.Answer{{End: time.Minute, Recognition: &transcript.Recognition{Segments: recognized}}})
	last := int64(0)
	for _, s := range made.Segments {
		if s.StartMS < last || s.EndMS < s.StartMS || s.EndMS > 60_000 || s.Confidence != nil && (*s.Confidence < 0 || *s.Confidence > 1) {
			t.Errorf("segment %+v after %d", s, last)
		}
		last = s.EndMS
	}
}
