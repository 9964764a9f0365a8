package speech

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/assayhq/assay/internal/interview/media/transcript"
	"github.com/assayhq/assay/store/seal"
)

// How a server is asked.
const (
	maxAnswer  = 32 << 20 // bytes of an answer
	maxExcerpt = 300      // of a server's error message
	maxWait    = time.Minute

	connectLimit = 10 * time.Second
)

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
	address string
	client  *http.Client
	way     atomic.Int32 // the format that the server has accepted
}

// NewServer returns an engine. Close closes its connections.
func NewServer(c ServerConfig) (*Server, error) {
	u, err := url.Parse(c.URL)
	if err != nil || u.Host == "" {
		return nil, errors.New("speech.url is not a URL such as http://127.0.0.1:9000/v1")
	}
	if strings.Trim(u.Path, "/") == "" {
		u.Path = "/v1"
	}
	if c.Pauses == nil {
		c.Pauses = []time.Duration{time.Second, 4 * time.Second}
	}
	if c.Patience == 0 {
		c.Patience = 2 * time.Minute
	}
	transport := &http.Transport{
		DialContext:         (&net.Dialer{Timeout: connectLimit}).DialContext,
		TLSClientConfig:     &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: c.Roots},
		TLSHandshakeTimeout: connectLimit, ForceAttemptHTTP2: true, IdleConnTimeout: time.Minute, MaxIdleConnsPerHost: 4,
	}
	return &Server{ServerConfig: c, address: u.JoinPath("audio/transcriptions").String(), client: &http.Client{
		Transport: transport,
		// Redirects are not followed, so that a recording and a key go to no other
		// server.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// Close closes unused connections.
func (s *Server) Close() { s.client.CloseIdleConnections() }

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
	recognized := &transcript.Recognition{}
	for _, part := range parts {
		said, err := s.transcribePiece(ctx, f, part, sound.Language)
		if err != nil {
			return nil, fmt.Errorf("speech server: %w", err)
		}
		recognized.Segments = append(recognized.Segments, said.toSegments(part.startSeconds(data))...)
	}
	return recognized, nil
}

// refusal is an answer with an error status.
type refusal struct {
	status int
	after  time.Duration // Retry-After; 0 when absent
	text   string
}

// Error implements error.
func (r *refusal) Error() string {
	switch r.status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return fmt.Sprintf("it refuses the key (%d): check speech.api_key_file: %s", r.status, r.text)
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		return fmt.Sprintf("it has no transcriptions there, or no such model (%d): check speech.url and speech.model: %s", r.status, r.text)
	}
	if r.status/100 == 3 {
		return fmt.Sprintf("it redirects (%d): set speech.url to its final address", r.status)
	}
	return fmt.Sprintf("status %d: %s", r.status, r.text)
}

// isTemporary reports whether the same request may succeed soon.
func (r *refusal) isTemporary() bool {
	return r.status == http.StatusTooManyRequests || r.status == http.StatusRequestTimeout || r.status >= 500
}

// transcribePiece repeats the request until there is an answer, a permanent refusal, or
// no try left.
func (s *Server) transcribePiece(ctx context.Context, f *os.File, part piece, language string) (*said, error) {
	for try := 0; ; {
		way := asking(s.way.Load())
		recognized, err := s.sendPiece(ctx, f, part, language, way)
		if err == nil {
			return recognized, nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		r, refused := errors.AsType[*refusal](err)
		if refused && (r.status == http.StatusBadRequest || r.status == http.StatusUnprocessableEntity) && way < plainText {
			s.way.CompareAndSwap(int32(way), int32(way+1))
			continue
		}
		if refused && !r.isTemporary() || try == len(s.Pauses) {
			return nil, err
		}
		wait := s.Pauses[try]
		if refused {
			wait = max(wait, min(r.after, maxWait))
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
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.address, body)
	if err != nil {
		return nil, err
	}
	req.ContentLength = size
	req.Header.Set("Content-Type", contentType)
	req.Header.Set("Accept", "application/json")
	if !s.APIKey.IsZero() {
		req.Header.Set("Authorization", "Bearer "+s.APIKey.Reveal())
	}
	resp, err := s.client.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, err
	}
	defer resp.Body.Close()
	content, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, fmt.Errorf("its answer is incomplete: %w", err)
	case len(content) > maxAnswer:
		return nil, fmt.Errorf("its answer is larger than %d bytes", maxAnswer)
	case resp.StatusCode != http.StatusOK:
		return nil, &refusal{resp.StatusCode, retryAfter(resp.Header), s.excerptOf(content)}
	}
	recognized, err := parseAnswer(content)
	if err != nil {
		return nil, fmt.Errorf("its answer is not a transcription (%w): %s", err, s.excerptOf(content))
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

// excerptOf returns the beginning of a server's message, on one line and without
// the key, which some servers repeat.
func (s *Server) excerptOf(content []byte) string {
	text := strings.Join(strings.Fields(strings.ToValidUTF8(string(content[:min(len(content), 4*maxExcerpt)]), "?")), " ")
	if key := s.APIKey.Reveal(); key != "" {
		text = strings.ReplaceAll(text, key, "***")
	}
	if len(text) > maxExcerpt {
		text = strings.ToValidUTF8(text[:maxExcerpt], "") + "…"
	}
	return text
}

// retryAfter returns the seconds in the header, or 0 for any other value.
func retryAfter(h http.Header) time.Duration {
	n, err := strconv.Atoi(h.Get("Retry-After"))
	if err != nil || n < 0 {
		return 0
	}
	return time.Duration(min(n, int(maxWait.Seconds()))) * time.Second
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
