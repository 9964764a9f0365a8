package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// reportedTests are tests that write a report, from which the launcher says how far
// they have come and makes a table at the end.
type reportedTests struct {
	name     string // of the command and its files
	doing    string // what is said at the beginning
	args     []string
	env      []string
	report   string // the variable that names the report
	progress func(report string) string
	table    func(report string) (string, error)
}

// runReported runs such tests with a database, and prints the table.
func (l *launcher) runReported(ctx context.Context, r reportedTests) error {
	return l.withDatabase(ctx, "test", func(env []string) error {
		if err := l.ensureRecordings(ctx); err != nil {
			return err
		}
		report, logs := filepath.Join(l.dir, r.name+".jsonl"), filepath.Join(l.dir, r.name+".log")
		if err := os.Remove(report); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		log, err := os.Create(logs)
		if err != nil {
			return err
		}
		defer log.Close()
		l.say("%s; what the tests say goes to %s", r.doing, logs)
		watching, stop := context.WithCancel(ctx)
		seen := make(chan struct{})
		go func() {
			defer close(seen)
			l.watchReport(watching, func() string { return r.progress(report) })
		}()
		ran := l.goTest(ctx, append(append(env, r.env...), r.report+"="+report), r.args, log)
		stop()
		<-seen
		table, err := r.table(report)
		if err != nil {
			return errors.Join(ran, err)
		}
		fmt.Print(table)
		if ran != nil {
			l.say("what failed says why in %s", logs)
		}
		return ran
	})
}

// reportEvery is how often progress is polled.
const reportEvery = 15 * time.Second

// watchReport says how far the tests have come, until ctx ends.
func (l *launcher) watchReport(ctx context.Context, progress func() string) {
	tick := time.NewTicker(reportEvery)
	defer tick.Stop()
	said := ""
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if text := progress(); text != "" && text != said {
			l.say("%s", text)
			said = text
		}
	}
}

// readReport reads the lines that have been reported so far.
func readReport[T any](report string) (lines []T, err error) {
	text, err := os.ReadFile(report)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		var v T
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			return nil, fmt.Errorf("%s: %w", report, err)
		}
		lines = append(lines, v)
	}
	return lines, nil
}
