package prose

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/assayhq/assay/internal/interview/openai"
	"github.com/assayhq/assay/store/seal"
)

// How a server is asked.
const (
	defaultPatience = 30 * time.Second // for everything, including further tries
	maxAnswer       = 1 << 20          // bytes
	maxProblem      = 600              // bytes of what is said about a failure
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
	server *openai.Server
}

// New returns a client. Close closes its connections.
func New(c Config) (*Client, error) {
	if c.Patience == 0 {
		c.Patience = defaultPatience
	}
	server, err := openai.New(openai.Config{
		Section: "prose", URL: c.URL, Path: "chat/completions", Purpose: "chat", APIKey: c.APIKey, Roots: c.Roots, MaxAnswer: maxAnswer,
	})
	return &Client{c, server}, err
}

// Close closes unused connections.
func (c *Client) Close() { c.server.Close() }

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

// askModel asks for an answer in the form of the schema. Servers that refuse the
// schema are asked for any JSON, and then without a form.
func (c *Client) askModel(ctx context.Context, messages []message) (string, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, c.Patience, fmt.Errorf("it did not answer within %s", c.Patience))
	defer cancel()
	for form, format := range []string{schemaFormat, `{"type":"json_object"}`, ""} {
		text, err := c.sendRequest(ctx, request{Model: c.Model, Messages: messages, ResponseFormat: json.RawMessage(format)})
		if r, refused := errors.AsType[*openai.Refusal](err); refused && r.RefusesForm() && form < 2 {
			continue
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
	content, err := c.server.Post(ctx, "application/json", bytes.NewReader(body), int64(len(body)))
	if err != nil {
		return "", err
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
