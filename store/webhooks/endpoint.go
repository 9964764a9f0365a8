package webhooks

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/auditlog/action"
	"github.com/assayhq/assay/store/event"
	"github.com/assayhq/assay/store/seal"
)

// MaxEndpoints is how many endpoints an organization may have.
const MaxEndpoints = 20

// ErrTooManyEndpoints means that the organization has the maximum of endpoints already.
var ErrTooManyEndpoints = errors.New("too many webhook endpoints")

// DisabledReason is why an endpoint is switched off.
type DisabledReason string

// The reasons.
const (
	DisabledByHand  DisabledReason = "manual"  // Someone switched the endpoint off.
	DisabledGone    DisabledReason = "gone"    // The endpoint answered 410.
	DisabledFailing DisabledReason = "failing" // The endpoint had no successful delivery for five days.
)

// EndpointKind is what an endpoint is sent.
type EndpointKind string

// The kinds.
const (
	KindStandard EndpointKind = "standard" // The signed event.
	KindSlack    EndpointKind = "slack"    // A message for a channel, as incoming webhooks of Slack take it.
	KindTeams    EndpointKind = "teams"    // A message for a channel, as workflows of Microsoft Teams take it.
)

// EndpointKinds lists the kinds.
func EndpointKinds() []EndpointKind { return []EndpointKind{KindStandard, KindSlack, KindTeams} }

// Endpoint is a destination of events, without its secret and the values of its headers.
type Endpoint struct {
	ID             uuid.UUID       `bun:"id"`
	OrganizationID uuid.UUID       `bun:"organization_id"`
	Kind           EndpointKind    `bun:"kind"`
	URL            string          `bun:"url"`
	Events         []string        `bun:"events,array"`       // kinds and patterns
	Filters        []event.Filter  `bun:"filters,type:jsonb"` // all of which an event must pass
	HeaderNames    []string        `bun:"header_names,array"` // of the headers that the owner adds
	IsActive       bool            `bun:"is_active"`
	DisabledReason *DisabledReason `bun:"disabled_reason"` // nil while active
	PausedAt       *time.Time      `bun:"paused_at"`       // since when deliveries wait because somebody has paused it; nil if nobody has
	CreatedAt      time.Time       `bun:"created_at"`
	UpdatedAt      time.Time       `bun:"updated_at"`
}

// NewEndpoint is an endpoint to create.
type NewEndpoint struct {
	Kind    EndpointKind // empty means standard
	URL     string
	Events  []string
	Filters []event.Filter
	Headers []Header
}

// EndpointPatch is a change of an endpoint. A nil member remains unchanged.
type EndpointPatch struct {
	URL      *string
	Events   *[]string
	Filters  *[]event.Filter // replaces all
	Headers  *[]Header       // replaces all
	IsActive *bool
	Paused   *bool
	// If refuses the change by returning an error about the current endpoint, which does not change
	// in between. Nil accepts any.
	If func(Endpoint) error
}

// secretPrefix is the prefix of signing secrets (Standard Webhooks).
const secretPrefix = "whsec_"

// newSecret returns a new signing secret: the prefix and 32 bytes in base64.
func newSecret() seal.Secret {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails
	return seal.NewSecret(secretPrefix + base64.StdEncoding.EncodeToString(key))
}

// Columns of sealed signing secrets.
const (
	secretColumn         = "secret"
	previousSecretColumn = "previous_secret"
)

// secretBinding returns the binding that ties a sealed signing secret to its row and column.
func secretBinding(column string, orgID, id uuid.UUID) seal.Binding {
	return seal.Binding{Table: "webhook_endpoints", Column: column, Row: id, Organization: orgID}
}

// endpointQuery selects Endpoints of the organization ? that are not deleted.
const endpointQuery = `SELECT e.id, e.organization_id, e.kind, e.url, e.events, e.filters, e.header_names, s.is_active, e.disabled_reason,
    CASE WHEN s.held_until > now() THEN s.paused_at END AS paused_at, e.created_at, e.updated_at
FROM webhook_endpoints AS e JOIN webhook_states AS s ON s.endpoint_id = e.id WHERE e.organization_id = ? AND e.deleted_at IS NULL`

// ListEndpoints lists the organization's endpoints, the newest first.
func ListEndpoints(ctx context.Context, reader store.Reader, orgID uuid.UUID) (list []Endpoint, err error) {
	defer store.WrapError(&err, "list webhook endpoints of organization %s", orgID)
	err = reader.Read(ctx, orgID, func(ctx context.Context, in bun.IDB) error {
		list = []Endpoint{}
		return in.NewRaw(endpointQuery+` ORDER BY e.created_at DESC, e.id DESC`, orgID).Scan(ctx, &list)
	})
	return list, err
}

// ReadEndpoint returns an endpoint of the organization. It returns ErrNotFound if there is none, or
// if it has been deleted.
func ReadEndpoint(ctx context.Context, reader store.Reader, orgID, id uuid.UUID) (e Endpoint, err error) {
	defer store.WrapError(&err, "read webhook endpoint %s", id)
	err = reader.Read(ctx, orgID, func(ctx context.Context, in bun.IDB) error {
		e, err = selectEndpoint(ctx, in, orgID, id)
		return err
	})
	return e, err
}

func selectEndpoint(ctx context.Context, idb bun.IDB, orgID, id uuid.UUID) (e Endpoint, err error) {
	err = idb.NewRaw(endpointQuery+` AND e.id = ?`, orgID, id).Scan(ctx, &e)
	return e, err
}

// lockEndpoint reads an endpoint and prevents changes of it until the transaction ends.
func lockEndpoint(ctx context.Context, tx bun.IDB, orgID, id uuid.UUID) (e Endpoint, err error) {
	var locked uuid.UUID
	err = tx.NewRaw(`SELECT id FROM webhook_endpoints WHERE id = ? AND organization_id = ? AND deleted_at IS NULL FOR UPDATE`, id, orgID).Scan(ctx, &locked)
	if err != nil {
		return e, err
	}
	return selectEndpoint(ctx, tx, orgID, id)
}

// MadeEndpoint is an endpoint with a newly created signing secret.
type MadeEndpoint struct {
	Endpoint
	Secret seal.Secret
}

// CreateEndpoint creates an endpoint with a signing secret, which is only returned once. It returns
// ErrTooManyEndpoints if the organization has twenty.
func CreateEndpoint(ctx context.Context, db *store.DB, c store.Change, n NewEndpoint) (m MadeEndpoint, err error) {
	defer store.WrapError(&err, "create webhook endpoint for organization %s", c.OrganizationID)
	keys, err := db.Keyrings()
	if err != nil {
		return m, err
	}
	return store.MakeChange(ctx, db, c, func(ctx context.Context, tx *store.Tx) (m MadeEndpoint, err error) {
		var count int
		if err := tx.NewRaw(`SELECT id FROM organizations WHERE id = ? FOR NO KEY UPDATE`, c.OrganizationID).Scan(ctx, new(uuid.UUID)); err != nil {
			return m, err
		}
		err = tx.NewRaw(`SELECT count(*) FROM webhook_endpoints WHERE organization_id = ? AND deleted_at IS NULL`, c.OrganizationID).Scan(ctx, &count)
		if err != nil {
			return m, err
		}
		if count >= MaxEndpoints {
			return m, ErrTooManyEndpoints
		}
		id := store.NewID()
		m.Secret = newSecret()
		sealed, err := keys.Seal([]byte(m.Secret.Reveal()), secretBinding(secretColumn, c.OrganizationID, id))
		if err != nil {
			return m, err
		}
		headers, err := sealHeaders(keys, c.OrganizationID, id, n.Headers)
		if err != nil {
			return m, err
		}
		filters, err := encodeFilters(n.Filters)
		if err != nil {
			return m, err
		}
		_, err = tx.NewRaw(`INSERT INTO webhook_endpoints (id, organization_id, kind, url, events, filters, secret, header_names, headers) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			id, c.OrganizationID, cmp.Or(n.Kind, KindStandard), n.URL, store.TextArray(n.Events), filters, sealed, store.TextArray(headerNames(n.Headers)), headers).Exec(ctx)
		if err != nil {
			return m, err
		}
		if _, err := tx.NewRaw(`INSERT INTO webhook_states (endpoint_id) VALUES (?)`, id).Exec(ctx); err != nil {
			return m, err
		}
		if m.Endpoint, err = selectEndpoint(ctx, tx, c.OrganizationID, id); err != nil {
			return m, err
		}
		tx.Audit(action.WebhookCreated, id, nil, m.auditFields().Pick([]string{"kind", "origin", "events", "filters", "headers"}))
		return m, nil
	})
}

// UpdateEndpoint changes an endpoint. Switching it off skips deliveries, including those that wait
// for an attempt, and ends a pause. When it is switched on again, its health is considered good, and
// skipped deliveries remain skipped. While it is paused, deliveries wait. Pausing one that is
// switched off returns ErrEndpointDisabled. An empty patch changes nothing.
func UpdateEndpoint(ctx context.Context, db *store.DB, c store.Change, id uuid.UUID, p EndpointPatch) (e Endpoint, err error) {
	defer store.WrapError(&err, "update webhook endpoint %s", id)
	return store.MakeChange(ctx, db, c, func(ctx context.Context, tx *store.Tx) (e Endpoint, err error) {
		if e, err = lockEndpoint(ctx, tx, c.OrganizationID, id); err != nil {
			return e, err
		}
		if p.If != nil {
			if err := p.If(e); err != nil {
				return e, err
			}
		}
		if p.URL == nil && p.Events == nil && p.Filters == nil && p.Headers == nil && p.IsActive == nil && p.Paused == nil {
			return e, nil
		}
		if store.Deref(p.Paused) && !*cmp.Or(p.IsActive, &e.IsActive) {
			return e, ErrEndpointDisabled
		}
		update := tx.NewUpdate().TableExpr("webhook_endpoints").Where("id = ?", id).Set("updated_at = now()")
		if p.URL != nil {
			update.Set("url = ?", *p.URL)
		}
		if p.Events != nil {
			update.Set("events = ?", store.TextArray(*p.Events))
		}
		if p.Filters != nil {
			filters, err := encodeFilters(*p.Filters)
			if err != nil {
				return e, err
			}
			update.Set("filters = ?", filters)
		}
		if p.Headers != nil {
			if err := setHeaders(db, update, c.OrganizationID, id, *p.Headers); err != nil {
				return e, err
			}
		}
		if p.IsActive != nil && *p.IsActive != e.IsActive {
			update.Set("disabled_reason = ?", disabledReason(*p.IsActive))
		}
		if _, err := update.Exec(ctx); err != nil {
			return e, err
		}
		if err := changeState(ctx, tx, e, p); err != nil {
			return e, err
		}
		after, err := selectEndpoint(ctx, tx, c.OrganizationID, id)
		if err != nil {
			return after, err
		}
		tx.Audit(action.WebhookUpdated, id, e.auditFields().Pick(p.auditNames()), after.auditFields().Pick(p.auditNames()))
		return after, nil
	})
}

// changeState changes the state of an endpoint, whose row is locked, as the patch asks for.
func changeState(ctx context.Context, tx bun.IDB, e Endpoint, p EndpointPatch) error {
	if p.IsActive != nil && *p.IsActive != e.IsActive {
		if err := switchEndpoint(ctx, tx, e.ID, *p.IsActive); err != nil {
			return err
		}
	}
	if p.URL != nil && *p.URL != e.URL {
		if err := clearHold(ctx, tx, e.ID); err != nil {
			return err
		}
	}
	if p.Paused != nil && *p.Paused != (e.PausedAt != nil) {
		return pauseEndpoint(ctx, tx, e.ID, *p.Paused)
	}
	return nil
}

// setHeaders adds the headers to an update of the endpoint with the id.
func setHeaders(db *store.DB, update *bun.UpdateQuery, orgID, id uuid.UUID, headers []Header) error {
	keys, err := db.Keyrings()
	if err != nil {
		return err
	}
	sealed, err := sealHeaders(keys, orgID, id, headers)
	if err != nil {
		return err
	}
	update.Set("header_names = ?", store.TextArray(headerNames(headers))).Set("headers = ?", sealed)
	return nil
}

// encodeFilters returns the filters as they are stored.
func encodeFilters(filters []event.Filter) (string, error) {
	if len(filters) == 0 {
		return "[]", nil
	}
	text, err := json.Marshal(filters)
	return string(text), err
}

// auditFields returns the audit log's view of the endpoint. It contains only the origin of the URL
// and the names of headers, because the rest may be a secret.
func (e *Endpoint) auditFields() store.AuditFields {
	origin, _ := originOf(e.URL)
	return store.AuditFields{"kind": e.Kind, "headers": e.HeaderNames, "origin": origin, "url": store.Masked, "events": e.Events, "filters": e.Filters, "is_active": e.IsActive, "paused": e.PausedAt != nil}
}

// originOf returns a URL's scheme, host and port, including a default port. It returns false if the
// URL has no host.
func originOf(address string) (string, bool) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return "", false
	}
	scheme, port := strings.ToLower(u.Scheme), u.Port()
	switch {
	case port == "" && scheme == "https":
		port = "443"
	case port == "" && scheme == "http":
		port = "80"
	}
	return scheme + "://" + strings.TrimSuffix(strings.ToLower(u.Hostname()), ".") + ":" + port, true
}

// auditNames returns the names of the patched members.
func (p EndpointPatch) auditNames() (names []string) {
	if p.URL != nil {
		names = append(names, "origin", "url")
	}
	if p.Events != nil {
		names = append(names, "events")
	}
	if p.Filters != nil {
		names = append(names, "filters")
	}
	if p.Headers != nil {
		names = append(names, "headers")
	}
	if p.IsActive != nil {
		names = append(names, "is_active")
	}
	if p.Paused != nil {
		names = append(names, "paused")
	}
	return names
}

// disabledReason returns the column's value for an endpoint that a person or key switches on or
// off.
func disabledReason(active bool) *DisabledReason {
	if active {
		return nil
	}
	reason := DisabledByHand
	return &reason
}

// switchEndpoint switches an endpoint, whose row is locked, on or off.
func switchEndpoint(ctx context.Context, tx bun.IDB, id uuid.UUID, active bool) error {
	_, err := tx.NewRaw(`UPDATE webhook_states SET is_active = ?, version = version + 1, failures = 0, failing_since = NULL, warnings = 0, held_until = NULL, paused_at = NULL
WHERE endpoint_id = ?`, active, id).Exec(ctx)
	if err != nil || active {
		return err
	}
	return giveUp(ctx, tx, id)
}

// longestPause is when a pause ends that nobody ends. It only has to be longer than anybody waits: a
// pause is a hold, as receivers ask for with Retry-After, without an end.
const longestPause = 100 * 365 * 24 * time.Hour

// pauseEndpoint holds back the deliveries of an endpoint, whose row is locked, or lets them go on. Its
// health is considered good in both cases: a pause is for repairs, and only pings are sent meanwhile.
func pauseEndpoint(ctx context.Context, tx bun.IDB, id uuid.UUID, paused bool) error {
	const sound = `failures = 0, failing_since = NULL, warnings = 0`
	if paused {
		_, err := tx.NewRaw(`UPDATE webhook_states SET paused_at = now(), held_until = now() + ?::interval, version = version + 1, `+sound+` WHERE endpoint_id = ?`, store.IntervalText(longestPause), id).Exec(ctx)
		return err
	}
	_, err := tx.NewRaw(`UPDATE webhook_states SET paused_at = NULL, held_until = now(), `+sound+` WHERE endpoint_id = ?`, id).Exec(ctx)
	if err != nil {
		return err
	}
	return wakeEndpoint(ctx, tx, id)
}

// givenUp is the condition on a delivery d, with its endpoint's state s, that it was waiting when
// the endpoint was switched off. It is shown as skipped, and a worker changes its status. Pings are
// sent whether the endpoint is active or not.
const givenUp = `d.status = 'pending' AND d.era < s.era AND d.trigger <> 'test'`

// giveUp gives up the waiting deliveries of an endpoint that has been switched off. Its state must
// be locked. It does not update the deliveries, because there may be any number of them.
func giveUp(ctx context.Context, tx bun.IDB, id uuid.UUID) error {
	if _, err := tx.NewRaw(`UPDATE webhook_states SET era = era + 1 WHERE endpoint_id = ?`, id).Exec(ctx); err != nil {
		return err
	}
	return wakeEndpoint(ctx, tx, id)
}

// wakeEndpoint makes an endpoint due. Its state must be locked.
func wakeEndpoint(ctx context.Context, tx bun.IDB, id uuid.UUID) error {
	_, err := tx.NewRaw(`UPDATE webhook_states SET version = version + 1, job_at = least(job_at, clock_timestamp()) WHERE endpoint_id = ?`, id).Exec(ctx)
	return err
}

// clearHold clears the pause that a receiver has asked for, because the receiver is another one
// now. It leaves a pause that somebody else has asked for.
func clearHold(ctx context.Context, tx bun.IDB, id uuid.UUID) error {
	result, err := tx.NewRaw(`UPDATE webhook_states SET held_until = now() WHERE endpoint_id = ? AND held_until > clock_timestamp() AND paused_at IS NULL`, id).Exec(ctx)
	if err != nil || store.CountAffected(result) == 0 {
		return err
	}
	return wakeEndpoint(ctx, tx, id)
}

// DeleteEndpoint deletes an endpoint with its secrets and headers. Its history is pruned later. condition
// refuses by returning an error about the current endpoint. Nil accepts any.
func DeleteEndpoint(ctx context.Context, db *store.DB, c store.Change, id uuid.UUID, condition func(Endpoint) error) (err error) {
	defer store.WrapError(&err, "delete webhook endpoint %s", id)
	_, err = store.MakeChange(ctx, db, c, func(ctx context.Context, tx *store.Tx) (none struct{}, err error) {
		e, err := lockEndpoint(ctx, tx, c.OrganizationID, id)
		if err != nil {
			return none, err
		}
		if condition != nil {
			if err := condition(e); err != nil {
				return none, err
			}
		}
		for _, statement := range []string{
			`UPDATE webhook_endpoints SET deleted_at = now(), updated_at = now(), secret = NULL, previous_secret = NULL, previous_until = NULL, headers = NULL WHERE id = ?`,
			`DELETE FROM webhook_states WHERE endpoint_id = ?`,
		} {
			if _, err := tx.NewRaw(statement, id).Exec(ctx); err != nil {
				return none, err
			}
		}
		tx.Audit(action.WebhookDeleted, id, e.auditFields().Pick([]string{"origin", "events", "is_active"}), nil)
		return none, nil
	})
	return err
}

// RotateSecret creates a new signing secret, which is only returned once. The previous one also
// signs for the grace period, and earlier ones no longer do.
func RotateSecret(ctx context.Context, db *store.DB, c store.Change, id uuid.UUID, grace time.Duration) (m MadeEndpoint, err error) {
	defer store.WrapError(&err, "rotate secret of webhook endpoint %s", id)
	keys, err := db.Keyrings()
	if err != nil {
		return m, err
	}
	return store.MakeChange(ctx, db, c, func(ctx context.Context, tx *store.Tx) (m MadeEndpoint, err error) {
		if _, err = lockEndpoint(ctx, tx, c.OrganizationID, id); err != nil {
			return m, err
		}
		m.Secret = newSecret()
		sealed, err := keys.Seal([]byte(m.Secret.Reveal()), secretBinding(secretColumn, c.OrganizationID, id))
		if err != nil {
			return m, err
		}
		previous, err := moveSecret(ctx, tx, keys, c.OrganizationID, id, grace)
		if err != nil {
			return m, err
		}
		_, err = tx.NewRaw(`UPDATE webhook_endpoints SET secret = ?0, previous_secret = ?1, updated_at = now(),
    previous_until = CASE WHEN ?1::bytea IS NOT NULL THEN now() + make_interval(secs => ?2) END WHERE id = ?3`, sealed, previous, grace.Seconds(), id).Exec(ctx)
		if err != nil {
			return m, err
		}
		if m.Endpoint, err = selectEndpoint(ctx, tx, c.OrganizationID, id); err != nil {
			return m, err
		}
		tx.Audit(action.WebhookSecretRotated, id, nil, store.AuditFields{"grace_period_seconds": int64(grace.Seconds())})
		return m, nil
	})
}

// moveSecret returns the endpoint's current secret, sealed for the column of the previous one. It
// returns nil if there is no grace period, or if the keyring cannot open the secret, because
// rotating is the remedy for that.
func moveSecret(ctx context.Context, tx bun.IDB, keys store.Keyrings, orgID, id uuid.UUID, grace time.Duration) ([]byte, error) {
	if grace <= 0 {
		return nil, nil
	}
	var sealed []byte
	if err := tx.NewRaw(`SELECT secret FROM webhook_endpoints WHERE id = ?`, id).Scan(ctx, &sealed); err != nil {
		return nil, err
	}
	plain, err := keys.Open(sealed, secretBinding(secretColumn, orgID, id))
	if errors.Is(err, seal.ErrUnknownKey) || errors.Is(err, seal.ErrTampered) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("open the present secret: %w", err)
	}
	return keys.Seal(plain, secretBinding(previousSecretColumn, orgID, id))
}
