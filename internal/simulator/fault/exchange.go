package fault

import (
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/assayhq/assay/internal/simulator/wire"
)

// RequestInfo describes a request and its answer.
type RequestInfo struct {
	Time          time.Time // when it came in
	Method        string
	Path          string // still percent-encoded
	RawQuery      string
	Header        http.Header
	BodyBytes     int64 // of the request; the contract's requests have none
	Status        int   // 0 when the connection was cut before there was one
	ResponseBytes int64
	Duration      time.Duration
	Faults        []string // faults that were on for it
}

// Exchange is one request and its response.
type Exchange struct {
	http.ResponseWriter
	Request  *http.Request
	Endpoint string // the route as the platform lists it; empty when there is none

	stages   stages
	received int64
	status   int
	sent     int64
}

// stages are the last hooks that a response passes.
type stages interface {
	applyBody(x *Exchange, status int, body []byte) []byte
	applyHeader(x *Exchange)
	applyWrite(x *Exchange, status int, body []byte) bool
}

// Serve answers a request at an endpoint, which is empty for an unknown route. A
// fault of the set answers if one does, otherwise answer. The set's onRequest is
// called even if a fault cuts the connection.
func Serve[Q, P any](s *Set[Q, P], w http.ResponseWriter, r *http.Request, endpoint string, answer func(*Exchange, Active[Q, P])) {
	began := time.Now()
	active := s.matchFaults(endpoint)
	x := &Exchange{ResponseWriter: w, Request: r, Endpoint: endpoint, stages: active}
	defer func() { // also when a fault cuts the connection by a panic
		if s.onRequest == nil {
			return
		}
		s.onRequest(RequestInfo{
			Time: began, Method: r.Method, Path: r.URL.EscapedPath(), RawQuery: r.URL.RawQuery, Header: r.Header,
			BodyBytes: x.received, Status: x.status, ResponseBytes: x.sent, Duration: time.Since(began), Faults: active.faultNames(),
		})
	}()
	x.received, _ = io.Copy(io.Discard, io.LimitReader(r.Body, 1<<20))
	if !active.answerByFault(x) {
		answer(x, active)
	}
}

// WriteHeader notes the status.
func (x *Exchange) WriteHeader(status int) {
	x.status = status
	x.ResponseWriter.WriteHeader(status)
}

// Write counts the body.
func (x *Exchange) Write(b []byte) (int, error) {
	if x.status == 0 {
		x.status = http.StatusOK
	}
	n, err := x.ResponseWriter.Write(b)
	x.sent += int64(n)
	return n, err
}

// Unwrap gives http.ResponseController the connection's own writer.
func (x *Exchange) Unwrap() http.ResponseWriter { return x.ResponseWriter }

// Send writes a JSON response, past the faults that change bodies or cut
// connections.
func (x *Exchange) Send(status int, body []byte) {
	body = x.stages.applyBody(x, status, body)
	header := x.Header()
	header.Set("Content-Type", "application/json")
	header.Set("Cache-Control", "no-store")
	header.Set("Content-Length", strconv.Itoa(len(body)))
	x.stages.applyHeader(x)
	if x.stages.applyWrite(x, status, body) {
		return
	}
	x.WriteHeader(status)
	_, _ = x.Write(body) // an error means that the client has gone
}

// Fail writes the contract's error body.
func (x *Exchange) Fail(status int, code, message string) {
	body := wire.AppendString([]byte(`{"error":{"code":`), code)
	body = wire.AppendString(append(body, `,"message":`...), message)
	x.Send(status, append(body, `}}`...))
}
