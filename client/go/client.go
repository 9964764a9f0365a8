package assay

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	// slowestAnswer is longer than the server takes for any request, which is 150 seconds for an upload.
	slowestAnswer = 3 * time.Minute
	// userAgent is how the client presents itself.
	userAgent = "assay-client-go"
)

// Client calls the API with one key. It is safe for concurrent use.
type Client struct {
	base  string
	key   string
	http  *http.Client
	retry retryPolicy
}

// Option changes how a client works.
type Option func(*Client)

// WithHTTPClient sends requests through the HTTP client. Its Timeout should be zero, because it
// would end downloads and streams, too: bound calls by their context. Redirects are not followed,
// unless the client has a CheckRedirect.
func WithHTTPClient(client *http.Client) Option {
	return func(c *Client) {
		own := *client
		c.http = &own
	}
}

// WithRetries sends a request again up to n times. The default is 4, and 0 disables it.
func WithRetries(n int) Option {
	return func(c *Client) { c.retry.retries = n }
}

// WithLongestWait bounds how long the client waits before it sends a request again. If the server
// asks for more, the client returns the server's problem. The default is 65 seconds, because the
// rate limit counts the requests of a minute.
func WithLongestWait(d time.Duration) Option {
	return func(c *Client) { c.retry.longest = d }
}

// New returns a client of the server at the URL, such as https://assay.example.com, that sends the
// API key. A /v1 at the end of the URL is ignored.
func New(baseURL, key string, options ...Option) (*Client, error) {
	base, err := url.Parse(baseURL)
	key = strings.TrimSpace(key) // a file's ends with a line break
	switch {
	case err != nil:
		return nil, fmt.Errorf("assay: %w", err)
	case base.Scheme != "https" && base.Scheme != "http" || base.Host == "" || base.RawQuery != "" || base.Fragment != "":
		return nil, fmt.Errorf("assay: %q is not the URL of a server, such as https://assay.example.com", baseURL)
	case key == "":
		return nil, errors.New("assay: an API key is required")
	case strings.ContainsFunc(key, func(r rune) bool { return r < '!' || r > '~' }):
		return nil, errors.New("assay: the API key has characters that no key has")
	}
	transport := http.DefaultTransport
	if t, ok := transport.(*http.Transport); ok {
		t = t.Clone()
		t.ResponseHeaderTimeout = slowestAnswer
		transport = t
	}
	c := &Client{
		base: strings.TrimRight(strings.TrimSuffix(strings.TrimRight(baseURL, "/"), "/v1"), "/"), key: key,
		http: &http.Client{Transport: transport}, retry: retryPolicy{retries: 4, longest: 65 * time.Second},
	}
	for _, o := range options {
		o(c)
	}
	if c.http.CheckRedirect == nil { // a redirected POST would become a GET, and succeed without having changed anything
		c.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	}
	return c, nil
}
