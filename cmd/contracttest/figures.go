package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/assayhq/assay/internal/simulator/reference"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/syncing"
	"github.com/assayhq/assay/store/syncing/history"
)

// figures holds the results of a simulation.
type figures struct {
	Whole    bool          `json:"whole"` // everything was read
	Duration time.Duration `json:"duration_ns"`
	Requests int64         `json:"requests"`
	Pace     float64       `json:"requests_per_second"` // allowed rate; 0 means unlimited
	// Backfill is how long the first read takes at five requests a second, and BackfillRequests
	// how many requests it takes. Both are estimates unless Whole is set.
	Backfill         time.Duration    `json:"backfill_ns"`
	BackfillRequests int64            `json:"backfill_requests"`
	AtLeast          bool             `json:"backfill_at_least"` // a list was not read, so it takes more than this
	Lists            []listFigures    `json:"lists"`
	Quarantined      []quarantined    `json:"quarantine"`
	QuarantinedTotal int              `json:"quarantine_total"`
	Findings         []findingFigures `json:"findings"`
}

// listFigures holds the results of one list.
type listFigures struct {
	Name        string         `json:"name"`
	Status      string         `json:"status"` // of its run
	Rows        int64          `json:"rows"`   // stored
	Seen        int64          `json:"records_seen"`
	Quarantined int64          `json:"records_quarantined"`
	Pages       int64          `json:"pages"`
	Requests    int64          `json:"requests"`
	Duration    time.Duration  `json:"duration_ns"`
	Fields      []fieldFigures `json:"fields"`
	Error       string         `json:"error,omitempty"`
}

// fieldFigures counts how often a field has a value.
type fieldFigures struct {
	Name   string  `json:"name"`
	Filled float64 `json:"filled"` // between 0 and 1
}

// quarantined is a record that assay cannot use.
type quarantined struct {
	List    string `json:"list"`
	Rule    string `json:"rule"`
	Pointer string `json:"pointer"`
	Detail  string `json:"detail"`
	Raw     string `json:"raw"` // its first 200 bytes
}

// findingFigures counts how often records break a rule.
type findingFigures struct {
	List  string `json:"list"`
	Rule  string `json:"rule"`
	Count int64  `json:"count"`
}

// Limits of what is shown.
const (
	shownQuarantined = 20
	shownRaw         = 200
	pageRecords      = 200 // records that the engine asks for
	budget           = 5   // requests a second of an integration (platform contract, Limits)
)

// readFigures reads the figures from the throwaway database.
func (s *simulation) readFigures(ctx context.Context) (*figures, error) {
	f := &figures{Whole: s.whole, Duration: s.took, Quarantined: []quarantined{}, Findings: []findingFigures{}}
	runs, err := history.ListCycle(ctx, s.trial.store, s.id, s.cycle)
	if err != nil {
		return nil, err
	}
	for _, run := range runs {
		l, estimated, err := s.readListFigures(ctx, &run)
		if err != nil {
			return nil, err
		}
		f.Lists = append(f.Lists, l)
		f.Requests += l.Requests
		f.BackfillRequests += max(estimated, l.Requests, 1)
		f.AtLeast = f.AtLeast || estimated == 0
	}
	if !s.whole {
		f.addUnread()
	}
	f.Backfill = time.Duration(f.BackfillRequests) * time.Second / budget
	if s.whole { // with the waits that the platform asked for, and requests that were repeated
		f.Backfill = max(f.Backfill, s.took)
	}
	list, total, err := history.ListQuarantine(ctx, s.trial.store, s.trial.organization, s.id, history.QuarantineFilter{}, store.Page{Number: 1, Limit: shownQuarantined})
	if err != nil {
		return nil, err
	}
	f.QuarantinedTotal = total
	for _, q := range list {
		f.Quarantined = append(f.Quarantined, quarantined{q.Resource, q.Rule, q.Pointer, q.Detail, strings.ToValidUTF8(q.Raw[:min(len(q.Raw), shownRaw)], "")})
	}
	findings, _, err := history.ListFindings(ctx, s.trial.store, s.trial.organization, s.id, store.Page{Number: 1, Limit: 100})
	if err != nil {
		return nil, err
	}
	for _, n := range findings {
		f.Findings = append(f.Findings, findingFigures{n.Resource, n.Rule, n.Count})
	}
	return f, nil
}

// unread is the status of a list that was not reached.
const unread = "not read"

// addUnread adds the lists that were not reached. All that is known about them is that they take
// at least one request.
func (f *figures) addUnread() {
	for _, name := range reference.Resources() {
		if !slices.ContainsFunc(f.Lists, func(l listFigures) bool { return l.Name == string(name) }) {
			f.Lists = append(f.Lists, listFigures{Name: string(name), Status: unread})
			f.BackfillRequests++
			f.AtLeast = true
		}
	}
}

// readListFigures reads the results of a run and how many requests the whole list takes, or 0 if
// that is unknown.
func (s *simulation) readListFigures(ctx context.Context, run *history.Run) (l listFigures, requests int64, err error) {
	l = listFigures{
		Name: run.Resource, Status: run.Status, Seen: run.RecordsSeen, Quarantined: run.RecordsQuarantined, Pages: run.Pages, Requests: run.Requests,
		Duration: s.took,
	}
	if run.FinishedAt != nil {
		l.Duration = run.FinishedAt.Sub(run.StartedAt)
	}
	if run.Error != nil {
		l.Error = fmt.Sprintf("%s at %s: %s %s", run.Error.Code, run.Error.Endpoint, run.Error.Message, run.Error.Hint)
	}
	rows, counts, share, err := s.trial.countColumns(ctx, run.Resource)
	if err != nil {
		return l, 0, err
	}
	l.Rows = rows
	for i, column := range filledColumns()[run.Resource] {
		if rows > 0 {
			l.Fields = append(l.Fields, fieldFigures{column, float64(counts[i]) / float64(rows)})
		}
	}
	if run.Status == string(syncing.RunRunning) {
		l.Seen = max(l.Seen, rows) // the row is written when the run ends
		l.Requests = max(l.Requests, (rows+pageRecords-1)/pageRecords)
	}
	requests = max(l.Requests, 1)
	if run.Status == string(syncing.RunRunning) {
		// Records are sorted by the time of their change, so this share of the time span has been
		// read.
		requests = 0
		if share > 0 {
			requests = int64(math.Ceil(float64(l.Requests) / share))
		}
	}
	return l, requests, nil
}

// printFigures prints the figures.
func (f *simulateFlags) printFigures(n *figures, stdout io.Writer) error {
	failed := !n.Whole
	for _, l := range n.Lists {
		fmt.Fprintf(stdout, "%-9s %-11s %d rows of %d records, %d quarantined, %d pages, %d requests, %s\n",
			l.Name, l.Status, l.Rows, l.Seen, l.Quarantined, l.Pages, l.Requests, l.Duration.Round(time.Millisecond))
		if l.Error != "" {
			fmt.Fprintf(stdout, "          %s\n", l.Error)
		}
		var parts []string
		for _, field := range l.Fields {
			parts = append(parts, fmt.Sprintf("%s %.0f %%", field.Name, 100*field.Filled))
		}
		if len(parts) > 0 {
			fmt.Fprintf(stdout, "          filled: %s\n", strings.Join(parts, ", "))
		}
		failed = failed || l.Status != string(syncing.RunSucceeded) && l.Status != string(syncing.RunSkipped)
	}
	if n.QuarantinedTotal > 0 {
		fmt.Fprintf(stdout, "\n%d records would be quarantined, such as:\n", n.QuarantinedTotal)
		for _, q := range n.Quarantined {
			fmt.Fprintf(stdout, "  %s %s: %s\n      %s\n", q.List, q.Rule, q.Detail, strings.ReplaceAll(q.Raw, "\n", " "))
		}
	}
	for i, finding := range n.Findings {
		if i == 0 {
			fmt.Fprintln(stdout, "\nFindings (every record that was read is kept):")
		}
		fmt.Fprintf(stdout, "  %s %s: %d\n", finding.List, finding.Rule, finding.Count)
	}
	how := "The first read takes"
	switch {
	case n.AtLeast:
		how = "Not everything was read. The first read takes more than"
	case !n.Whole:
		how = "Not everything was read. The first read takes about"
	}
	fmt.Fprintf(stdout, "\n%s %d requests: %s at five a second, or longer where answers take more than 200 ms.\n",
		how, n.BackfillRequests, n.Backfill.Round(time.Second))
	if f.json != "" {
		text, err := json.MarshalIndent(n, "", "  ")
		if err != nil {
			return err
		}
		if err := os.WriteFile(f.json, append(text, '\n'), secret); err != nil {
			return err
		}
	}
	if failed {
		return exit(exitError)
	}
	return nil
}
