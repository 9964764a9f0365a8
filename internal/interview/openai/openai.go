// Package openai calls servers that speak OpenAI's protocol over HTTP, such as whisper.cpp, vLLM and
// llama.cpp. The operator names the server, so it may be on this machine.
package openai

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/assayhq/assay/store/seal"
)

const (
	connectLimit = 10 * time.Second
	maxExcerpt   = 300 // bytes of a server's message
	maxAfter     = time.Minute
)

// Config is what a Server needs.
type Config struct {
	// Section is the section of the configuration that names the server, for errors.
	Section string
	// URL is where the API begins, such as http://127.0.0.1:8000/v1; /v1 may be left out.
	URL string
	// Path is the operation's path below URL, and Purpose what it is for, such as "chat".
	Path, Purpose string
	APIKey        seal.Secret    // zero means that none is sent
	Roots         *x509.CertPool // nil means the system's
	MaxAnswer     int64          // bytes
}

// Server is one operation of a server.
type Server struct {
	config  Config
	address string
	client  *http.Client
}

// New returns a server. Close closes its connections.
func New(c Config) (*Server, error) {
	u, err := url.Parse(c.URL)
	if err != nil || u.Host == "" {
		return nil, fmt.Errorf("%s.url is not a URL such as http://127.0.0.1:8000/v1", c.Section)
	}
	if strings.Trim(u.Path, "/") == "" {
		u.Path = "/v1"
	}
	return &Server{config: c, address: u.JoinPath(c.Path).String(), client: &http.Client{
		Transport: &http.Transport{
			DialContext:         (&net.Dialer{Timeout: connectLimit}).DialContext,
			TLSClientConfig:     &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: c.Roots},
			TLSHandshakeTimeout: connectLimit, ForceAttemptHTTP2: true, IdleConnTimeout: time.Minute, MaxIdleConnsPerHost: 4,
		},
		// Redirects are not followed, so that what a trader said and a key go to no other server.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// Close closes unused connections.
func (s *Server) Close() { s.client.CloseIdleConnections() }

// Post sends a body of size bytes once and returns the answer's. It returns a Refusal for any other
// status than 200, and the cause of ctx once that has ended.
func (s *Server) Post(ctx context.Context, contentType string, body io.Reader, size int64) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.address, body)
	if err != nil {
		return nil, err
	}
	req.ContentLength = size
	req.Header.Set("Content-Type", contentType)
	req.Header.Set("Accept", "application/json")
	if !s.config.APIKey.IsZero() {
		req.Header.Set("Authorization", "Bearer "+s.config.APIKey.Reveal())
	}
	answer, err := s.client.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, err
	}
	defer answer.Body.Close()
	content, err := io.ReadAll(io.LimitReader(answer.Body, s.config.MaxAnswer+1))
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, fmt.Errorf("its answer is incomplete: %w", err)
	case int64(len(content)) > s.config.MaxAnswer:
		return nil, fmt.Errorf("its answer is larger than %d bytes", s.config.MaxAnswer)
	case answer.StatusCode != http.StatusOK:
		return nil, &Refusal{Status: answer.StatusCode, After: retryAfter(answer.Header), text: s.Excerpt(content), config: s.config}
	}
	return content, nil
}

// IsPresent reports whether the server answers a request without a body, in any way.
func (s *Server) IsPresent(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, connectLimit)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodHead, s.address, nil)
	if err != nil {
		return false
	}
	answer, err := s.client.Do(req)
	if err != nil {
		return false
	}
	_ = answer.Body.Close()
	return true
}

// Excerpt returns the beginning of a server's message, on one line and without the key, which some
// servers repeat.
func (s *Server) Excerpt(content []byte) string {
	text := strings.Join(strings.Fields(strings.ToValidUTF8(string(content[:min(len(content), 4*maxExcerpt)]), "?")), " ")
	if key := s.config.APIKey.Reveal(); key != "" {
		text = strings.ReplaceAll(text, key, "***")
	}
	if len(text) > maxExcerpt {
		text = strings.ToValidUTF8(text[:maxExcerpt], "") + "…"
	}
	return text
}

// retryAfter returns the seconds in the header, at most maxAfter, or 0 for any other value.
func retryAfter(h http.Header) time.Duration {
	n, err := strconv.Atoi(h.Get("Retry-After"))
	if err != nil || n < 0 {
		return 0
	}
	return time.Duration(min(n, int(maxAfter.Seconds()))) * time.Second
}

// Refusal is an answer with an error status.
type Refusal struct {
	Status int
	After  time.Duration // how long the server asks to wait, at most a minute; 0 if it does not ask
	text   string
	config Config
}

// Error says what the operator can do.
func (r *Refusal) Error() string {
	section := r.config.Section
	switch {
	case r.Status == http.StatusUnauthorized, r.Status == http.StatusForbidden:
		return fmt.Sprintf("it refuses the key (%d): check %s.api_key_file: %s", r.Status, section, r.text)
	case r.Status == http.StatusNotFound, r.Status == http.StatusMethodNotAllowed:
		return fmt.Sprintf("it has no %s there, or no such model (%d): check %s.url and %s.model: %s", r.config.Purpose, r.Status, section, section, r.text)
	case r.Status/100 == 3:
		return fmt.Sprintf("it redirects (%d): set %s.url to its final address", r.Status, section)
	}
	return fmt.Sprintf("status %d: %s", r.Status, r.text)
}

// IsTemporary reports whether the same request may succeed soon.
func (r *Refusal) IsTemporary() bool {
	return r.Status == http.StatusTooManyRequests || r.Status == http.StatusRequestTimeout || r.Status >= 500
}

// RefusesForm reports whether the server may accept another form of the same request.
func (r *Refusal) RefusesForm() bool {
	return r.Status == http.StatusBadRequest || r.Status == http.StatusUnprocessableEntity
}
