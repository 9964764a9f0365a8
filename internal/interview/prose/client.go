package prose

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/assayhq/assay/store/seal"
)

// How a server is asked.
const (
	defaultPatience = 30 * time.Second // for everything, including further tries
	connectLimit    = 10 * time.Second
	maxAnswer       = 1 << 20 // bytes
	maxExcerpt      = 300     // of a server's error message
)

// Config is what a Client needs.
type Config struct {
	// URL is where the API begins, such as http://127.0.0.1:8000/v1; /v1 may be
	// left out. The operator sets it, so it may be on this machine.
	URL      string
	Model    string
	APIKey   seal.Secret    // zero means that none is sent
	Roots    *x509.CertPool // nil means the system's
	Patience time.Duration  // for an answer; default 30 s
}

// Client asks a language model.
type Client struct {
	Config
	address string
	client  *http.Client
}

// New returns a client. Close closes its connections.
func New(c Config) (*Client, error) {
	u, err := url.Parse(c.URL)
	if err != nil || u.Host == "" {
		return nil, errors.New("prose.url is not a URL such as http://127.0.0.1:8000/v1")
	}
	if strings.Trim(u.Path, "/") == "" {
		u.Path = "/v1"
	}
	if c.Patience == 0 {
		c.Patience = defaultPatience
	}
	return &Client{Config: c, address: u.JoinPath("chat/completions").String(), client: &http.Client{
		Transport: &http.Transport{
			DialContext:         (&net.Dialer{Timeout: connectLimit}).DialContext,
			TLSClientConfig:     &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: c.Roots},
			TLSHandshakeTimeout: connectLimit, ForceAttemptHTTP2: true, IdleConnTimeout: time.Minute, MaxIdleConnsPerHost: 2,
		},
		// Redirects are not followed, so that a transcript and a key go to no other
		// server.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// Close closes unused connections.
func (c *Client) Close() { c.client.CloseIdleConnections() }

// message is one message of a chat.
type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// request is the body of POST /chat/completions.
type request struct {
	Model          string          `json:"model"`
	Messages       []message       `json:"messages"`
	Temperature    float64         `json:"temperature"`
	Stream         bool            `json:"stream"`
	ResponseFormat json.RawMessage `json:"response_format,omitempty"`
}

// refusal is an answer with an error status.
type refusal struct {
	status int
	text   string
}

// Error implements error.
func (r *refusal) Error() string {
	switch {
	case r.status == http.StatusUnauthorized, r.status == http.StatusForbidden:
		return fmt.Sprintf("it refuses the key (%d): check prose.api_key_file: %s", r.status, r.text)
	case r.status == http.StatusNotFound, r.status == http.StatusMethodNotAllowed:
		return fmt.Sprintf("it has no chat there, or no such model (%d): check prose.url and prose.model: %s", r.status, r.text)
	case r.status/100 == 3:
		return fmt.Sprintf("it redirects (%d): set prose.url to its final address", r.status)
	}
	return fmt.Sprintf("status %d: %s", r.status, r.text)
}

// askModel asks for an answer in the form of the schema. Servers that refuse the
// schema are asked for any JSON, and then without a form.
func (c *Client) askModel(ctx context.Context, messages []message) (string, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, c.Patience, fmt.Errorf("it did not answer within %s", c.Patience))
	defer cancel()
	for form, format := range []string{schemaFormat, `{"type":"json_object"}`, ""} {
		text, err := c.sendRequest(ctx, request{Model: c.Model, Messages: messages, ResponseFormat: json.RawMessage(format)})
		r, refused := errors.AsType[*refusal](err)
		if refused && (r.status == http.StatusBadRequest || r.status == http.StatusUnprocessableEntity) && form < 2 {
			continue
		}
		if err != nil && ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return text, err
	}
	return "", errors.New("it was not asked") // the last form returns
}

// sendRequest sends a request once.
func (c *Client) sendRequest(ctx context.Context, r request) (string, error) {
	body, err := json.Marshal(r)
	if err != nil {
		return "", err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.address, bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	if !c.APIKey.IsZero() {
		req.Header.Set("Authorization", "Bearer "+c.APIKey.Reveal())
	}
	answer, err := c.client.Do(req)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	content, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("read the answer: %w", err)
	case answer.StatusCode != http.StatusOK:
		return "", &refusal{answer.StatusCode, cleanText(string(content), maxExcerpt)}
	case len(content) > maxAnswer:
		return "", fmt.Errorf("its answer is longer than %d bytes", maxAnswer)
	}
	return firstChoice(content)
}

// firstChoice returns the text of an answer.
func firstChoice(content []byte) (string, error) {
	var a struct {
		Choices []struct {
			Message struct {
				Content *string `json:"content"`
			} `json:"message"`
		} `json:"choices"`
	}
	if err := json.Unmarshal(content, &a); err != nil {
		return "", fmt.Errorf("its answer is not JSON: %w", err)
	}
	if len(a.Choices) == 0 || a.Choices[0].Message.Content == nil {
		return "", errors.New("its answer has no text")
	}
	return *a.Choices[0].Message.Content, nil
}

// cleanText cuts a text to at most n bytes, and drops invalid characters.
func cleanText(text string, most int) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r == 0x7f || r == '\uFFFD' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, ""))
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "")
	}
	return text
}
