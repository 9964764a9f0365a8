package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/assayhq/assay/internal/analysis/result"
)

// Kinds of events that rules count.
const (
	kindHeartbeat      = "heartbeat"
	kindTabHidden      = "tab_hidden"
	kindWindowBlur     = "window_blur"
	kindFullscreenExit = "fullscreen_exit"
	kindTelemetryGap   = "telemetry_gap"
)

// Counts and times from which on several events mean more than each of them.
// Anybody may leave a page once, for example because the phone rings.
const (
	hiddenMedium  = 3
	blurLow       = 5
	exitMedium    = 3
	gapLow        = 30 * time.Second
	gapMedium     = 120 * time.Second
	takeEdge      = 2 * time.Second // by how much the beginning and the end of a recording may be imprecise
	blurLeast     = 2 * time.Second
	intentUnknown = "An observation, not proof of intent."
	whereUnknown  = "The browser reports that the trader left the page, not where they went."
)

// kindTitles name observations.
var kindTitles = map[string]string{
	kindTabHidden: "Page hidden", kindWindowBlur: "Window lost focus", kindFullscreenExit: "Full screen exited", "paste": "Text pasted",
	"devtools_suspected": "Developer tools may have been open", "session_taken_over": "Interview continued in another browser", "device_changed": "Device changed",
	"screen_changed": "Screen setup changed", "multiple_tabs": "Interview open in several tabs",
	"camera_lost": "Camera stopped", "microphone_lost": "Microphone stopped", "camera_dark": "Video too dark", "audio_silent": "Mostly silent answer",
	"virtual_camera_suspected": "Camera name suggests a virtual camera", "no_face": "No face visible", "multiple_faces": "Several faces visible",
	"clock_skew": "Device clock is wrong", "upload_rewritten": "Recording differs from what the browser announced", kindTelemetryGap: "No data from the browser",
}

// kindLimits name other explanations of an observation.
var kindLimits = map[string]string{
	kindTabHidden: whereUnknown, kindWindowBlur: whereUnknown, kindFullscreenExit: "System messages and other windows can end full screen.",
	"paste": "Only the length is recorded. Traders also paste their own notes, or move text within an answer.", "clock_skew": "assay places this browser's events by the server's clock.",
	"camera_lost": "A loose cable, a call or another program can cause this.", "microphone_lost": "A loose cable, a call or another program can cause this.",
	"multiple_tabs": "Opening the link again can cause this.", "device_changed": "Replacing a device that didn't work can cause this.",
	"devtools_suspected": "Zoom, docked panels and some screens can cause this.", "virtual_camera_suspected": "Noise filters and some webcams have similar names.",
	"camera_dark": "A dim room can cause this.", "audio_silent": "A quiet microphone can cause this.", "no_face": "Lighting, camera angle and skin tone affect face detection.",
	"multiple_faces": "Pictures on a wall can be counted as faces.", kindTelemetryGap: "Events may be missing. A lost connection or a sleeping device can cause this.",
	"session_taken_over": "Switching devices after a problem can cause this.",
	"screen_changed":     "Not detecting a second screen proves nothing.",
}

// integrityFindings rates the events, kind by kind.
func (a *assembly) integrityFindings() (found []Finding, complete bool) {
	byKind := map[string][]Event{}
	for _, e := range a.in.Events {
		byKind[e.Kind] = append(byKind[e.Kind], e)
	}
	gaps := a.telemetryGaps(byKind[kindHeartbeat])
	complete = len(gaps) == 0 && len(byKind[kindTelemetryGap]) == 0
	delete(byKind, kindHeartbeat)
	for _, kind := range slices.Sorted(maps.Keys(byKind)) {
		events := withoutRepeated(byKind[kind])
		slices.SortFunc(events, func(x, y Event) int {
			return cmp.Or(x.At.Compare(y.At), cmp.Compare(x.ID, y.ID))
		})
		if severity, recording := a.rateEvents(kind, events); severity.Rank() >= result.Low.Rank() {
			found = append(found, makeObservation(kind, events, severity, recording))
		}
	}
	if len(gaps) > 0 {
		found = append(found, gapFinding(gaps))
	}
	return found, complete
}

// withoutRepeated leaves out what the browser noticed in an answer whose recording shows the same.
func withoutRepeated(events []Event) []Event {
	measured := slices.DeleteFunc(slices.Clone(events), func(e Event) bool { return !e.Measured })
	return slices.DeleteFunc(events, func(e Event) bool {
		return !e.Measured && slices.ContainsFunc(measured, func(m Event) bool {
			return m.QuestionID == e.QuestionID && !e.At.Before(m.At.Add(-takeEdge)) && !e.At.After(m.At.Add(m.Lasted+takeEdge))
		})
	})
}

// rateEvents returns how severe the events of a kind are together, and how many
// happened during recordings.
func (a *assembly) rateEvents(kind string, events []Event) (severity result.Severity, recording int) {
	severity = result.Info
	for _, e := range events {
		if kind == kindWindowBlur && e.Lasted < blurLeast {
			continue
		}
		if s := result.Severity(e.Severity); s.Rank() > severity.Rank() {
			severity = s
		}
		if a.whileRecording(e) {
			recording++
		}
	}
	raise := func(to result.Severity) {
		if to.Rank() > severity.Rank() {
			severity = to
		}
	}
	switch {
	case kind == kindTabHidden && recording >= hiddenMedium, kind == kindFullscreenExit && len(events) >= exitMedium:
		raise(result.Medium)
	case kind == kindWindowBlur && recording >= blurLow:
		raise(result.Low)
	}
	if kind == kindFullscreenExit && !a.in.FullscreenRequired {
		severity = result.Info
	}
	return severity, recording
}

// makeObservation returns the finding of a kind.
func makeObservation(kind string, events []Event, severity result.Severity, recording int) Finding {
	title, ok := kindTitles[kind]
	if !ok {
		title = "Observed: " + kind
	}
	var lasted time.Duration
	for _, e := range events {
		lasted += e.Lasted
	}
	detail := describeCount(len(events), recording)
	if lasted > 0 {
		detail += fmt.Sprintf(" Total duration: %s.", formatLength(lasted))
	}
	f := Finding{Kind: kind, Area: AreaIntegrity, Severity: severity, Title: title, Detail: detail, EvidenceTotal: len(events), Limitations: []string{intentUnknown}, Shareable: true}
	if limit, ok := kindLimits[kind]; ok {
		f.Limitations = append(f.Limitations, limit)
	}
	for _, e := range events[:min(len(events), MaxEvidence)] {
		f.Evidence = append(f.Evidence, Evidence{Type: "integrity_event", EventID: e.ID})
	}
	f.Metric = &result.FindingMetric{Name: kind, Value: float64(len(events)), Unit: "count", N: len(events)}
	return f
}

// formatLength writes how long something took, in its two largest units: "1 minute 5 seconds".
func formatLength(d time.Duration) string {
	seconds := int(d.Round(time.Second) / time.Second)
	var parts []string
	for _, unit := range []struct {
		seconds int
		name    string
	}{{3600, "hour"}, {60, "minute"}, {1, "second"}} {
		if n := seconds / unit.seconds; n > 0 && len(parts) < 2 {
			parts = append(parts, countThings(n, unit.name))
		}
		seconds %= unit.seconds
	}
	if len(parts) == 0 {
		return "less than a second"
	}
	return strings.Join(parts, " ")
}

// describeCount says how often something was observed, and how often during an
// answer.
func describeCount(n, recording int) string {
	times := func(n int) string {
		switch n {
		case 1:
			return "once"
		case 2:
			return "twice"
		}
		return fmt.Sprintf("%d times", n)
	}
	switch {
	case recording == 0:
		return fmt.Sprintf("Seen %s, never during an answer.", times(n))
	case recording < n:
		return fmt.Sprintf("Seen %s, %s during an answer.", times(n), times(recording))
	case n == 1:
		return "Seen once, during an answer."
	}
	return fmt.Sprintf("Seen %s, always during an answer.", times(n))
}

// whileRecording reports whether an event happened during a recording, or lasted into one.
func (a *assembly) whileRecording(e Event) bool {
	return slices.ContainsFunc(a.in.Takes, func(t Take) bool {
		return t.Recorded && !e.At.Add(e.Lasted).Before(t.At.Add(-takeEdge)) && !e.At.After(t.At.Add(t.Lasted+takeEdge))
	})
}

// gap is a part of a recording without a sign of life.
type gap struct {
	question string
	lasted   time.Duration
}

// telemetryGaps finds the parts of recordings in which no heartbeat arrived.
func (a *assembly) telemetryGaps(heartbeats []Event) (gaps []gap) {
	beats := make([]time.Time, 0, len(heartbeats))
	for _, e := range heartbeats {
		beats = append(beats, e.At)
	}
	slices.SortFunc(beats, time.Time.Compare)
	for _, t := range a.in.Takes {
		if !t.Recorded || t.Lasted <= gapLow {
			continue
		}
		end := t.At.Add(t.Lasted)
		last := t.At
		longest := time.Duration(0)
		from, _ := slices.BinarySearchFunc(beats, t.At.Add(-takeEdge), time.Time.Compare)
		for _, beat := range beats[from:] {
			if beat.After(end) {
				break
			}
			longest = max(longest, beat.Sub(last))
			last = beat
		}
		longest = max(longest, end.Sub(last))
		if longest > gapLow+takeEdge {
			gaps = append(gaps, gap{t.QuestionID, longest})
		}
	}
	return gaps
}

// gapFinding reports recordings without signs of life.
func gapFinding(gaps []gap) Finding {
	longest := time.Duration(0)
	for _, g := range gaps {
		longest = max(longest, g.lasted)
	}
	f := Finding{
		Kind: kindTelemetryGap, Area: AreaIntegrity, Severity: result.Low, Title: kindTitles[kindTelemetryGap],
		Detail:        fmt.Sprintf("In %s, the browser sent no data for more than %s. The longest gap was %s.", countThings(len(gaps), "recording"), formatLength(gapLow), formatLength(longest)),
		Metric:        &result.FindingMetric{Name: "telemetry_gap", Value: longest.Seconds(), Unit: "seconds", N: len(gaps)},
		Evidence:      []Evidence{{Type: "metric", Path: "integrity_summary.telemetry_complete"}},
		EvidenceTotal: 1,
		Limitations:   []string{intentUnknown, kindLimits[kindTelemetryGap]},
		Shareable:     true,
	}
	if longest > gapMedium {
		f.Severity = result.Medium
	}
	return f
}

// summarizeIntegrity counts the findings.
func summarizeIntegrity(findings []Finding, complete bool) IntegritySummary {
	s := IntegritySummary{TelemetryComplete: complete}
	for _, f := range findings {
		switch f.Severity {
		case result.Low:
			s.Low++
		case result.Medium:
			s.Medium++
		case result.High:
			s.High++
		case result.None, result.Info:
		}
	}
	return s
}
