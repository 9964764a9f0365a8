package webhooks

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/auditlog/action"
	"github.com/assayhq/assay/store/event"
	"github.com/assayhq/assay/store/keyset"
)

// DeliveryStatus is the state of a delivery.
type DeliveryStatus string

// The states of a delivery. A pending one is shown as delivering while a process works on its
// endpoint and its attempt is due.
const (
	DeliveryPending    DeliveryStatus = "pending"    // The delivery waits for its next attempt.
	DeliveryDelivering DeliveryStatus = "delivering" // An attempt is being made, or is the next to be made.
	DeliverySucceeded  DeliveryStatus = "succeeded"  // The endpoint answered with a 2xx status.
	DeliveryFailed     DeliveryStatus = "failed"     // No attempts are left.
	DeliverySkipped    DeliveryStatus = "skipped"    // The endpoint was switched off.
)

// DeliveryStatuses lists the states.
func DeliveryStatuses() []DeliveryStatus {
	return []DeliveryStatus{DeliveryPending, DeliveryDelivering, DeliverySucceeded, DeliveryFailed, DeliverySkipped}
}

// AttemptTrigger is why an attempt is made.
type AttemptTrigger string

// The triggers of an attempt.
const (
	TriggerOfSchedule AttemptTrigger = "schedule" // The attempt was scheduled.
	TriggerByHand     AttemptTrigger = "manual"   // Someone requested a retry.
	TriggerOfTest     AttemptTrigger = "test"     // The delivery is a test ping.
)

// Errors of a retry.
var (
	// ErrDelivering means that an attempt at the delivery is due or under way.
	ErrDelivering = errors.New("an attempt is under way")
	// ErrEndpointDisabled means that the delivery's endpoint is switched off.
	ErrEndpointDisabled = errors.New("webhook endpoint is disabled")
	// ErrTooManyAttempts means that the delivery has had the maximum of attempts.
	ErrTooManyAttempts = errors.New("too many attempts")
	// ErrPayloadExpired means that the payload of the delivery has been deleted.
	ErrPayloadExpired = errors.New("payload expired")
)

// Delivery is the sending of an event to an endpoint.
type Delivery struct {
	ID            uuid.UUID      `bun:"id"`
	EndpointID    uuid.UUID      `bun:"endpoint_id"`
	EventID       uuid.UUID      `bun:"event_id"`
	EventType     event.Kind     `bun:"event_type"`
	OccurredAt    time.Time      `bun:"occurred_at"`
	Sequence      int64          `bun:"sequence"`
	Status        DeliveryStatus `bun:"status"`
	NextAttemptAt *time.Time     `bun:"next_attempt_at"` // nil if there will be none
	CreatedAt     time.Time      `bun:"created_at"`
	Data          []byte         `bun:"data"`     // JSON; nil once it has been deleted
	AttemptCount  int            `bun:"attempts"` // attempts made
	Attempts      []Attempt      `bun:"-"`        // the latest, at most ShownAttempts, in chronological order
}

// Attempt is one attempt at a delivery.
type Attempt struct {
	DeliveryID   uuid.UUID      `bun:"delivery_id"`
	Number       int            `bun:"number"` // 1 is the first
	Trigger      AttemptTrigger `bun:"trigger"`
	StartedAt    time.Time      `bun:"started_at"`
	LatencyMS    int64          `bun:"latency_ms"`
	HTTPStatus   *int           `bun:"http_status"`   // nil if there was no response
	ErrorCode    *string        `bun:"error_code"`    // nil if it succeeded
	ResponseBody *string        `bun:"response_body"` // beginning of the response; nil if there was none, or it has been deleted
	Truncated    bool           `bun:"truncated"`     // there was more
}

// DeliveryFilter narrows a list of deliveries. A zero value does not filter.
type DeliveryFilter struct {
	Status       DeliveryStatus
	Event        event.Kind
	Since, Until *time.Time // of the delivery's creation; Until is exclusive
	Sort         string     // one of DeliverySorts
}

// deliveryColumns selects a Delivery from d, its endpoint's state s and its event v.
const deliveryColumns = `d.id, d.attempts, d.endpoint_id, d.event_id, d.event_type, v.occurred_at, d.sequence, CASE WHEN d.status = 'pending' AND NOT (` + givenUp + `) AND (s.paused_at IS NULL OR d.trigger <> 'schedule') THEN ` + dueAt + ` END AS next_attempt_at, d.created_at, v.data::text AS data,
    CASE WHEN ` + givenUp + ` THEN 'skipped' WHEN d.status = 'pending' AND ` + underWay + ` THEN 'delivering' ELSE d.status END AS status`

// underWay is the condition on a pending delivery d, with its endpoint's state s, that its attempt
// is under way or next.
const underWay = dueAt + ` <= now() AND s.leased_until > now()`

// deliverySource is the FROM clause of deliveries. Deliveries are as old as their events.
const deliverySource = ` FROM webhook_deliveries AS d JOIN webhook_states AS s ON s.endpoint_id = d.endpoint_id JOIN webhook_events AS v ON v.id = d.event_id`

// DeliverySorts are the orders of an endpoint's deliveries, of which the default shows the newest
// first. An index has those by time; for the others, all that match the filter are sorted.
func DeliverySorts() keyset.Sorts[Delivery] {
	return keyset.Sorts[Delivery]{
		Columns: []keyset.SortColumn[Delivery]{
			{Name: "created_at", Column: keyset.Column{SQL: "d.created_at", Type: keyset.Time, Descending: true}, Value: func(d Delivery) any { return d.CreatedAt }},
			{Name: "event", Column: keyset.Column{SQL: "d.event_type", Type: keyset.Text, Unindexed: true}, Value: func(d Delivery) any { return d.EventType }},
			{Name: "status", Column: keyset.Column{SQL: shownStatus, Type: keyset.Text, Unindexed: true}, Value: func(d Delivery) any { return d.shownStatus() }},
			{Name: "attempt_count", Column: keyset.Column{SQL: "d.attempts", Type: keyset.Number, Descending: true, Unindexed: true}, Value: func(d Delivery) any { return d.AttemptCount }},
		},
		Ties: []keyset.SortColumn[Delivery]{{Column: keyset.Column{SQL: "d.id", Type: keyset.UUID, Descending: true}, Value: func(d Delivery) any { return d.ID }}},
	}
}

// shownStatus is the status of a delivery d, with its endpoint's state s, that orders compare. It
// is not about whether an attempt is under way, which changes while somebody goes from page to page.
const shownStatus = `CASE WHEN ` + givenUp + ` THEN 'skipped' ELSE d.status END`

func (d Delivery) shownStatus() string {
	if d.Status == DeliveryDelivering {
		return string(DeliveryPending)
	}
	return string(d.Status)
}

// EachDelivery calls visit for all deliveries of an endpoint that match the filter, in its order and
// with the errors of ListDeliveries. Each has only its latest attempt, without the response, which
// may be long. See store.EachRow.
func EachDelivery(ctx context.Context, reader store.Reader, orgID, endpointID uuid.UUID, f DeliveryFilter, visit func(Delivery) error) (err error) {
	defer store.WrapError(&err, "read deliveries of webhook endpoint %s", endpointID)
	read := func(p store.Page) ([]Delivery, int, error) {
		return deliveryList{orgID, endpointID, f}.readPage(ctx, reader, p, readLatestAttempt)
	}
	return store.EachRow(DeliverySorts().Order(f.Sort), read, DeliverySorts().PositionIn(f.Sort), visit)
}

// ListDeliveries lists the deliveries of an endpoint in the order of the filter, with the number of
// all that match it. It returns ErrNotFound if the organization has no such endpoint.
func ListDeliveries(ctx context.Context, reader store.Reader, orgID, endpointID uuid.UUID, f DeliveryFilter, p store.Page) (list []Delivery, total int, err error) {
	defer store.WrapError(&err, "list deliveries of webhook endpoint %s", endpointID)
	return deliveryList{orgID, endpointID, f}.readPage(ctx, reader, p, readAttempts)
}

// deliveryList is the deliveries of an endpoint that match a filter.
type deliveryList struct {
	orgID, endpointID uuid.UUID
	filter            DeliveryFilter
}

// readPage reads a page of the list and, by attach, the attempts of its deliveries.
func (l deliveryList) readPage(ctx context.Context, reader store.Reader, p store.Page, attach func(context.Context, bun.IDB, []Delivery) error) (list []Delivery, total int, err error) {
	f := l.filter
	order := DeliverySorts().Order(f.Sort)
	on, onArgs, err := p.Where(order)
	if err != nil {
		return nil, 0, err
	}
	err = reader.ReadSnapshot(ctx, l.orgID, func(ctx context.Context, tx bun.Tx) error {
		list = []Delivery{}
		if _, err := selectEndpoint(ctx, tx, l.orgID, l.endpointID); err != nil {
			return err
		}
		where, args := f.whereSQL(l.endpointID)
		from := ` FROM webhook_deliveries AS d`
		if f.Status == DeliveryPending || f.Status == DeliveryDelivering || f.Status == DeliverySkipped || order[0].SQL == shownStatus {
			from += ` JOIN webhook_states AS s ON s.endpoint_id = d.endpoint_id`
		}
		count := `SELECT count(*)` + from + where
		if f == (DeliveryFilter{Sort: f.Sort}) {
			count = numberedTotal
		}
		if total, err = p.CountRows(ctx, tx, count, args...); err != nil || p.Offset() >= int64(total) {
			return err
		}
		page := from + where + ` AND ` + on + order.SQL() + ` LIMIT ? OFFSET ?`
		args = append(append(args, onArgs...), p.MaxRows(), p.Offset())
		if done, err := p.ScanPositions(ctx, tx, order, page, args...); done {
			return err
		}
		// The page is found in the index alone, before any of its rows are read.
		err = tx.NewRaw(`WITH page AS MATERIALIZED (SELECT d.id`+page+`)
SELECT `+deliveryColumns+deliverySource+` WHERE d.id IN (SELECT id FROM page)`+order.SQL(), args...).Scan(ctx, &list)
		if err != nil {
			return err
		}
		return attach(ctx, tx, list)
	})
	return list, total, err
}

// numberedTotal counts all deliveries of an endpoint without reading each: their numbers have no
// gaps, and only the first ones have been deleted. It reads some of the oldest, whose order in time
// may differ from that of their numbers.
const numberedTotal = `SELECT s.sequence + 1 - coalesce((SELECT min(oldest.sequence) FROM (
    SELECT d.sequence FROM webhook_deliveries AS d WHERE d.endpoint_id = s.endpoint_id ORDER BY d.created_at, d.id LIMIT 100
) AS oldest), s.sequence + 1) FROM webhook_states AS s WHERE s.endpoint_id = ?`

// whereSQL returns the filter as SQL.
func (f DeliveryFilter) whereSQL(endpointID uuid.UUID) (where string, args []any) {
	where, args = ` WHERE d.endpoint_id = ?`, []any{endpointID}
	and := func(condition string, values ...any) {
		where, args = where+" AND "+condition, append(args, values...)
	}
	switch f.Status {
	case "":
	case DeliveryPending:
		and(`d.status = 'pending' AND NOT (` + givenUp + `) AND (` + underWay + `) IS NOT TRUE`)
	case DeliveryDelivering:
		and(`d.status = 'pending' AND NOT (` + givenUp + `) AND ` + underWay)
	case DeliverySkipped:
		and(`(d.status = 'skipped' OR ` + givenUp + `)`)
	default:
		and(`d.status = ?`, f.Status)
	}
	if f.Event != "" {
		and(`d.event_type = ?`, f.Event)
	}
	if f.Since != nil {
		and(`d.created_at >= ?`, *f.Since)
	}
	if f.Until != nil {
		and(`d.created_at < ?`, *f.Until)
	}
	return where, args
}

// readAttempts adds the latest attempts to the deliveries.
func readAttempts(ctx context.Context, tx bun.IDB, list []Delivery) error {
	return addAttempts(ctx, tx, list, ShownAttempts, "a.response_body, a.truncated")
}

// readLatestAttempt adds the latest attempt to the deliveries, without its response.
func readLatestAttempt(ctx context.Context, tx bun.IDB, list []Delivery) error {
	return addAttempts(ctx, tx, list, 1, "NULL AS response_body, a.truncated")
}

// addAttempts adds the latest attempts to the deliveries, at most so many to each.
func addAttempts(ctx context.Context, tx bun.IDB, list []Delivery, most int, response string) error {
	if len(list) == 0 {
		return nil
	}
	at, ids := make(map[uuid.UUID]int, len(list)), make([]uuid.UUID, len(list))
	for i := range list {
		ids[i], at[list[i].ID] = list[i].ID, i
		list[i].Attempts = []Attempt{}
	}
	var attempts []Attempt
	err := tx.NewRaw(`SELECT a.delivery_id, a.number, a.trigger, a.started_at, a.latency_ms, a.http_status, a.error_code, `+response+`
FROM webhook_deliveries AS d CROSS JOIN LATERAL (
    SELECT * FROM webhook_attempts AS a WHERE a.delivery_id = d.id ORDER BY a.number DESC LIMIT ?
) AS a WHERE d.id IN (?) ORDER BY a.delivery_id, a.number`, most, bun.List(ids)).Scan(ctx, &attempts)
	for _, a := range attempts {
		d := &list[at[a.DeliveryID]]
		d.Attempts = append(d.Attempts, a)
	}
	return err
}

// ReadDelivery returns a delivery of the organization, with its attempts. It returns ErrNotFound if
// there is none, or if its endpoint has been deleted.
func ReadDelivery(ctx context.Context, db *store.DB, orgID, id uuid.UUID) (d Delivery, err error) {
	defer store.WrapError(&err, "read webhook delivery %s", id)
	err = db.InSnapshot(ctx, func(ctx context.Context, tx bun.Tx) error {
		d, err = selectDelivery(ctx, tx, orgID, id)
		return err
	})
	return d, err
}

func selectDelivery(ctx context.Context, tx bun.IDB, orgID, id uuid.UUID) (Delivery, error) {
	list := make([]Delivery, 1)
	err := tx.NewRaw(`SELECT `+deliveryColumns+deliverySource+` WHERE d.id = ? AND d.organization_id = ?`, id, orgID).Scan(ctx, &list[0])
	if err == nil {
		err = readAttempts(ctx, tx, list)
	}
	return list[0], err
}

// RetryDelivery requests an attempt now, with the same event, and returns the updated delivery. A
// delivery that waits for its next attempt, which this one replaces, or was skipped, continues with
// the schedule afterwards. For any other it is the last attempt. It returns ErrNotFound like
// ReadDelivery, ErrDelivering, ErrEndpointDisabled, ErrPayloadExpired or ErrTooManyAttempts.
func RetryDelivery(ctx context.Context, db *store.DB, c store.Change, id uuid.UUID) (d Delivery, err error) {
	defer store.WrapError(&err, "retry webhook delivery %s", id)
	return store.MakeChange(ctx, db, c, func(ctx context.Context, tx *store.Tx) (d Delivery, err error) {
		var endpoint uuid.UUID
		err = tx.NewRaw(`SELECT s.endpoint_id FROM webhook_deliveries AS d JOIN webhook_states AS s ON s.endpoint_id = d.endpoint_id
WHERE d.id = ? AND d.organization_id = ? FOR NO KEY UPDATE OF s`, id, c.OrganizationID).Scan(ctx, &endpoint)
		if err != nil {
			return d, err
		}
		if err := checkRetriable(ctx, tx, id); err != nil {
			return d, err
		}
		_, err = tx.NewRaw(`UPDATE webhook_deliveries AS d SET scheduled = CASE WHEN d.status = 'skipped' OR `+givenUp+` THEN 0 WHEN d.status = 'pending' THEN d.scheduled ELSE ? END,
    status = 'pending', trigger = ?, next_attempt_at = clock_timestamp(), era = s.era FROM webhook_states AS s WHERE d.id = ? AND s.endpoint_id = d.endpoint_id`,
			ScheduledAttempts, TriggerByHand, id).Exec(ctx)
		if err != nil {
			return d, err
		}
		if err := wakeEndpoint(ctx, tx, endpoint); err != nil {
			return d, err
		}
		if d, err = selectDelivery(ctx, tx, c.OrganizationID, id); err != nil {
			return d, err
		}
		tx.Audit(action.WebhookRetried, endpoint, nil, store.AuditFields{"delivery_id": id})
		return d, nil
	})
}

// Numbers of attempts at a delivery.
const (
	// ScheduledAttempts is how often a delivery is tried before it has failed. A manual retry of one
	// that waits replaces its next attempt.
	ScheduledAttempts = 10
	// MaxAttempts is how often it is tried in total, including manual retries.
	MaxAttempts = 50
	// ShownAttempts is how many attempts are read, because each may have a long response.
	ShownAttempts = 20
)

// checkRetriable returns why a delivery, whose endpoint's state is locked, cannot be tried now, or
// nil if it can.
func checkRetriable(ctx context.Context, tx bun.IDB, id uuid.UUID) error {
	var s struct {
		Due     bool `bun:"due"`
		Active  bool `bun:"active"`
		Expired bool `bun:"expired"`
		Often   bool `bun:"often"`
	}
	err := tx.NewRaw(`SELECT d.status = 'pending' AND NOT (`+givenUp+`) AND `+dueAt+` <= clock_timestamp() AS due, s.is_active AS active, v.data IS NULL AS expired, d.attempts >= ? AS often
FROM webhook_deliveries AS d JOIN webhook_states AS s ON s.endpoint_id = d.endpoint_id JOIN webhook_events AS v ON v.id = d.event_id WHERE d.id = ?`, MaxAttempts, id).Scan(ctx, &s)
	switch {
	case err != nil:
		return err
	case s.Due:
		return ErrDelivering
	case !s.Active:
		return ErrEndpointDisabled
	case s.Expired:
		return ErrPayloadExpired
	case s.Often:
		return ErrTooManyAttempts
	}
	return nil
}

// PingEndpoint writes a ping for the endpoint, active or not, and returns its delivery. It is tried
// once.
func PingEndpoint(ctx context.Context, db *store.DB, c store.Change, endpointID uuid.UUID) (d Delivery, err error) {
	defer store.WrapError(&err, "ping webhook endpoint %s", endpointID)
	return store.MakeChange(ctx, db, c, func(ctx context.Context, tx *store.Tx) (d Delivery, err error) {
		id, err := db.PostPing(ctx, tx, c.OrganizationID, endpointID)
		if err != nil {
			return d, err
		}
		if d, err = selectDelivery(ctx, tx, c.OrganizationID, id); err != nil {
			return d, err
		}
		tx.Audit(action.WebhookTested, endpointID, nil, store.AuditFields{"delivery_id": id})
		return d, nil
	})
}
