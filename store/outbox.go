package store

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/assayhq/assay/store/event"
)

// The initial states and triggers of deliveries. Package webhooks has the others.
const (
	deliveryPending   = "pending"
	deliverySkipped   = "skipped" // the endpoint is switched off
	triggerOfSchedule = "schedule"
	triggerOfTest     = "test" // of a ping
)

// recipient is an endpoint that subscribes to some of the events. The row of its state is locked.
type recipient struct {
	id       uuid.UUID
	events   []string
	filters  []event.Filter
	active   bool
	sequence int64
	era      int64
	held     bool // deliveries are paused, and the endpoint is due after it
}

// subscribesTo reports whether the endpoint subscribes to the kind, whatever its filters.
func (r *recipient) subscribesTo(k event.Kind) bool {
	return slices.ContainsFunc(k.Patterns(), func(p string) bool { return slices.Contains(r.events, p) })
}

// PostEvents writes the events for the endpoints of the organization that subscribe to them, and
// makes these endpoints due. It must be the last statement of the transaction. except is an
// endpoint that does not receive them; zero excludes none.
func (db *DB) PostEvents(ctx context.Context, tx Querier, orgID, except uuid.UUID, events []event.Event) error {
	if len(events) == 0 {
		return nil
	}
	recipients, err := db.lockRecipients(ctx, tx, orgID, events)
	if err != nil {
		return err
	}
	recipients = slices.DeleteFunc(recipients, func(r recipient) bool { return r.id == except })
	if len(recipients) == 0 {
		return nil
	}
	if events, err = db.withoutEmitted(ctx, tx, events); err != nil {
		return err
	}
	m, err := newOutboxBatch(recipients, events)
	if err != nil || len(m.endpointIDs) == 0 {
		return err
	}
	return db.writeBatch(ctx, tx, orgID, m)
}

// withoutEmitted removes the events that have been emitted already. The recipients' states are
// locked, so that nobody emits them at the same time.
func (db *DB) withoutEmitted(ctx context.Context, tx Querier, events []event.Event) ([]event.Event, error) {
	var ids []uuid.UUID
	for _, e := range events {
		if e.ID != uuid.Nil {
			ids = append(ids, e.ID)
		}
	}
	if len(ids) == 0 {
		return events, nil
	}
	rows, err := tx.Query(ctx, `SELECT id FROM webhook_events WHERE id = ANY ($1)`, Prepared(db, ids)...)
	if err != nil {
		return nil, err
	}
	existing, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	return slices.DeleteFunc(slices.Clone(events), func(e event.Event) bool { return e.ID != uuid.Nil && slices.Contains(existing, e.ID) }), err
}

// NewSteadyID returns the id of an event that may be emitted again. It is the same for the same
// time and words, and ordered by time like any other.
func NewSteadyID(at time.Time, words ...any) (id uuid.UUID) {
	sum := sha256.Sum256([]byte(fmt.Sprintln(words...)))
	copy(id[:], sum[:])
	ms := OldestID(at)
	copy(id[:6], ms[:6])
	id[6], id[8] = id[6]&0x0f|0x70, id[8]&0x3f|0x80
	return id
}

// ListPatterns lists all patterns with which the events' recipients may have subscribed.
func ListPatterns(events []event.Event) []string {
	var list []string
	for _, e := range events {
		list = append(list, e.Kind.Patterns()...)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// lockRecipients locks the states of the endpoints that subscribe to one of the events, always in
// the same order.
func (db *DB) lockRecipients(ctx context.Context, tx Querier, orgID uuid.UUID, events []event.Event) ([]recipient, error) {
	rows, err := tx.Query(ctx, `SELECT s.endpoint_id, e.events, e.filters, s.is_active, s.sequence, s.era, `+onHold+`
FROM webhook_endpoints AS e JOIN webhook_states AS s ON s.endpoint_id = e.id
WHERE e.organization_id = $1 AND e.deleted_at IS NULL AND e.events && $2::text[]
ORDER BY s.endpoint_id FOR NO KEY UPDATE OF s`, Prepared(db, orgID, ListPatterns(events))...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (r recipient, err error) {
		return r, row.Scan(&r.id, &r.events, &r.filters, &r.active, &r.sequence, &r.era, &r.held)
	})
}

// outboxBatch holds the rows of some events and their deliveries, and the resulting states of the
// endpoints, as columns.
type outboxBatch struct {
	eventIDs   []uuid.UUID
	eventTypes []string
	eventData  []string

	deliveryIDs, deliveryEndpoints, deliveryEvents []uuid.UUID
	deliveryTypes, deliveryStatuses, triggers      []string
	deliverySequences, eras                        []int64

	endpointIDs []uuid.UUID
	sequences   []int64
	due         []bool // the endpoint has something to do now
}

// newOutboxBatch addresses the events to their subscribers. It leaves out events without any, and
// endpoints whose filters none of the events passes.
func newOutboxBatch(recipients []recipient, events []event.Event) (*outboxBatch, error) {
	m, before := new(outboxBatch), make([]int64, len(recipients))
	for i := range recipients {
		before[i] = recipients[i].sequence
	}
	for _, e := range events {
		data, to, err := selectRecipients(recipients, e)
		if err != nil {
			return nil, err
		}
		if len(to) == 0 {
			continue
		}
		id := e.ID
		if id == uuid.Nil {
			id = NewID()
		}
		m.addEvent(id, e.Kind, data)
		for _, r := range to {
			r.sequence++
			status := deliveryPending
			if !r.active {
				status = deliverySkipped
			}
			m.addDelivery(r, id, e.Kind, status, triggerOfSchedule)
		}
	}
	for i := range recipients {
		if r := &recipients[i]; r.sequence > before[i] {
			m.addState(r, r.active && !r.held)
		}
	}
	return m, nil
}

// selectRecipients returns those that subscribe to the event and whose filters it passes, with its
// data.
func selectRecipients(recipients []recipient, e event.Event) (data []byte, to []*recipient, err error) {
	filtered := false
	for i := range recipients {
		if r := &recipients[i]; r.subscribesTo(e.Kind) {
			to, filtered = append(to, r), filtered || len(r.filters) > 0
		}
	}
	if len(to) == 0 {
		return nil, nil, nil
	}
	if data, err = e.Encode(); err != nil || !filtered {
		return data, to, err
	}
	document, err := event.ParseDocument(data)
	return data, slices.DeleteFunc(to, func(r *recipient) bool { return !document.Passes(r.filters) }), err
}

func (m *outboxBatch) addEvent(id uuid.UUID, kind event.Kind, data []byte) {
	m.eventIDs, m.eventTypes, m.eventData = append(m.eventIDs, id), append(m.eventTypes, string(kind)), append(m.eventData, string(data))
}

// addDelivery adds a delivery and returns its id.
func (m *outboxBatch) addDelivery(r *recipient, eventID uuid.UUID, kind event.Kind, status, trigger string) uuid.UUID {
	id := NewID()
	m.deliveryIDs, m.deliveryEndpoints, m.deliveryEvents = append(m.deliveryIDs, id), append(m.deliveryEndpoints, r.id), append(m.deliveryEvents, eventID)
	m.deliveryTypes, m.deliveryStatuses = append(m.deliveryTypes, string(kind)), append(m.deliveryStatuses, status)
	m.triggers, m.deliverySequences = append(m.triggers, trigger), append(m.deliverySequences, r.sequence)
	m.eras = append(m.eras, r.era)
	return id
}

// addState adds the endpoint's new state, and whether it is due.
func (m *outboxBatch) addState(r *recipient, due bool) {
	m.endpointIDs, m.sequences, m.due = append(m.endpointIDs, r.id), append(m.sequences, r.sequence), append(m.due, due)
}

// batchSQL writes a batch. Deliveries carry the time at which they are written, while the
// endpoint's state is locked, rather than the transaction's start, so that the order of times is
// that of their sequence.
const batchSQL = `WITH happened AS (
    INSERT INTO webhook_events (id, organization_id, type, data)
    SELECT u.id, $1, u.type, u.data::json FROM unnest($2::uuid[], $3::text[], $4::text[]) AS u(id, type, data)
), deliveries AS (
    INSERT INTO webhook_deliveries (id, endpoint_id, organization_id, event_id, event_type, sequence, era, status, trigger, next_attempt_at, created_at)
    SELECT u.id, u.endpoint, $1, u.event, u.type, u.sequence, u.era, u.status, u.trigger, CASE u.status WHEN 'pending' THEN clock_timestamp() END, clock_timestamp()
    FROM unnest($5::uuid[], $6::uuid[], $7::uuid[], $8::text[], $9::bigint[], $10::bigint[], $11::text[], $12::text[]) AS u(id, endpoint, event, type, sequence, era, status, trigger)
)
UPDATE webhook_states AS s SET sequence = u.sequence, version = s.version + 1, job_at = CASE WHEN u.due THEN least(s.job_at, now()) ELSE s.job_at END
FROM unnest($13::uuid[], $14::bigint[], $15::boolean[]) AS u(id, sequence, due) WHERE s.endpoint_id = u.id`

// writeBatch writes a batch of events, whose recipients are locked.
func (db *DB) writeBatch(ctx context.Context, tx Querier, orgID uuid.UUID, m *outboxBatch) error {
	_, err := tx.Exec(ctx, batchSQL, Prepared(db, orgID, m.eventIDs, m.eventTypes, m.eventData,
		m.deliveryIDs, m.deliveryEndpoints, m.deliveryEvents, m.deliveryTypes, m.deliverySequences, m.eras, m.deliveryStatuses, m.triggers,
		m.endpointIDs, m.sequences, m.due)...)
	return err
}

// PostPing writes a ping for an endpoint of the organization, active or not, and returns the id of
// its delivery. It returns ErrNotFound if there is no such endpoint.
func (db *DB) PostPing(ctx context.Context, tx *Tx, orgID, endpointID uuid.UUID) (deliveryID uuid.UUID, err error) {
	err = tx.View(func(conn *pgx.Conn) error {
		deliveryID, err = db.postPing(ctx, conn, orgID, endpointID)
		return err
	})
	return deliveryID, err
}

func (db *DB) postPing(ctx context.Context, tx Querier, orgID, endpointID uuid.UUID) (deliveryID uuid.UUID, err error) {
	r := recipient{id: endpointID}
	err = tx.QueryRow(ctx, `SELECT s.sequence, s.era
FROM webhook_states AS s JOIN webhook_endpoints AS e ON e.id = s.endpoint_id WHERE s.endpoint_id = $1 AND e.organization_id = $2 FOR NO KEY UPDATE OF s`,
		endpointID, orgID).Scan(&r.sequence, &r.era)
	if err != nil {
		return deliveryID, err
	}
	data, err := event.Event{Kind: event.Ping, Data: event.PingData{EndpointID: endpointID}}.Encode()
	if err != nil {
		return deliveryID, err
	}
	m, eventID := new(outboxBatch), NewID()
	m.addEvent(eventID, event.Ping, data)
	r.sequence++
	deliveryID = m.addDelivery(&r, eventID, event.Ping, deliveryPending, triggerOfTest)
	m.addState(&r, true)
	return deliveryID, db.writeBatch(ctx, tx, orgID, m)
}

// onHold reports whether deliveries are paused and the state s is due after it. Making
// it due now would gain nothing.
const onHold = `(s.held_until > clock_timestamp() AND s.job_at <= s.held_until + interval '5 seconds') IS TRUE`
