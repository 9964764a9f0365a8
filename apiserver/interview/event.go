package interview

import (
	"crypto/sha256"
	"net/http"
	"net/netip"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/apiserver/auth"
	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/store/interviews/answering"
)

// Limits of one request with events. A page sends what it noticed every five seconds, and
// everything at once after it was offline.
const (
	maxEvents       = 200
	maxEventMembers = 10
	maxEventData    = 2048 // bytes of one event's data
	maxEventsBody   = 64 << 10
	batchLimit      = 60 // requests of a session per minute
)

// skewed is the smallest deviation at which a browser's clock is reported as wrong. One that seems to be
// behind by less than a request may take may belong to a slow connection, such as one that also carries a
// recording.
const skewed = 5 * time.Second

// observation rates a single event of a kind. The report decides what several of them mean
// together.
type observation func(lasted time.Duration) string

func rateAlways(severity string) observation { return func(time.Duration) string { return severity } }

// rateLeaving rates leaving the page by the duration.
func rateLeaving(lasted time.Duration) string {
	switch {
	case lasted > 10*time.Second:
		return medium
	case lasted >= 2*time.Second:
		return low
	}
	return info
}

// The severities of events.
const (
	info   = "info"
	low    = "low"
	medium = "medium"
)

// kinds are the events that a page may send, with the severity of each. Other kinds are stored as
// otherKind.
var kinds = map[string]observation{
	"tab_hidden": rateLeaving, "window_blur": rateAlways(info), "fullscreen_exit": rateAlways(low), "paste": rateAlways(low), "copy": rateAlways(info), "cut": rateAlways(info),
	"context_menu": rateAlways(info), "print_screen_key": rateAlways(info), "devtools_suspected": rateAlways(low), "page_reload": rateAlways(info),
	"session_resumed": rateAlways(info), "network_offline": rateAlways(info), "second_screen": rateAlways(info), "screen_changed": rateAlways(low),
	"multiple_tabs": rateAlways(low), "camera_lost": rateAlways(medium), "microphone_lost": rateAlways(medium), "camera_dark": rateAlways(medium),
	"audio_silent": rateAlways(medium), "audio_clipping": rateAlways(info), "virtual_camera_suspected": rateAlways(medium), "no_face": rateAlways(low),
	"multiple_faces": rateAlways(medium), "heartbeat": rateAlways(info),
}

// otherKind is the kind under which events of unknown kinds are stored.
const otherKind = "other"

// clockSkew is the kind of the event that reports a browser's wrong clock.
const clockSkew = "clock_skew"

// Events answers POST /i/{token}/events with 204. Each event is stored once, however often it
// arrives. Events that arrive after the end are ignored.
func (h *Handler) Events(w http.ResponseWriter, r *http.Request) error {
	s, err := h.readForChange(r)
	if err != nil {
		return err
	}
	if after, ok := h.batches.Allow(addressOf(s.ID[:]), h.Now()); !ok {
		return auth.AskToWait("The page sent too many events at once.", after)
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxEventsBody)
	b, err := decode.BodyOf(r, readEvents)
	if err != nil {
		return err
	}
	events := b.dateEvents(s.ID, s.Now)
	if _, err := answering.AddEvents(r.Context(), h.Store, s, events); err != nil {
		return h.linkError(r, err)
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// addressOf returns the address by which a throttle knows a session or a link: each has a network of
// its own.
func addressOf(subject []byte) netip.Addr {
	sum := sha256.Sum256(subject)
	return netip.AddrFrom16([16]byte(sum[:16]))
}

// batch is the body of POST events.
type batch struct {
	events []interviews.NewEvent
	sentAt *time.Time // by the browser's clock
}

// readEvents reads the body of POST events.
func readEvents(o *decode.Object) (b batch) {
	list := decode.Objects(o, "events", maxEvents, readEvent)
	o.Require("events", list.State)
	b.events = list.Value
	b.sentAt = momentOf(o.Text("sent_at", 40).Value)
	return b
}

// momentOf parses a time sent by a browser. It returns nil if the text is not a time, or its year
// is outside of the calendar.
func momentOf(text string) *time.Time {
	at, err := time.Parse(time.RFC3339, text)
	if at = at.UTC(); err != nil || at.Year() < 1 || at.Year() > 9999 {
		return nil
	}
	return &at
}

// dateEvents adds to each event by how much the browser's clock is ahead, and reports a wrong
// clock once for each session.
func (b batch) dateEvents(session uuid.UUID, now time.Time) []interviews.NewEvent {
	if b.sentAt == nil {
		return b.events
	}
	skew := b.sentAt.Sub(now)
	for n := range b.events {
		b.events[n].SkewMS = new(skew.Milliseconds())
	}
	if skew <= skewed && skew >= -skewed-interviews.SlowestRequest {
		return b.events
	}
	return append(b.events, interviews.NewEvent{
		ClientID: uuid.NewSHA1(session, []byte(clockSkew)), Kind: clockSkew, Severity: low, SkewMS: new(skew.Milliseconds()),
	})
}

func readEvent(o *decode.Object) (e interviews.NewEvent) {
	client, kind, wall := o.Text("client_id", 36), o.Text("kind", 64), o.Text("wall_at", 40)
	seq, at, lasted := o.Int("seq", 1, 1<<31), o.Int("at_ms", 0, 1<<40), o.Int("duration_ms", 0, 1<<40)
	o.Require("client_id", client.State)
	o.Require("kind", kind.State)
	o.Require("seq", seq.State)
	o.Require("at_ms", at.State)
	var err error
	if e.ClientID, err = uuid.Parse(client.Value); err != nil && client.State == decode.Set {
		o.Fault("client_id", problem.InvalidFormat, "Must be a UUID.")
	}
	if question := o.Text("question_id", 36); question.State == decode.Set {
		if id, err := uuid.Parse(question.Value); err == nil {
			e.QuestionID = &id
		}
	}
	e.Kind = kind.Value
	rate, known := kinds[e.Kind]
	if !known {
		rate, e.Kind = rateAlways(info), otherKind
	}
	e.Severity = rate(time.Duration(lasted.Value) * time.Millisecond)
	e.Seq, e.AtMS = new(int64(seq.Value)), new(int64(at.Value))
	if lasted.State == decode.Set {
		e.DurationMS = new(int64(lasted.Value))
	}
	e.WallAt = momentOf(wall.Value)
	if data := o.Free("data", maxEventMembers, maxEventData); data.State == decode.Set {
		e.Data = []byte(data.Value)
	}
	return e
}
