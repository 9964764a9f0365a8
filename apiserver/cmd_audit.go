package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/store"
)

// progressEvery is how often a command that takes long says how far it is.
const progressEvery = 5 * time.Second

// errTampered ends the verification of an audit log that is not whole.
var errTampered = errors.New("the audit log has been tampered with")

// verifyAudit checks the audit log of one organization or of all, and prints a
// line for each and one for each fault.
func verifyAudit(ctx context.Context, o options, stdout, stderr io.Writer) error {
	only, noted, err := checkVerify(o)
	if err != nil {
		return fmt.Errorf("%w: %w", errUsage, err)
	}
	config, err := load(o, "database.url")
	if err != nil {
		return err
	}
	db, err := openForCommand(ctx, config, "apiserver audit", nil)
	if err != nil {
		return err
	}
	defer db.Close()
	ids := []uuid.UUID{only}
	if only == uuid.Nil {
		if ids, err = db.AuditedOrganizations(ctx); err != nil {
			return err
		}
	}
	told, faulty := time.Now(), 0
	for _, id := range ids {
		report, err := db.VerifyAudit(ctx, store.AuditVerification{
			OrganizationID: id, Noted: noted,
			Found: func(f store.AuditFault) { fmt.Fprintf(stdout, "%s  %s\n", id, f) },
			Progress: func(rows int64) {
				if time.Since(told) >= progressEvery {
					told = time.Now()
					fmt.Fprintf(stderr, "organization %s: %d rows so far\n", id, rows)
				}
			},
		})
		if err != nil {
			return err
		}
		if report.Faults > 0 {
			faulty++
			fmt.Fprintf(stdout, "%s  TAMPERED  %d rows, faults: %d\n", id, report.Rows, report.Faults)
			continue
		}
		fmt.Fprintf(stdout, "%s  ok  %d rows, head %s\n", id, report.Rows, report.Head)
	}
	if faulty > 0 {
		return fmt.Errorf("%w: %d of %d organizations", errTampered, faulty, len(ids))
	}
	return nil
}

// checkVerify checks the command line. Without an organization all are meant.
func checkVerify(o options) (only uuid.UUID, noted *store.AuditHead, err error) {
	if o.organization != "" {
		if only, err = uuid.Parse(o.organization); err != nil {
			return only, nil, fmt.Errorf("--organization is not an id: %q", o.organization)
		}
	}
	if o.expect == "" {
		return only, nil, nil
	}
	head, err := store.ParseAuditHead(o.expect)
	switch {
	case err != nil:
		return only, nil, fmt.Errorf("--expect: %w", err)
	case only == uuid.Nil:
		return only, nil, errors.New("--expect needs --organization ID: each organization has a head of its own")
	}
	return only, &head, nil
}
