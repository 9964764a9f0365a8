package speech_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/internal/interview/media/speech"
	"github.com/assayhq/assay/internal/interview/media/transcript"
)

// startWhisper stands in for whisper.cpp's server, which is started with --inference-path PATH. It reads a request
// and writes an answer as that server does: fields of the form that it does not know are ignored, and errors
// of the path and of the recording are texts.
func startWhisper(t *testing.T, path string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		refuse := func(status int, kind, text string) {
			w.Header().Set("Content-Type", kind)
			w.WriteHeader(status)
			_, _ = io.WriteString(w, text)
		}
		if r.Method != http.MethodPost || r.URL.Path != path {
			refuse(http.StatusNotFound, "text/plain", "File Not Found ("+r.URL.Path+")")
			return
		}
		file, _, err := r.FormFile("file")
		if err != nil {
			refuse(http.StatusBadRequest, "application/json", `{"error":"no 'file' field in the request"}`)
			return
		}
		defer file.Close()
		head := make([]byte, 4)
		if _, err := io.ReadFull(file, head); err != nil || string(head) != "RIFF" {
			refuse(http.StatusBadRequest, "application/json", `{"error":"failed to read audio data"}`)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		if r.FormValue("response_format") != "verbose_json" {
			_, _ = io.WriteString(w, `{"text":" I trade GBPUSD, at 9.\n"}`)
			return
		}
		_, _ = io.WriteString(w, whisperAnswer)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// whisperAnswer lists the tokens of the model as words, and writes hundredths of seconds as they are computed.
const whisperAnswer = `{"task":"transcribe","language":"english","duration":3.0,"text":" I trade GBPUSD, at 9.\n","segments":[` +
	`{"id":0,"text":" I trade GBPUSD, at 9.","start":0.0,"end":2.58,"tokens":[286,4923,25353,47,4592,11,412,1722,13],"words":[` +
	`{"word":" I","start":0.1,"end":0.22,"t_dtw":-1,"probability":0.98},` +
	`{"word":" trade","start":0.22,"end":0.5700000000000001,"t_dtw":-1,"probability":0.9599999785423279},` +
	`{"word":" GB","start":0.5700000000000001,"end":0.81,"t_dtw":-1,"probability":0.91},` +
	`{"word":"P","start":0.81,"end":0.9,"t_dtw":-1,"probability":0.88},` +
	`{"word":"USD","start":0.9,"end":1.4000000000000001,"t_dtw":-1,"probability":0.97},` +
	`{"word":",","start":1.4000000000000001,"end":1.5,"t_dtw":-1,"probability":0.31},` +
	`{"word":" at","start":1.5,"end":1.9000000000000001,"t_dtw":-1,"probability":0.99},` +
	`{"word":" 9","start":1.9000000000000001,"end":2.4,"t_dtw":-1,"probability":0.93},` +
	`{"word":".","start":2.4,"end":2.58,"t_dtw":-1,"probability":0.6}],` +
	`"temperature":0.0,"avg_logprob":-0.12,"no_speech_prob":0.0123}],` +
	`"detected_language":"english","detected_language_probability":0.99,"language_probabilities":{"en":0.99,"de":0.004}}`

// TestWhisper transcribes with the settings of the guide.
func TestWhisper(t *testing.T) {
	t.Parallel()
	engine := whisperEngine(t, startWhisper(t, "/v1/audio/transcriptions")+"/v1")
	recognized, err := engine.Transcribe(t.Context(), sound(t, 3))
	if err != nil {
		t.Fatal(err)
	}
	made := transcript.Assemble(engine.Head("en"), []transcript.Answer{{QuestionID: "q", End: 3 * time.Second, Recognition: recognized}})
	if made.Timing != transcript.ByWord || len(made.Segments) != 1 {
		t.Fatalf("%s: %+v", made.Timing, made.Segments)
	}
	var words []string
	for _, w := range made.Segments[0].Words {
		words = append(words, fmt.Sprintf("%s %d-%d %.2f", w.Text, w.StartMS, w.EndMS, *w.Confidence))
	}
	want := []string{"I 100-220 0.98", "trade 220-570 0.96", "GBPUSD, 570-1500 0.88", "at 1500-1900 0.99", "9. 1900-2580 0.93"}
	if diff := cmp.Diff(want, words); diff != "" {
		t.Errorf("words (-want +got):\n%s", diff)
	}
}

// TestWhisperElsewhere asks a server that was started without --inference-path.
func TestWhisperElsewhere(t *testing.T) {
	t.Parallel()
	_, err := whisperEngine(t, startWhisper(t, "/inference")).Transcribe(t.Context(), sound(t, 1))
	if err == nil || !strings.Contains(err.Error(), "check speech.url") || !strings.Contains(err.Error(), "File Not Found (/v1/audio/transcriptions)") {
		t.Errorf("got %v", err)
	}
}

func whisperEngine(t *testing.T, url string) *speech.Server {
	t.Helper()
	engine, err := speech.NewServer(speech.ServerConfig{URL: url, Model: "large-v3-turbo"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(engine.Close)
	return engine
}
