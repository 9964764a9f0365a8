package syncing

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
)

// AuditedResource is the result of an audit for one resource.
type AuditedResource struct {
	Resource record.Resource `json:"resource"`
	// Status is the outcome of the resource's sweep.
	Status RunStatus `json:"status"`
	// Complete reports that everything was shown, so that everything else is missing.
	Complete bool `json:"complete"`
	// Note says why the sweep is not complete. It is nil if it is, or if Error says it.
	Note *string `json:"note"`
	// Seen counts the records that the platform has shown. Those shown twice count twice.
	Seen int64 `json:"seen"`
	// Judged counts the records that should have been stored as they are, because they were last
	// changed before the newest complete read of the stream.
	Judged int64 `json:"judged"`
	// Absent counts the Judged records that were not stored, and Stale those that were stored in
	// another version. All of them are repaired.
	Absent int64 `json:"absent"`
	Stale  int64 `json:"stale"`
	// Unshown counts stored rows that the sweep has not shown, and Missing those of them that this
	// audit has marked.
	Unshown int64 `json:"unshown"`
	Missing int64 `json:"missing"`
	// Ratio is the share of Judged that was stored correctly, 0 to 1. It is nil unless the sweep
	// was complete.
	Ratio *float64 `json:"ratio"`
	// RepairedIDs are ids of repaired records, and MissingIDs of marked ones: the first ones, at
	// most MaxAuditIDs of each.
	RepairedIDs []string `json:"repaired_ids"`
	MissingIDs  []string `json:"missing_ids"`
	// UnshownHashes are hashes of the keys of unshown rows, if a nightly audit found too many to mark
	// them. Those that are missing in the next nights too are marked then.
	UnshownHashes []int64   `json:"unshown_hashes,omitempty"`
	Error         *Error    `json:"error"`
	StartedAt     time.Time `json:"started_at"`
	FinishedAt    time.Time `json:"finished_at"`
}

// MaxAuditIDs is the most ids of a resource that an audit lists.
const MaxAuditIDs = 100

// OpenAudit is an unfinished audit, for the engine that works on it.
type OpenAudit struct {
	ID        uuid.UUID         `json:"id"`
	Trigger   Trigger           `json:"trigger"`
	StartedAt time.Time         `json:"started_at,omitzero"` // zero if not started
	Sweep     *Sweep            `json:"sweep"`
	Resources []AuditedResource `json:"resources"`
}

// InLeaseTx runs fn in a transaction that locks the lease's row. It returns ErrFenced if the lease
// is no longer held.
func InLeaseTx(ctx context.Context, db *store.DB, lease Lease, fn func(pgx.Tx) error) error {
	return pgx.BeginFunc(ctx, db.Pool, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `SELECT FROM sync_state WHERE integration_id = $1 AND token = $2 FOR UPDATE`, store.Prepared(db, lease.IntegrationID, lease.Token)...)
		switch {
		case err != nil:
			return err
		case tag.RowsAffected() == 0:
			return store.ErrFenced
		}
		return fn(tx)
	})
}

// Sweep is the reading of everything that a platform shows of a resource, within an audit. It is
// stored as JSON with each page, so that another process can continue it.
type Sweep struct {
	// Run is the sweep's run with its checkpoint. A partner's trades are two streams, which the
	// same sweep reads one after the other.
	Run OpenRun `json:"run"`
	// Due is the time until which records must have last changed for the stream's polls to have
	// brought them.
	Due time.Time `json:"due"`
	// Read reports that the last page of the last stream was read.
	Read bool `json:"read,omitempty"`
	// Note says why the sweep does not show everything. It is empty as long as it does.
	Note string `json:"note,omitempty"`
	// Asked reports that missing traders have been requested individually.
	Asked bool `json:"asked,omitempty"`
	// Fresh counts shown records that are so new that they may be missing or stale. Absent and
	// Stale count those that should not be.
	Fresh  int64 `json:"fresh,omitempty"`
	Absent int64 `json:"absent,omitempty"`
	Stale  int64 `json:"stale,omitempty"`
	// Current counts the records that are stored as they are.
	Current int64 `json:"current,omitempty"`
	// RepairedIDs are ids of absent and stale records, at most MaxAuditIDs.
	RepairedIDs []string `json:"repaired_ids,omitempty"`
}
