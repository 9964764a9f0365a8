package syncing

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/directory"
	"github.com/assayhq/assay/store/event"
)

// eventsOf returns the events of a commit that has just been written, about a changed health
// and a finished cycle.
func (s *CycleCommit) eventsOf(ctx context.Context, tx pgx.Tx, lease Lease) ([]event.Event, error) {
	integrationID := lease.IntegrationID
	events := healthEvents(integrationID, s.Health)
	for i := range events {
		events[i].ID = s.eventID(integrationID, lease.Token, events[i].Kind, s.Health.From)
	}
	if s.Over == nil {
		return events, nil
	}
	runs, err := runsOf(ctx, tx, integrationID, s.Over.ID)
	if err != nil {
		return nil, err
	}
	ended := event.Event{Kind: event.IntegrationSyncCompleted, Data: event.Sync{
		IntegrationID: integrationID, CycleID: s.Over.ID, Trigger: string(s.Over.Trigger), StartedAt: s.Over.StartedAt, Runs: runs,
		Path: directory.IntegrationsPath + integrationID.String() + "/runs",
	}}
	ended.ID = s.eventID(integrationID, lease.Token, s.Over.ID)
	notable := s.Over.Trigger == TriggerManual
	for _, run := range runs {
		notable = notable || run.Mode == string(ModeBackfill) || run.RecordsUpserted+run.RecordsQuarantined > 0
		switch RunStatus(run.Status) {
		case RunFailed, RunBlocked, RunThrottled:
			ended.Kind = event.IntegrationSyncFailed
		}
	}
	// A failure that repeats in each cycle emits an event when it becomes visible.
	if notable || ended.Kind == event.IntegrationSyncFailed && s.Health != nil {
		events = append(events, ended)
	}
	return events, nil
}

// eventID returns the id of an event that the commit emits, which is the same if it is
// repeated. An event of a commit that ends nothing has no time to identify it, and is emitted
// each time.
func (s *CycleCommit) eventID(words ...any) uuid.UUID {
	at := s.FinishedAt
	if at.IsZero() && s.Health != nil {
		at = s.Health.At
	}
	if at.IsZero() {
		return uuid.Nil
	}
	return store.NewSteadyID(at, append(words, at.UnixNano())...)
}

// runsOf reads the ended runs of a cycle.
func runsOf(ctx context.Context, tx pgx.Tx, integrationID, cycleID uuid.UUID) ([]event.Run, error) {
	rows, err := tx.Query(ctx, `SELECT resource, mode, status, records_inserted + records_updated, records_quarantined, error->>'code'
FROM sync_runs WHERE integration_id = $1 AND cycle_id = $2 AND status <> $3 ORDER BY started_at, id`, integrationID, cycleID, string(RunRunning))
	if err != nil {
		return nil, err
	}
	runs, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (r event.Run, err error) {
		return r, row.Scan(&r.Resource, &r.Mode, &r.Status, &r.RecordsUpserted, &r.RecordsQuarantined, &r.Code)
	})
	if runs == nil {
		runs = []event.Run{}
	}
	return runs, err
}
