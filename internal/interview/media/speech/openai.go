package speech

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/assayhq/assay/internal/interview/media/transcript"
	"github.com/assayhq/assay/internal/interview/openai"
	"github.com/assayhq/assay/store/seal"
)

// maxAnswer bounds an answer, in bytes.
const maxAnswer = 32 << 20

// asking is a request format: what the answer should contain.
type asking int

// The request formats, the best first. If a server refuses one, it gets the next.
const (
	withWords    asking = iota // segments and words with times
	withSegments               // segments with times
	plainText                  // text alone
)

// ServerConfig is what a Server needs.
type ServerConfig struct {
	// URL is where the API begins, such as http://127.0.0.1:9000/v1; /v1 may be
	// left out. The operator sets it, so it may be on this machine.
	URL    string
	Model  string
	APIKey seal.Secret     // zero means that none is sent
	Roots  *x509.CertPool  // nil means the system's
	Pauses []time.Duration // before each further try; default 1 s, 4 s
	// Patience is how much longer an answer may take than four times the sound's
	// length. Default two minutes.
	Patience time.Duration
}

// Server is an engine that speaks OpenAI's protocol over HTTP.
type Server struct {
	ServerConfig
	server *openai.Server
	way    atomic.Int32 // the format that the server has accepted
}

// NewServer returns an engine. Close closes its connections.
func NewServer(c ServerConfig) (*Server, error) {
	if c.Pauses == nil {
		c.Pauses = []time.Duration{time.Second, 4 * time.Second}
	}
	if c.Patience == 0 {
		c.Patience = 2 * time.Minute
	}
	server, err := openai.New(openai.Config{
		Section: "speech", URL: c.URL, Path: "audio/transcriptions", Purpose: "transcriptions", APIKey: c.APIKey, Roots: c.Roots, MaxAnswer: maxAnswer,
	})
	return &Server{ServerConfig: c, server: server}, err
}

// Close closes unused connections.
func (s *Server) Close() { s.server.Close() }

// Head implements Engine.
func (s *Server) Head(language string) transcript.Head {
	return transcript.Head{Engine: "openai", Model: s.Model, Language: language, Quality: transcript.Standard}
}

// Transcribe implements Engine. It sends long sounds in pieces.
func (s *Server) Transcribe(ctx context.Context, sound Sound) (*transcript.Recognition, error) {
	f, err := os.Open(sound.Path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	parts, data, err := cutPieces(f, pieceLength, cutWithin)
	if err != nil {
		return nil, err
	}
	recognized, present := &transcript.Recognition{}, s.server.IsPresent(ctx)
	for _, part := range parts {
		said, err := s.transcribePiece(ctx, f, part, sound.Language)
		if err != nil && present && ctx.Err() == nil {
			err = unanswered{err}
		}
		if err != nil {
			return nil, fmt.Errorf("speech server: %w", err)
		}
		recognized.Segments = append(recognized.Segments, said.toSegments(part.startSeconds(data))...)
	}
	return recognized, nil
}

// unanswered is why a server that answers others did not transcribe a sound. It hides its cause,
// because a lost connection counts as an outage of the server, which is waited for, and this sound
// may make it crash each time.
type unanswered struct{ error }

// transcribePiece repeats the request until there is an answer, a permanent refusal, or
// no try left. Only an answer decides the format of later requests, because a server may also refuse
// the sound itself.
func (s *Server) transcribePiece(ctx context.Context, f *os.File, part piece, language string) (*said, error) {
	accepted := s.way.Load()
	way := asking(accepted)
	for try := 0; ; {
		recognized, err := s.sendPiece(ctx, f, part, language, way)
		if err == nil {
			s.way.CompareAndSwap(accepted, int32(way))
			return recognized, nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		r, refused := errors.AsType[*openai.Refusal](err)
		if refused && r.RefusesForm() && way < plainText {
			way++
			continue
		}
		if refused && !r.IsTemporary() || try == len(s.Pauses) {
			return nil, err
		}
		wait := s.Pauses[try]
		if refused {
			wait = max(wait, r.After)
		}
		try++
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(wait):
		}
	}
}

// sendPiece sends a piece once.
func (s *Server) sendPiece(ctx context.Context, f *os.File, part piece, language string, way asking) (*said, error) {
	limit := s.Patience + 4*part.length()
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("it did not answer within %s", limit))
	defer cancel()
	body, size, contentType, err := s.requestForm(f, part, language, way)
	if err != nil {
		return nil, err
	}
	content, err := s.server.Post(ctx, contentType, body, size)
	if err != nil {
		return nil, err
	}
	recognized, err := parseAnswer(content)
	if err != nil {
		return nil, fmt.Errorf("its answer is not a transcription (%w): %s", err, s.server.Excerpt(content))
	}
	return recognized, nil
}

// requestForm returns the request's body. The file is read while it is sent.
func (s *Server) requestForm(f *os.File, part piece, language string, way asking) (body io.Reader, size int64, contentType string, err error) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	base, _, _ := strings.Cut(language, "-")
	fields := [][2]string{{"model", s.Model}, {"language", base}, {"temperature", "0"}, {"response_format", "json"}}
	if way < plainText {
		fields[3][1] = "verbose_json"
		fields = append(fields, [2]string{"timestamp_granularities[]", "segment"})
	}
	if way == withWords {
		fields = append(fields, [2]string{"timestamp_granularities[]", "word"})
	}
	for _, field := range fields {
		if err := w.WriteField(field[0], field[1]); err != nil {
			return nil, 0, "", err
		}
	}
	if _, err := w.CreateFormFile("file", "answer.wav"); err != nil {
		return nil, 0, "", err
	}
	head := bytes.Clone(b.Bytes())
	if err := w.Close(); err != nil {
		return nil, 0, "", err
	}
	foot := b.Bytes()[len(head):]
	sound, length := part.open(f)
	return io.MultiReader(bytes.NewReader(head), sound, bytes.NewReader(foot)), int64(b.Len()) + length, w.FormDataContentType(), nil
}

// said is an answer of a server.
type said struct {
	Text     *string       `json:"text"`
	Segments []saidSegment `json:"segments"`
	Words    []saidWord    `json:"words"`
}

type saidSegment struct {
	Start      *float64   `json:"start"`
	End        *float64   `json:"end"`
	Text       string     `json:"text"`
	AvgLogprob *float64   `json:"avg_logprob"`
	NoSpeech   *float64   `json:"no_speech_prob"`
	Words      []saidWord `json:"words"`
}

type saidWord struct {
	Word        string   `json:"word"`
	Start       *float64 `json:"start"`
	End         *float64 `json:"end"`
	Probability *float64 `json:"probability"`
}

// parseAnswer reads an answer.
func parseAnswer(content []byte) (*said, error) {
	var s said
	if err := json.Unmarshal(content, &s); err != nil {
		return nil, err
	}
	if s.Text == nil && s.Segments == nil && s.Words == nil {
		return nil, errors.New("it has no text")
	}
	return &s, nil
}
