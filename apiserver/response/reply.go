package response

import (
	"fmt"
	"net/http"
	"strconv"

	"github.com/go-json-experiment/json"

	"github.com/assayhq/assay/apiserver/coding"
	"github.com/assayhq/assay/store/idempotency"
)

// Reply is a successful response of a route that changes something. Repetitions of the request
// with the same Idempotency-Key get the same response.
type Reply struct {
	Status   int
	Location string // path of the new object; empty if none was created
	Body     any    // nil: none
	Item     bool   // Body is what a GET of the same path returns, and gets its tag
	// Again replaces Body in responses to repetitions if Body contains a secret that is shown
	// once. If it is nil, Body is repeated.
	Again any
}

// Write sends the reply.
func (p Reply) Write(w http.ResponseWriter) error {
	if p.Location != "" {
		w.Header().Set("Location", p.Location)
	}
	if p.Body == nil {
		w.WriteHeader(p.Status)
		return nil
	}
	made, err := encodeItem(p.Body)
	if err != nil {
		return err
	}
	if p.Item {
		tag := made.Tag
		if p.Status == http.StatusOK {
			tag = made.tagFor(w)
		}
		w.Header().Set(headerETag, tag)
	}
	WriteBody(w, p.Status, MediaJSON, made.Body)
	return nil
}

// RepeatedAnswer encodes the response for repetitions.
func (p Reply) RepeatedAnswer() (idempotency.Answer, error) {
	body := p.Body
	if p.Again != nil {
		body = p.Again
	}
	a := idempotency.Answer{Status: p.Status, Location: p.Location}
	if body == nil {
		return a, nil
	}
	text, err := EncodeJSON(body)
	a.Body = text
	return a, err
}

// EncodeJSON returns the text of a response. Nil slices are empty arrays, nil pointers are null,
// and members have a fixed order.
func EncodeJSON(v any) ([]byte, error) {
	body, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("encode answer: %w", err)
	}
	return body, nil
}

// AnswerJSON encodes v and answers 200 with it.
func AnswerJSON(w http.ResponseWriter, v any) error {
	body, err := EncodeJSON(v)
	if err != nil {
		return err
	}
	WriteBody(w, http.StatusOK, MediaJSON, body)
	return nil
}

// WriteBody answers with a text of a media type.
func WriteBody(w http.ResponseWriter, status int, media string, body []byte) {
	if status == http.StatusOK && usesGzip(w, len(body)) {
		w.Header().Set("Content-Encoding", "gzip")
		body = coding.Gzip(body)
	}
	w.Header().Set("Content-Type", media)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	// An error means that the client has gone.
	_, _ = w.Write(body)
}
