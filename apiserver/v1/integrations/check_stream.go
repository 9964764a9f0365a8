package integrations

import (
	"cmp"
	"fmt"
	"net/http"

	"github.com/go-json-experiment/json"

	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/middleware"
	"github.com/assayhq/assay/apiserver/response"
	"github.com/assayhq/assay/apiserver/route"
	"github.com/assayhq/assay/connectors"
)

// aboutCheckStream documents checkStream.
const aboutCheckStream = "\n\nIf `Accept` asks for `text/event-stream`, the steps are streamed as soon as they end: each as an event `step`, whose data is a ConnectionStep on one line, " +
	"and finally an event `report`, whose data is the ConnectionReport. If the stream ends without a report, the check was interrupted; run it again. " +
	"A request with an `Idempotency-Key` gets only the report."

// checkStream answers with the events of a running live check if the client asks for that, and
// otherwise with the report when it is over.
type checkStream struct {
	w      http.ResponseWriter
	r      *http.Request
	wanted bool
	begun  bool
}

// newCheckStream determines what the client asks for.
func newCheckStream(w http.ResponseWriter, r *http.Request) *checkStream {
	wanted := decode.Quality(r.Header, response.MediaEvents) > decode.Quality(r.Header, response.MediaJSON)
	return &checkStream{w: w, r: r, wanted: wanted && route.AttemptFrom(r.Context()) == nil} // a response that is kept for repetitions is one document
}

// writeStep sends a finished step.
func (e *checkStream) writeStep(s connectors.Step) {
	if e.wanted {
		_ = e.writeEvent("step", stepOf(s)) // fails if the client has gone, and then nothing else reaches it either
	}
}

// writeReport ends the response with the report of the check.
func (e *checkStream) writeReport(found response.Reply) error {
	if !e.wanted {
		return found.Write(e.w)
	}
	return e.breakOff(e.writeEvent("report", found.Body))
}

// breakOff returns an error as the response, unless a response has begun: that is broken off.
func (e *checkStream) breakOff(err error) error {
	if !e.begun {
		return err
	}
	event := middleware.EventFrom(e.r.Context())
	event.Cause = cmp.Or(event.Cause, err)
	return nil
}

// writeEvent sends an event immediately, because the writer flushes every write.
func (e *checkStream) writeEvent(name string, body any) error {
	data, err := json.Marshal(body)
	if err != nil {
		return err
	}
	if !e.begun {
		e.begun = true
		e.w.Header().Set("Content-Type", response.MediaEvents)
		e.w.Header().Set(response.Unbuffered, "no")
	}
	_, err = fmt.Fprintf(e.w, "event: %s\ndata: %s\n\n", name, data)
	return err
}
