package interviews_test

import (
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
	left := event(&one, time.Hour+30*time.Second, 31*time.Second)
	left.DurationMS = new(int64(20_000))
	got := interviews.Moments([]interviews.IntegrityEvent{
		event(&one, time.Hour, 300*time.Millisecond),               // a clock that is an hour ahead
		event(&one, time.Hour+10*time.Second, 40*time.Second),      // sent when the network came back
		event(&other, -20*time.Second, 2*time.Second),              // another browser, whose clock is behind
		{SessionID: &one, ReceivedAt: began.Add(50 * time.Second)}, // without a clock
		{ReceivedAt: began.Add(time.Minute), WallAt: new(began)},   // recorded by the server
		left, // reported when it was over
	})
	var after []time.Duration
	for _, at := range got {
		after = append(after, at.Sub(began))
	}
	want := []time.Duration{300 * time.Millisecond, 10*time.Second + 300*time.Millisecond, 2 * time.Second, 50 * time.Second, time.Minute, 10*time.Second + 300*time.Millisecond}
	if diff := cmp.Diff(want, after); diff != "" {
		t.Errorf("moments after the beginning (-want +got):\n%s", diff)
	}
}
