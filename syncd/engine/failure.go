package engine

import (
	"context"
	"errors"
	"time"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/syncing"
)

// failureKind is what follows from an error while a stream was read, for its run as for the
// sweep of an audit.
type failureKind int

const (
	failureFinal       failureKind = iota // nothing but the end of the run
	failureStopped                        // the process stops, or the lease is lost
	failurePaused                         // the database is away
	failurePostponed                      // the page is tried again after a wait
	failureThrottled                      // the platform asked to wait
	failureDenied                         // the platform refused the credential
	failureSkipped                        // the platform does not offer the list, and need not
	failureLooping                        // the list returned to an earlier page
	failureRejected                       // the platform refused the cursor: the list is read from its beginning
	failureUnreachable                    // no connection was made
)

// failure is an error while a stream was read, and what follows from it.
type failure struct {
	kind     failureKind
	platform *connectors.Error // nil if the error is not the platform's
	wait     time.Duration     // of failurePaused and failurePostponed
}

// judgeFailure decides what follows from an error while a stream was read. silent is
// whether the platform has let others wait already, so that no page is tried again that
// was not answered.
//
// A statement that timed out is tried again like a page of a platform that did, because
// the server may have stalled. Any other error inside assay is recorded as a failure, so
// that it is visible and backs off like one.
func judgeFailure(ctx context.Context, spec connectors.StreamSpec, run *syncing.OpenRun, err error, silent bool) failure {
	pe, ok := platformError(ctx, err)
	mayRetry := run.Attempt < len(postponed)
	switch {
	case ok:
		return judgePlatform(spec, run, pe, mayRetry && (!silent || !pe.Unanswered()))
	case ctx.Err() != nil || errors.Is(err, store.ErrFenced):
		return failure{kind: failureStopped}
	case store.Transient(err):
		return failure{kind: failurePaused, wait: 5 * time.Second}
	case store.HasState(err, store.StateQueryCanceled) && mayRetry:
		return failure{kind: failurePostponed, wait: postponed[run.Attempt]}
	}
	return failure{kind: failureFinal}
}

func judgePlatform(spec connectors.StreamSpec, run *syncing.OpenRun, pe *connectors.Error, mayRetry bool) failure {
	f := failure{platform: pe}
	switch {
	case pe.Code == connectors.CodeThrottled:
		f.kind = failureThrottled
	case pe.Denied() && !spec.Dispensable:
		f.kind = failureDenied
	case pe.Code == connectors.CodeNotFound && spec.Optional && run.Cursor == "":
		f.kind = failureSkipped
	case pe.Code == connectors.CodeCursorLoop:
		f.kind = failureLooping
	case rejectedCursor(run, pe):
		f.kind = failureRejected
	case pe.Retryable() && mayRetry:
		f.kind, f.wait = failurePostponed, postponed[run.Attempt]
	case pe.Unreachable:
		f.kind = failureUnreachable
	}
	return f
}
