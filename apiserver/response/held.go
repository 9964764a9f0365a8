package response

import (
	"bytes"
	"cmp"
	"maps"
	"net/http"
)

// Held is a response that is kept until it is known whether to send it.
type Held struct {
	header http.Header
	status int // 0 until the header is written
	body   bytes.Buffer
}

// Hold returns an empty response with the headers that w has so far. Nothing reaches w until Send.
func Hold(w http.ResponseWriter) *Held { return &Held{header: w.Header().Clone()} }

// Header implements http.ResponseWriter.
func (h *Held) Header() http.Header { return h.header }

// WriteHeader implements http.ResponseWriter.
func (h *Held) WriteHeader(status int) { h.status = cmp.Or(h.status, status) }

// Write implements http.ResponseWriter.
func (h *Held) Write(p []byte) (int, error) {
	h.WriteHeader(http.StatusOK)
	return h.body.Write(p)
}

// Status returns the status with which the response is sent.
func (h *Held) Status() int { return cmp.Or(h.status, http.StatusOK) }

// Body returns the body that was written.
func (h *Held) Body() []byte { return h.body.Bytes() }

// Send sends the response with the given body. An error means that the client has gone.
func (h *Held) Send(w http.ResponseWriter, body []byte) error {
	maps.Copy(w.Header(), h.header)
	w.WriteHeader(h.Status())
	_, err := w.Write(body)
	return err
}
