package calendar

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Bounds of a calendar's text.
const (
	MaxBytes      = 16 << 20
	MaxEvents     = 200_000
	maxEventTitle = 200 // bytes
	maxFaults     = 20
)

// Faults are the errors in a calendar, each with its line, at most 20.
type Faults []string

// Error lists them.
func (f Faults) Error() string { return "calendar: " + strings.Join(f, "; ") }

// Parse reads scheduled news from CSV in UTF-8. The first line names the
// columns, in any order: time, currency and impact, and title where there is
// one; other columns are passed over. A time is in RFC 3339 with its offset
// (2026-01-09T13:30:00Z; a blank instead of the T will do), for a time without
// one could be anybody's. A currency has three letters, an impact is low,
// medium or high. Equal events stand once.
//
// Anything else is refused with all that is wrong, as Faults. No event
// is left out, since a check against half a calendar finds too little.
func Parse(r io.Reader) (*Calendar, error) {
	limited := &io.LimitedReader{R: r, N: MaxBytes + 1}
	text := bufio.NewReader(limited)
	if mark, _ := text.Peek(3); bytes.Equal(mark, []byte("\xef\xbb\xbf")) {
		_, _ = text.Discard(3) // it has just been seen
	}
	p := parser{csv: csv.NewReader(text)}
	p.csv.ReuseRecord = true
	p.csv.FieldsPerRecord = -1
	if err := p.findColumns(); err != nil {
		return nil, err
	}
	err := p.readEvents()
	switch {
	case limited.N <= 0:
		return nil, Faults{fmt.Sprintf("larger than %d MiB", MaxBytes>>20)}
	case err != nil:
		return nil, err
	case len(p.faults) > 0:
		return nil, p.faults
	case len(p.events) == 0:
		return nil, Faults{"no event below the line of column names"}
	}
	slices.SortFunc(p.events, compareEvents)
	return &Calendar{Events: slices.Clip(slices.Compact(p.events))}, nil
}

func compareEvents(a, b Event) int {
	return cmp.Or(cmp.Compare(a.Time, b.Time), strings.Compare(a.Currency, b.Currency),
		strings.Compare(string(a.Impact), string(b.Impact)), strings.Compare(a.Title, b.Title))
}

type parser struct {
	csv                           *csv.Reader
	time, currency, impact, title int // columns; title is -1 when there is none
	events                        []Event
	faults                        Faults
}

// findColumns finds the columns.
func (p *parser) findColumns() error {
	names, err := p.csv.Read()
	if errors.Is(err, io.EOF) {
		return Faults{"empty; the first line must name the columns time, currency and impact"}
	}
	if err != nil {
		return readFault(err)
	}
	p.title = -1
	for _, c := range []struct {
		name string
		at   *int
	}{{"time", &p.time}, {"currency", &p.currency}, {"impact", &p.impact}, {"title", &p.title}} {
		found := -1
		for i, name := range names {
			if strings.EqualFold(strings.TrimSpace(name), c.name) {
				if found >= 0 {
					return Faults{fmt.Sprintf("line 1: column %s appears twice", c.name)}
				}
				found = i
			}
		}
		if found < 0 && c.name != "title" {
			return Faults{fmt.Sprintf("line 1: no column %s; time, currency and impact are needed, separated by commas", c.name)}
		}
		*c.at = found
	}
	return nil
}

// readEvents reads the events. It continues after a fault, so that it can report more than one.
func (p *parser) readEvents() error {
	for len(p.faults) < maxFaults {
		row, err := p.csv.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return append(p.faults, readFault(err)...)
		}
		line, _ := p.csv.FieldPos(0)
		if len(p.events) >= MaxEvents {
			return append(p.faults, fmt.Sprintf("line %d: more than %d events", line, MaxEvents))
		}
		event, fault := p.parseEvent(row)
		if fault != "" {
			p.faults = append(p.faults, fmt.Sprintf("line %d: %s", line, fault))
			continue
		}
		p.events = append(p.events, event)
	}
	return p.faults
}

func (p *parser) parseEvent(row []string) (e Event, fault string) {
	if len(row) <= max(p.time, p.currency, p.impact) {
		return e, fmt.Sprintf("%d columns are too few", len(row))
	}
	at, ok := parseEventTime(strings.TrimSpace(row[p.time]))
	if !ok {
		return e, "time must be like 2026-01-09T13:30:00Z, with an offset"
	}
	e.Time = at
	if e.Currency, ok = parseCurrency(row[p.currency]); !ok {
		return e, "currency must be three letters"
	}
	switch e.Impact = Impact(strings.ToLower(strings.TrimSpace(row[p.impact]))); e.Impact {
	case Low, Medium, High:
	default:
		return e, "impact must be low, medium or high"
	}
	if p.title >= 0 && p.title < len(row) {
		e.Title = eventTitle(row[p.title])
	}
	return e, ""
}

// parseEventTime returns microseconds of the epoch.
func parseEventTime(text string) (int64, bool) {
	for _, layout := range [...]string{time.RFC3339, "2006-01-02 15:04:05Z07:00", "2006-01-02T15:04Z07:00", "2006-01-02 15:04Z07:00"} {
		if t, err := time.Parse(layout, text); err == nil && t.Year() >= 1970 && t.Year() < 2200 {
			return t.UnixMicro(), true
		}
	}
	return 0, false
}

func parseCurrency(text string) (string, bool) {
	code := strings.ToUpper(strings.TrimSpace(text))
	for _, r := range code {
		if r < 'A' || r > 'Z' {
			return "", false
		}
	}
	return code, len(code) == 3
}

// eventTitle keeps what can be shown of a title.
func eventTitle(text string) string {
	text = strings.ToValidUTF8(strings.TrimSpace(text), "�")
	for len(text) > maxEventTitle {
		_, size := utf8.DecodeLastRuneInString(text)
		text = text[:len(text)-size]
	}
	return strings.Clone(text)
}

// readFault says in which line the CSV breaks off.
func readFault(err error) Faults {
	var broken *csv.ParseError
	if errors.As(err, &broken) {
		return Faults{fmt.Sprintf("line %d: %s", max(broken.StartLine, 1), broken.Err)}
	}
	return Faults{"cannot be read: " + err.Error()}
}
