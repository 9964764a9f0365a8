package refplatform

import (
	"net/http"
	"strconv"
)

// exchange is one request and its response.
type exchange struct {
	http.ResponseWriter
	r        *http.Request
	at       endpoint
	platform *Platform
	faults   activeFaults
	received int64
	status   int
	sent     int64
}

// WriteHeader notes the status.
func (x *exchange) WriteHeader(status int) {
	x.status = status
	x.ResponseWriter.WriteHeader(status)
}

// Write counts the body.
func (x *exchange) Write(b []byte) (int, error) {
	if x.status == 0 {
		x.status = http.StatusOK
	}
	n, err := x.ResponseWriter.Write(b)
	x.sent += int64(n)
	return n, err
}

// Unwrap gives http.ResponseController the connection's own writer.
func (x *exchange) Unwrap() http.ResponseWriter { return x.ResponseWriter }

// send writes a JSON response, past the faults that change bodies or cut
// connections.
func (x *exchange) send(status int, body []byte) {
	body = x.faults.body(x, status, body)
	header := x.Header()
	header.Set("Content-Type", "application/json")
	header.Set("Cache-Control", "no-store")
	header.Set("Content-Length", strconv.Itoa(len(body)))
	x.faults.header(x)
	if x.faults.write(x, status, body) {
		return
	}
	x.WriteHeader(status)
	_, _ = x.Write(body) // the client has gone; there is nobody to tell
}

// fail writes the contract's error body.
func (x *exchange) fail(status int, code, message string) {
	body := appendString([]byte(`{"error":{"code":`), code)
	body = appendString(append(body, `,"message":`...), message)
	x.send(status, append(body, `}}`...))
}
