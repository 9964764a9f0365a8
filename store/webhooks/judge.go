package webhooks

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/auditlog/action"
	"github.com/assayhq/assay/store/event"
)

// When there are warnings about a failing endpoint, and when it is switched off.
const (
	// disableAfter is how long an endpoint may go without any success, once
	// disableFailures attempts have failed.
	disableAfter    = 5 * 24 * time.Hour
	disableFailures = 10
)

// warnAfter is when the other endpoints receive events about a failing endpoint.
var warnAfter = [...]time.Duration{24 * time.Hour, 72 * time.Hour}

// Judgement is the consequence of an endpoint's failures.
type Judgement string

// The judgements.
const (
	JudgedSound    Judgement = ""
	JudgedFailing  Judgement = "failing"  // the other endpoints have received an event
	JudgedDisabled Judgement = "disabled" // it was switched off, and the other endpoints have received an event
)

// Judge returns the consequence of an endpoint's health. gone reports that it has responded with
// 410.
func (h EndpointHealth) Judge(gone bool) Judgement {
	lasting := time.Duration(0)
	if !h.FailingSince.IsZero() {
		lasting = h.Now.Sub(h.FailingSince)
	}
	switch {
	case gone, lasting >= disableAfter && h.Failures >= disableFailures:
		return JudgedDisabled
	case h.Warnings < len(warnAfter) && lasting >= warnAfter[h.Warnings]:
		return JudgedFailing
	}
	return JudgedSound
}

// JudgeEndpoint switches off an endpoint that is gone or has been failing for too long, or emits an
// event that it is failing. The organization's other endpoints receive the event. It judges the
// endpoint's current state, and leaves a paused endpoint alone: its deliveries must wait, and only
// pings are sent to it.
func JudgeEndpoint(ctx context.Context, db *store.DB, c store.Change, id uuid.UUID, gone bool) (j Judgement, err error) {
	defer store.WrapError(&err, "judge webhook endpoint %s", id)
	return store.MakeChange(ctx, db, c, func(ctx context.Context, tx *store.Tx) (Judgement, error) {
		j, h, err := judgeInTx(ctx, tx, c.OrganizationID, id, gone)
		if err != nil || j != JudgedDisabled {
			return j, err
		}
		data := h.newEvent(id, gone)
		tx.Audit(action.WebhookDisabled, id, store.AuditFields{"is_active": true},
			store.AuditFields{"is_active": false, "reason": data.Reason, "failures": data.Failures, "failing_since": data.FailingSince})
		return j, nil
	})
}

// judgeInTx is JudgeEndpoint within its transaction, without the audit log. h is the health that it
// has judged.
func judgeInTx(ctx context.Context, tx *store.Tx, orgID, id uuid.UUID, gone bool) (j Judgement, h EndpointHealth, err error) {
	h, judged, err := lockHealth(ctx, tx, orgID, id)
	if err != nil || !judged {
		return JudgedSound, h, err
	}
	j = h.Judge(gone)
	e := event.Event{Kind: event.WebhookEndpointFailing, Data: h.newEvent(id, gone)}
	switch j {
	case JudgedSound:
		return j, h, nil
	case JudgedDisabled:
		e.Kind = event.WebhookEndpointDisabled
		err = disableEndpoint(ctx, tx, id, gone)
	case JudgedFailing:
		// If several warnings are due at once, one is enough.
		warnings := h.Warnings + 1
		for warnings < len(warnAfter) && h.Now.Sub(h.FailingSince) >= warnAfter[warnings] {
			warnings++
		}
		_, err = tx.NewRaw(`UPDATE webhook_states SET warnings = ? WHERE endpoint_id = ?`, warnings, id).Exec(ctx)
	}
	tx.EmitToOthers(id, e)
	return j, h, err
}

// lockHealth locks an endpoint, and the states of all endpoints of its organization, always in the
// same order. judged reports whether the endpoint is neither switched off nor paused.
func lockHealth(ctx context.Context, tx bun.IDB, orgID, id uuid.UUID) (h EndpointHealth, judged bool, err error) {
	err = tx.NewRaw(`SELECT now() FROM webhook_endpoints WHERE id = ? AND organization_id = ? AND deleted_at IS NULL FOR UPDATE`, id, orgID).Scan(ctx, &h.Now)
	if err != nil {
		return h, false, err
	}
	_, err = tx.NewRaw(`SELECT FROM webhook_states AS s JOIN webhook_endpoints AS e ON e.id = s.endpoint_id WHERE e.organization_id = ?
ORDER BY s.endpoint_id FOR NO KEY UPDATE OF s`, orgID).Exec(ctx)
	if err != nil {
		return h, false, err
	}
	var since *time.Time
	err = tx.NewRaw(`SELECT is_active AND paused_at IS NULL, failures, failing_since, warnings FROM webhook_states WHERE endpoint_id = ?`, id).
		Scan(ctx, &judged, &h.Failures, &since, &h.Warnings)
	h.FailingSince = store.Deref(since)
	return h, judged, err
}

// newEvent returns the data of the event for receivers.
func (h EndpointHealth) newEvent(id uuid.UUID, gone bool) event.Endpoint {
	e := event.Endpoint{
		EndpointID: id, Reason: string(DisabledFailing), Failures: h.Failures, FailingSince: store.OrNil(h.FailingSince), DisabledAt: &h.Now,
		Path: "/v1/webhooks/" + id.String() + "/deliveries",
	}
	if gone {
		e.Reason = string(DisabledGone)
	} else if h.Judge(false) == JudgedFailing {
		at := h.FailingSince.Add(disableAfter)
		e.DisabledAt = &at
	}
	return e
}

// disableEndpoint switches off an endpoint that is locked, with its state.
func disableEndpoint(ctx context.Context, tx bun.IDB, id uuid.UUID, gone bool) error {
	reason := DisabledFailing
	if gone {
		reason = DisabledGone
	}
	_, err := tx.NewRaw(`UPDATE webhook_endpoints SET disabled_reason = ?, updated_at = now() WHERE id = ?`, reason, id).Exec(ctx)
	if err != nil {
		return err
	}
	_, err = tx.NewRaw(`UPDATE webhook_states SET is_active = false, paused_at = NULL, version = version + 1 WHERE endpoint_id = ?`, id).Exec(ctx)
	if err != nil {
		return err
	}
	return giveUp(ctx, tx, id)
}
