package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/configs"
	"github.com/assayhq/assay/internal/boot"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/syncing"
	"github.com/assayhq/assay/store/syncing/history"
	"github.com/assayhq/assay/store/work"
	"github.com/assayhq/assay/syncd/engine"
)

// runOnce runs one cycle of one integration, with all its slices, and prints its
// runs. It fails if a run did, or if there was none.
func runOnce(ctx context.Context, config configs.Config, file, integration string, stdout, stderr io.Writer) error {
	id, err := uuid.Parse(integration)
	if err != nil {
		return fmt.Errorf("%w: --integration must be an ID, not %q", errUsage, integration)
	}
	p, err := assembleParts(ctx, config, file, leases{}, nil, stderr)
	if err != nil {
		return err
	}
	defer p.Close()
	if err := boot.WaitForSchema(ctx, p.Store, p.Log); err != nil {
		return err
	}
	cycle, err := runCycle(ctx, p, id)
	if err != nil {
		return err
	}
	return printRuns(ctx, p.Store, id, cycle, stdout)
}

// runCycle claims the integration until its current cycle is over, and returns that
// cycle.
func runCycle(ctx context.Context, p parts, id uuid.UUID) (uuid.UUID, error) {
	var cycle uuid.UUID
	for {
		claim, err := syncing.ClaimOne(ctx, p.Store, p.owner, id, engine.DefaultLease)
		switch {
		case errors.Is(err, store.ErrConflict):
			return cycle, fmt.Errorf("another process is syncing integration %s. Stop it, or wait for its cycle to end", id)
		case errors.Is(err, store.ErrBlocked) && cycle == uuid.Nil:
			return cycle, fmt.Errorf("integration %s is not synced because it is inactive, blocked, or has not passed its live check", id)
		case errors.Is(err, store.ErrBlocked):
			return cycle, nil
		case err != nil:
			return cycle, err
		}
		if cycle == uuid.Nil {
			cycle = claim.Cycle.ID
		}
		if err := runSlice(ctx, p, claim); err != nil {
			// The lease must be released even if ctx has ended.
			after, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
			defer cancel()
			return cycle, errors.Join(err, syncing.ReleaseLease(after, p.Store, claim.Lease))
		}
		over, wait, err := history.CheckCycle(ctx, p.Store, id)
		if err != nil || over {
			return cycle, err
		}
		select {
		case <-ctx.Done():
			return cycle, ctx.Err()
		case <-time.After(wait):
		}
	}
}

// runSlice works on the claim and extends its lease meanwhile.
func runSlice(ctx context.Context, p parts, claim syncing.Claim) error {
	held, release := work.Hold(ctx, engine.DefaultLease, func(ctx context.Context) error {
		return syncing.ExtendLease(ctx, p.Store, claim.Lease, engine.DefaultLease)
	})
	defer release()
	return p.engine.RunSlice(held, claim)
}

// printRuns prints the runs of the cycle.
func printRuns(ctx context.Context, db *store.DB, id, cycle uuid.UUID, stdout io.Writer) error {
	runs, err := history.ListCycle(ctx, db, id, cycle)
	if err != nil {
		return err
	}
	if len(runs) == 0 {
		return errors.New("nothing was read; the log above and last_error of the integration say why")
	}
	failed, incomplete := 0, 0
	for _, r := range runs {
		fmt.Fprintf(stdout, "%-9s %-12s %-11s %d pages, %d seen, %d inserted, %d updated, %d unchanged, %d quarantined\n",
			r.Resource, r.Mode, r.Status, r.Pages, r.RecordsSeen, r.RecordsInserted, r.RecordsUpdated, r.RecordsUnchanged, r.RecordsQuarantined)
		if r.Error != nil {
			fmt.Fprintf(stdout, "          %s at %s: %s\n          %s\n", r.Error.Code, r.Error.Endpoint, r.Error.Message, r.Error.Hint)
		}
		switch syncing.RunStatus(r.Status) {
		case syncing.RunFailed, syncing.RunBlocked, syncing.RunInterrupted:
			failed++
		case syncing.RunPartial, syncing.RunThrottled:
			incomplete++
		}
	}
	if incomplete > 0 {
		fmt.Fprintf(stdout, "%d of %d runs did not complete; the next cycle continues them\n", incomplete, len(runs))
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d runs failed", failed, len(runs))
	}
	return nil
}
