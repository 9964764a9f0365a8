package v1

import (
	"cmp"
	"fmt"
	"net/http"

	"github.com/go-json-experiment/json"

	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/middleware"
	"github.com/assayhq/assay/connectors"
)

// aboutCheckEvents documents checkEvents.
const aboutCheckEvents = "\n\nWhoever asks for `text/event-stream` in `Accept` is told each step as soon as it is over: by an event `step`, whose data is a ConnectionStep on one line, " +
	"and at the end by an event `report`, whose data is the ConnectionReport. Events that end without a report were broken off: run the check again. " +
	"A request with an `Idempotency-Key` is answered with the report alone."

// checkEvents answers with a live check while it runs, where the client asks for
// that, and else when it is over.
type checkEvents struct {
	w      http.ResponseWriter
	r      *http.Request
	wanted bool
	begun  bool
}

// checkEventsFor finds out what the client asks for.
func checkEventsFor(w http.ResponseWriter, r *http.Request) *checkEvents {
	wanted := decode.Quality(r.Header, mediaEvents) > decode.Quality(r.Header, mediaJSON)
	return &checkEvents{w: w, r: r, wanted: wanted && attemptFrom(r.Context()) == nil} // what is kept for others is one document
}

// writeStep sends a step that is over.
func (e *checkEvents) writeStep(s connectors.Step) {
	if e.wanted {
		_ = e.writeEvent("step", stepOf(s)) // fails when the client has gone, who then hears of nothing else either
	}
}

// writeReport ends the answer with what the check found.
func (e *checkEvents) writeReport(found reply) error {
	if !e.wanted {
		return found.write(e.w)
	}
	return e.breakOff(e.writeEvent("report", found.body))
}

// breakOff returns an error that is to be answered, unless an answer has begun:
// that is broken off.
func (e *checkEvents) breakOff(err error) error {
	if !e.begun {
		return err
	}
	event := middleware.EventFrom(e.r.Context())
	event.Cause = cmp.Or(event.Cause, err)
	return nil
}

// writeEvent sends an event at once: the writer flushes what it is given.
func (e *checkEvents) writeEvent(name string, body any) error {
	data, err := json.Marshal(body)
	if err != nil {
		return err
	}
	if !e.begun {
		e.begun = true
		e.w.Header().Set("Content-Type", mediaEvents)
		e.w.Header().Set(unbuffered, "no")
	}
	_, err = fmt.Fprintf(e.w, "event: %s\ndata: %s\n\n", name, data)
	return err
}
