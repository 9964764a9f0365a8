package assay

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"path"
	"strings"
)

// call is one operation with what the caller gave.
type call struct {
	method, path string
	query        any // parameters; nil if there are none
	body         any // io.Reader, Upload, or what is sent as JSON; nil if there is none
	contentType  string
	header       http.Header
	null         []string
	answered     *http.Header
	whole        bool // the answer is read as part of the attempt
}

// File is what an operation answers that is not JSON. The caller must close Body.
type File struct {
	Body        io.ReadCloser
	ContentType string
	Name        string // that the server proposes; empty if it proposes none
}

// exchange sends a call whose answer has no body.
func exchange(ctx context.Context, c *Client, op call, options []CallOption) error {
	res, err := c.do(ctx, op, options)
	if err != nil {
		return err
	}
	return res.Body.Close()
}

// receive sends a call that answers JSON.
func receive[T any](ctx context.Context, c *Client, op call, options []CallOption) (*T, error) {
	op.whole = true
	res, err := c.do(ctx, op, options)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	answer := new(T)
	if err := decodeJSON(res.Body, answer); err != nil {
		return nil, fmt.Errorf("assay: read the answer of %s %s: %w", op.method, op.path, err)
	}
	return answer, nil
}

// decodeJSON reads a body. Numbers whose type is not known, such as those in the metadata of a platform,
// become a json.Number, because a float64 would round or refuse some of them.
func decodeJSON(r io.Reader, answer any) error {
	d := json.NewDecoder(r)
	d.UseNumber()
	return d.Decode(answer)
}

// download sends a call that answers a file.
func download(ctx context.Context, c *Client, op call, options []CallOption) (*File, error) {
	res, err := c.do(ctx, op, options) //nolint:bodyclose // the caller closes it
	if err != nil {
		return nil, err
	}
	f := &File{Body: res.Body, ContentType: res.Header.Get("Content-Type")}
	if _, params, err := mime.ParseMediaType(res.Header.Get("Content-Disposition")); err == nil {
		f.Name = params["filename"]
	}
	return f, nil
}

// do sends a call, as often as it must be sent, and returns its success or its problem.
func (c *Client) do(ctx context.Context, op call, options []CallOption) (*http.Response, error) {
	op.header = http.Header{}
	if op.method == http.MethodPost {
		op.header.Set("Idempotency-Key", rand.Text())
	}
	for _, o := range options {
		o(&op)
	}
	if op.path != path.Clean(op.path) { // a proxy would clean it, and call another operation
		return nil, fmt.Errorf("assay: %s %s: an id is empty or consists of dots", op.method, op.path)
	}
	body, err := op.encode()
	if err != nil {
		return nil, fmt.Errorf("assay: %s %s: %w", op.method, op.path, err)
	}
	address := c.base + op.path
	if query := encodeQuery(op.query); len(query) > 0 {
		address += "?" + query.Encode()
	}
	res, err := c.retry.sendRepeatedly(ctx, op.method, op.header.Get("If-Match") != "", func() (*http.Response, error) { return c.send(ctx, op, address, body) })
	if err != nil {
		return nil, fmt.Errorf("assay: %w", err)
	}
	if op.answered != nil {
		*op.answered = res.Header
	}
	if res.StatusCode >= http.StatusMultipleChoices || op.isForeign(res.Header) {
		return nil, readProblem(res)
	}
	return res, nil
}

// isForeign reports whether a success is not that of the API, such as the page of a proxy that asks to
// sign in. The API's own answers have an id, also those with the HTML files of traders.
func (op *call) isForeign(header http.Header) bool {
	media, _, _ := mime.ParseMediaType(header.Get("Content-Type"))
	return media == "text/html" && (op.whole || header.Get("X-Request-Id") == "")
}

// send sends a call once.
func (c *Client) send(ctx context.Context, op call, address string, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, op.method, address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header = op.header.Clone()
	req.Header.Set("Authorization", "Bearer "+c.key)
	req.Header.Set("User-Agent", userAgent)
	res, err := c.http.Do(req)
	if err != nil || !op.whole {
		return res, err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil { // the connection was lost in the middle of the answer
		return nil, err
	}
	res.Body = io.NopCloser(bytes.NewReader(text))
	return res, nil
}

// encode returns the body and sets its type.
func (op *call) encode() ([]byte, error) {
	switch body := op.body.(type) {
	case nil:
		return nil, nil
	case io.Reader:
		op.header.Set("Content-Type", op.contentType)
		return io.ReadAll(body)
	case Upload:
		contentType, text, err := body.encode()
		op.header.Set("Content-Type", contentType)
		return text, err
	}
	op.header.Set("Content-Type", "application/json")
	text, err := json.Marshal(op.body)
	if err != nil {
		return nil, err
	}
	for _, member := range op.null {
		if text, err = setNull(text, member); err != nil {
			return nil, err
		}
	}
	return text, nil
}

// setNull sets a member of an object to null. The name of a member further inside is preceded by those of
// the objects that contain it, with a point after each. An object that is null stays so, because none of its
// members has a value.
func setNull(object json.RawMessage, member string) (json.RawMessage, error) {
	members := map[string]json.RawMessage{}
	if len(object) > 0 {
		if err := json.Unmarshal(object, &members); err != nil {
			return nil, err
		}
		if members == nil { // the object is null
			return object, nil
		}
	}
	name, inner, nested := strings.Cut(member, ".")
	if !nested {
		members[name] = json.RawMessage("null")
		return json.Marshal(members)
	}
	object, err := setNull(members[name], inner)
	if err != nil {
		return nil, err
	}
	members[name] = object
	return json.Marshal(members)
}

// formatPath puts the values into the places of the path.
func formatPath(format string, values ...string) string {
	for _, v := range values {
		format = strings.Replace(format, "%s", url.PathEscape(v), 1)
	}
	return format
}
