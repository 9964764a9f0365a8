package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/configs"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/auditlog"
)

// progressEvery is how often a long-running command reports its progress.
const progressEvery = 5 * time.Second

// errTampered ends the verification of a damaged audit log.
var errTampered = errors.New("the audit log has been tampered with")

// errUnchecked ends a verification that could not be completed and found no fault so far.
var errUnchecked = errors.New("the audit log could not be checked")

// exitUnchecked is the exit code for errUnchecked.
const exitUnchecked = 3

// verification holds the options and state of audit verify.
type verification struct {
	only     uuid.UUID                   // all organizations if zero
	noted    map[uuid.UUID]auditlog.Head // by organization
	db       *store.DB
	stdout   io.Writer
	stderr   io.Writer
	reported time.Time // when the progress was last reported
	faulty   int       // organizations, plus one for the database as a whole
}

// verifyAudit checks the audit log of one organization or of all. It prints a line for each
// organization and each fault. --expect reads this output.
func verifyAudit(ctx context.Context, o options, stdout, stderr io.Writer) error {
	v := verification{stdout: stdout, stderr: stderr, reported: time.Now()}
	if err := v.readOptions(o); err != nil {
		return fmt.Errorf("%w: %w", errUsage, err)
	}
	config, err := loadConfig(o, "database.url")
	if err != nil {
		return err
	}
	if v.db, err = openForCommand(ctx, config, "apiserver audit", nil); err != nil {
		if configs.ExitCode(err) == configs.ExitUsage {
			return err
		}
		return fmt.Errorf("%w: %w", errUnchecked, err)
	}
	defer v.db.Close()
	err = v.run(ctx)
	switch {
	case v.faulty > 0 && err != nil:
		return fmt.Errorf("%w, and not all of it could be checked: %w", errTampered, err)
	case v.faulty > 0:
		return fmt.Errorf("%w: see above", errTampered)
	case err != nil:
		return fmt.Errorf("%w: %w", errUnchecked, err)
	}
	return nil
}

// run checks the triggers and all requested chains.
func (v *verification) run(ctx context.Context) error {
	faults, err := auditlog.CheckGuards(ctx, v.db)
	if err != nil {
		return err
	}
	if len(faults) > 0 {
		v.faulty++
	}
	for _, fault := range faults {
		fmt.Fprintf(v.stdout, "database  %s\n", fault)
	}
	ids := []uuid.UUID{v.only}
	if v.only == uuid.Nil {
		if ids, err = auditlog.ListOrganizations(ctx, v.db); err != nil {
			return err
		}
		ids = slices.AppendSeq(ids, maps.Keys(v.noted))
		slices.SortFunc(ids, func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
		ids = slices.Compact(ids)
	}
	for _, id := range ids {
		if err := v.verifyChain(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

// verifyChain checks the chain of one organization.
func (v *verification) verifyChain(ctx context.Context, id uuid.UUID) error {
	var noted *auditlog.Head
	if head, ok := v.noted[id]; ok {
		noted = &head
	}
	report, err := auditlog.Verify(ctx, v.db, auditlog.Verification{
		OrganizationID: id, Noted: noted,
		Found: func(f auditlog.Fault) { fmt.Fprintf(v.stdout, "%s  %s\n", id, f) },
		Progress: func(rows int64) {
			if time.Since(v.reported) >= progressEvery {
				v.reported = time.Now()
				fmt.Fprintf(v.stderr, "organization %s: %d rows so far\n", id, rows)
			}
		},
	})
	if err != nil {
		return err
	}
	if report.Faults > 0 {
		v.faulty++
		fmt.Fprintf(v.stdout, "%s  TAMPERED  %d rows, faults: %d\n", id, report.Rows, report.Faults)
		return nil
	}
	fmt.Fprintf(v.stdout, "%s  ok  %d rows, head %s\n", id, report.Rows, report.Head)
	return nil
}

// readOptions reads the command line. Without an organization, all are checked.
func (v *verification) readOptions(o options) (err error) {
	if o.organization != "" {
		if v.only, err = uuid.Parse(o.organization); err != nil {
			return fmt.Errorf("--organization must be an ID, not %q", o.organization)
		}
	}
	if o.expect == "" {
		return nil
	}
	if head, err := auditlog.ParseHead(o.expect); err == nil {
		if v.only == uuid.Nil {
			return errors.New("--expect HEAD needs --organization ID, because each organization has its own head")
		}
		v.noted = map[uuid.UUID]auditlog.Head{v.only: head}
		return nil
	}
	text, err := os.ReadFile(o.expect)
	if err != nil {
		return fmt.Errorf("--expect must be NUMBER:HASH or a readable file: %w", err)
	}
	if v.noted, err = readHeads(text); err != nil {
		return fmt.Errorf("--expect %s: %w", o.expect, err)
	}
	if _, ok := v.noted[v.only]; v.only != uuid.Nil && !ok {
		return fmt.Errorf("--expect %s: the file has no head for organization %s", o.expect, v.only)
	}
	return nil
}

// notedHead is a line of earlier output, or a line that somebody wrote from an organization's id
// and a head.
var notedHead = regexp.MustCompile(`^([0-9a-fA-F-]{36})\s(?:.*\s)?(\S+:[0-9a-fA-F]{64})\s*$`)

// readHeads reads the heads of organizations. A line without a head is an error, because its
// organization would silently not be checked. Empty lines are allowed.
func readHeads(text []byte) (map[uuid.UUID]auditlog.Head, error) {
	heads, number := make(map[uuid.UUID]auditlog.Head), 0
	for line := range bytes.Lines(text) {
		number++
		if line = bytes.TrimSpace(line); len(line) == 0 || line[0] == '#' {
			continue
		}
		parts := notedHead.FindSubmatch(line)
		if parts == nil {
			return nil, fmt.Errorf("line %d is not from an organization with an intact log", number)
		}
		id, err := uuid.ParseBytes(parts[1])
		if err != nil {
			return nil, fmt.Errorf("line %d: the organization must be an ID", number)
		}
		head, err := auditlog.ParseHead(string(parts[2]))
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		if _, twice := heads[id]; twice {
			return nil, fmt.Errorf("line %d: organization %s appears twice", number, id)
		}
		heads[id] = head
	}
	if len(heads) == 0 {
		return nil, errors.New("the file has no heads")
	}
	return heads, nil
}
