package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// client calls the service's API.
type client struct {
	base string
	key  string
	http *http.Client
}

// maxAnswer bounds an answer that is read.
const maxAnswer = 8 << 20

// callAPI sends a request and decodes a 2xx answer into out, which may be nil.
func (c *client) callAPI(ctx context.Context, method, path string, in, out any) error {
	var body io.Reader
	if in != nil {
		encoded, err := json.Marshal(in)
		if err != nil {
			return err
		}
		body = bytes.NewReader(encoded)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, body)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+c.key)
	if in != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	status, answer, err := doRequest(c.http, req)
	if err != nil {
		return err
	}
	if status/100 != 2 {
		return &apiError{method: method, path: path, status: status, body: strings.TrimSpace(string(answer))}
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(answer, out); err != nil {
		return fmt.Errorf("answer to %s %s: %w", method, path, err)
	}
	return nil
}

// apiError is an answer that is not a success.
type apiError struct {
	method, path string
	status       int
	body         string
}

func (e *apiError) Error() string {
	return fmt.Sprintf("%s %s: HTTP %d %s", e.method, e.path, e.status, e.body)
}

// getPage asks for a page without credentials.
func getPage(ctx context.Context, c *http.Client, url string) (status int, body []byte, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, nil, err
	}
	return doRequest(c, req)
}

func doRequest(c *http.Client, req *http.Request) (status int, body []byte, err error) {
	resp, err := c.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	body, err = io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	return resp.StatusCode, body, err
}
