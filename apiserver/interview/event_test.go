package interview_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/store/storetest"
)

// observed is an event as the page sends it.
func observed(seq int, kind string, more ...any) map[string]any {
	e := map[string]any{"client_id": uuid.NewString(), "seq": seq, "kind": kind, "at_ms": 1000 * seq, "wall_at": time.Now().UTC().Format(time.RFC3339Nano)}
	for i := 0; i < len(more); i += 2 {
		e[more[i].(string)] = more[i+1]
	}
	return e
}

// tell sends events. Their time is a duration after now by the browser's clock.
func (b *browser) tell(t testing.TB, ahead time.Duration, events ...map[string]any) reply {
	t.Helper()
	return b.post(t, "events", map[string]any{"events": events, "sent_at": time.Now().Add(ahead).UTC().Format(time.RFC3339Nano)})
}

// readEvents returns the events of an interview.
func (b *testServer) readEvents(t testing.TB, id uuid.UUID) []interviews.IntegrityEvent {
	t.Helper()
	d, err := interviews.Read(t.Context(), b.DB, b.Org, id)
	check(t, err)
	return d.AllEvents
}

func TestEvents(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := storetest.Interview(t, b.DB, b.Org, zoe())
	p := b.trader(t, made)
	question := p.started(t).Questions[0].ID
	events := []map[string]any{
		observed(1, "tab_hidden", "duration_ms", 1999), observed(2, "tab_hidden", "duration_ms", 2000), observed(3, "tab_hidden", "duration_ms", 10_001),
		observed(4, "paste", "data", map[string]any{"length": 12}, "question_id", question.String()), observed(5, "camera_lost"),
		observed(6, "levitation"), observed(7, "page_reload", "question_id", "0198f0c0-0000-7000-8000-000000000000"),
	}
	for range 2 { // the response was lost, and the page repeats the request
		p.tell(t, 0, events...).want(t, "204 No Content")
	}
	var got []string
	for _, e := range b.readEvents(t, made.ID) {
		about := ""
		if e.QuestionID != nil {
			about = " of a question"
		}
		got = append(got, fmt.Sprintf("%d %s %s%s", *e.Seq, e.Kind, e.Severity, about))
	}
	want := []string{
		"1 tab_hidden info", "2 tab_hidden low", "3 tab_hidden medium", "4 paste low of a question", "5 camera_lost medium", "6 other info", "7 page_reload info",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

// TestEventsOfAWrongClock checks that a wrong clock is reported once, and a slow connection is taken for none.
func TestEventsOfAWrongClock(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, tt := range []struct {
		ahead time.Duration
		want  int
	}{{-time.Minute, 1}, {-25 * time.Second, 0}, {10 * time.Second, 1}, {24 * time.Hour, 1}} {
		made := storetest.Interview(t, b.DB, b.Org, zoe())
		p := b.trader(t, made)
		p.started(t)
		for n := range 3 {
			p.tell(t, tt.ahead, observed(n+1, "heartbeat")).want(t, "204 No Content")
		}
		reported := 0
		for _, e := range b.readEvents(t, made.ID) {
			if e.Kind != "clock_skew" {
				continue
			}
			reported++
			if off := time.Duration(*e.SkewMS)*time.Millisecond - tt.ahead; e.Severity != "low" || off.Abs() > 5*time.Second {
				t.Errorf("%s ahead: %s, %d ms", tt.ahead, e.Severity, *e.SkewMS)
			}
		}
		if reported != tt.want {
			t.Errorf("%s ahead: clock_skew %d times, want %d", tt.ahead, reported, tt.want)
		}
	}
}

func TestEventsRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p := b.trader(t, storetest.Interview(t, b.DB, b.Org, zoe()))
	p.started(t)
	many := make([]map[string]any, 201)
	for n := range many {
		many[n] = observed(n+1, "heartbeat")
	}
	fat := make([]map[string]any, 40)
	for n := range fat {
		fat[n] = observed(n+1, "copy", "data", map[string]any{"x": strings.Repeat("x", 1800)})
	}
	for _, tt := range []struct {
		name   string
		events []map[string]any
		want   string
	}{
		{"201 events", many, "422 validation_failed"},
		{"more than 64 KiB", fat, "413 payload_too_large"},
		{"no client_id", []map[string]any{{"seq": 1, "kind": "copy", "at_ms": 1}}, "422 validation_failed"},
		{"data that is no object", []map[string]any{observed(1, "copy", "data", "text of the clipboard")}, "422 validation_failed"},
		{"data of three kilobytes", []map[string]any{observed(1, "copy", "data", map[string]any{"x": strings.Repeat("x", 3000)})}, "422 validation_failed"},
		{"a number that Postgres cannot hold", []map[string]any{observed(1, "copy", "data", map[string]any{"x": jsontext.Value("1e400000")})}, "422 validation_failed"},
		{"a fraction that Postgres cannot hold", []map[string]any{observed(1, "copy", "data", map[string]any{"x": jsontext.Value("1e-400000")})}, "422 validation_failed"},
		{"a text with NUL", []map[string]any{observed(1, "copy", "data", map[string]any{"x": "\x00"})}, "422 validation_failed"},
		{"time before the page began", []map[string]any{observed(-1, "copy")}, "422 validation_failed"},
		{"a year before the first", []map[string]any{observed(1, "copy", "wall_at", "0000-01-01T00:00:00Z")}, "204 No Content"},
		{"a year after the last", []map[string]any{observed(2, "copy", "wall_at", "9999-12-31T23:59:59-14:00")}, "204 No Content"},
		{"none", []map[string]any{}, "204 No Content"},
	} {
		p.tell(t, 0, tt.events...).want(t, tt.want)
	}
	// 60 batches a minute, including those above.
	other := b.trader(t, storetest.Interview(t, b.DB, b.Org, zoe()))
	other.started(t)
	for n := range 61 {
		want := "204 No Content"
		if n == 60 {
			want = "429 rate_limited"
		}
		other.tell(t, 0, observed(n+1, "heartbeat")).want(t, want)
	}
	p.tell(t, 0, observed(1, "heartbeat")).want(t, "204 No Content")
}
