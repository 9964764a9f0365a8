package interviews_test

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/assayhq/assay/store/interviews"
)

// TestMoments checks when events began on the server's clock, regardless of the browser's clock
// and of how late they arrive.
func TestMoments(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, 3, 30, 10, 0, 0, 0, time.UTC)
	one, other := uuid.New(), uuid.New()
	event := func(session *uuid.UUID, wall, received time.Duration) interviews.IntegrityEvent {
		return interviews.IntegrityEvent{SessionID: session, WallAt: new(began.Add(wall)), ReceivedAt: began.Add(received)}
	}
	with := func(e interviews.IntegrityEvent, change func(*interviews.IntegrityEvent)) interviews.IntegrityEvent {
		change(&e)
		return e
	}
	skew := func(ahead time.Duration) func(*interviews.IntegrityEvent) {
		return func(e *interviews.IntegrityEvent) { e.SkewMS = new(ahead.Milliseconds()) }
	}
	set, strange, question := uuid.New(), uuid.New(), uuid.New()
	d := interviews.Detail{AllEvents: []interviews.IntegrityEvent{
		event(&one, time.Hour, 300*time.Millisecond),               // a clock that is an hour ahead
		event(&one, time.Hour+10*time.Second, 40*time.Second),      // sent when the network came back
		event(&other, -20*time.Second, 2*time.Second),              // another browser, whose clock is behind
		{SessionID: &one, ReceivedAt: began.Add(50 * time.Second)}, // without a clock
		{ReceivedAt: began.Add(time.Minute), WallAt: new(began)},   // recorded by the server
		with(event(&one, time.Hour+30*time.Second, 31*time.Second), func(e *interviews.IntegrityEvent) { e.DurationMS = new(int64(20_000)) }), // reported when it was over
		// A clock that is a day ahead until it is set: both waited for five seconds in the page.
		with(event(&set, 24*time.Hour+10*time.Second, 15*time.Second), skew(24*time.Hour-100*time.Millisecond)),
		with(event(&set, 20*time.Second, 25*time.Second), skew(-200*time.Millisecond)),
		with(event(&set, 30*time.Second, 55*time.Second), skew(-20*time.Second)), // on a slow connection
		with(event(&strange, time.Minute, time.Minute), skew(math.MaxInt64)),
		with(event(&strange, time.Minute, time.Minute), skew(math.MinInt64)),
		// Found in the recording, long after it.
		{QuestionID: &question, ReceivedAt: began.Add(time.Hour), DurationMS: new(int64(6000)), Data: []byte(`{"source": "recording", "answer_at_ms": 2000}`)},
	}}
	d.Takes = []interviews.Take{{QuestionID: question, Status: interviews.TakeSealed, RecordedAt: began.Add(5 * time.Second)}}
	var after []time.Duration
	for n, at := range d.Moments() {
		if d.AllEvents[n].SessionID != &strange {
			after = append(after, at.Sub(began))
		}
	}
	want := []time.Duration{
		300 * time.Millisecond, 10*time.Second + 300*time.Millisecond, 2 * time.Second, 50 * time.Second, time.Minute, 10*time.Second + 300*time.Millisecond,
		10*time.Second + 100*time.Millisecond, 20*time.Second + 200*time.Millisecond, 30*time.Second + 200*time.Millisecond, 7 * time.Second,
	}
	if diff := cmp.Diff(want, after); diff != "" {
		t.Errorf("moments after the beginning (-want +got):\n%s", diff)
	}
}
