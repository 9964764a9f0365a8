package deliver_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/event"
	"github.com/assayhq/assay/store/seal"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/store/webhooks"
	"github.com/assayhq/assay/syncd/deliver"
)

// verify checks a request as Standard Webhooks requires of receivers. test/clients
// checks it with the standard's own libraries.
func verify(t *testing.T, secret seal.Secret, m received) {
	t.Helper()
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret.Reveal(), "whsec_"))
	if err != nil {
		t.Fatal(err)
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", m.Header.Get("webhook-id"), m.Header.Get("webhook-timestamp"), m.Body)
	want := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	if got := strings.Fields(m.Header.Get("webhook-signature")); !slices.Contains(got, want) {
		t.Errorf("signatures of %s are %q, none of which is %s", m.Type, got, want)
	}
	sent, err := strconv.ParseInt(m.Header.Get("webhook-timestamp"), 10, 64)
	if off := time.Since(time.Unix(sent, 0)); err != nil || off.Abs() > 5*time.Minute {
		t.Errorf("the timestamp of %s is %q, off by %s", m.Type, m.Header.Get("webhook-timestamp"), off)
	}
}

func TestDelivery(t *testing.T) {
	t.Parallel()
	b := setup(t)
	r := b.receiver(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("thank you")) })
	b.start(t)
	trader := b.trader(t)
	m := r.wait(t, 1)[0]
	verify(t, r.Secret, m)
	d := b.delivery(t, r.ID, 1)
	want := webhooks.Delivery{
		EndpointID: r.ID, EventType: event.TraderCreated, Sequence: 1, Status: webhooks.DeliverySucceeded, AttemptCount: 1,
		Attempts: []webhooks.Attempt{{Number: 1, Trigger: webhooks.TriggerOfSchedule, HTTPStatus: new(http.StatusOK), ResponseBody: new("thank you")}},
	}
	unknown := cmp.Options{
		cmpopts.IgnoreFields(webhooks.Delivery{}, "ID", "EventID", "OccurredAt", "CreatedAt", "Data"),
		cmpopts.IgnoreFields(webhooks.Attempt{}, "DeliveryID", "StartedAt", "LatencyMS"),
	}
	if diff := cmp.Diff(want, d, unknown); diff != "" {
		t.Errorf("delivery (-want +got):\n%s", diff)
	}
	if !bytes.Equal(d.Payload(), m.Body) {
		t.Errorf("the history shows %s, the receiver got %s", d.Payload(), m.Body)
	}
	if m.ID != event.ID(d.EventID) || m.Header.Get("webhook-id") != m.ID || m.Seq != 1 {
		t.Errorf("event %s, header %s, sequence %d", m.ID, m.Header.Get("webhook-id"), m.Seq)
	}
	if got := m.Header.Get("traceparent"); got != "" {
		t.Errorf("traceparent %s, although nobody traces", got)
	}
	if !strings.Contains(string(m.Data), trader.ID.String()) || strings.Contains(string(m.Body), "Miller") {
		t.Errorf("the event tells %s", m.Data)
	}
	if a := d.Attempts[0]; a.StartedAt.Before(d.CreatedAt.Add(-time.Second)) || a.StartedAt.After(d.CreatedAt.Add(soon)) || a.LatencyMS < 1 {
		t.Errorf("attempt at %s of a delivery made at %s, in %d ms", a.StartedAt, d.CreatedAt, a.LatencyMS)
	}
}

// TestWrongClock: receivers refuse signatures whose time is off by more than five minutes, so it
// comes from the database's clock and not from the process's, and so do the times in the history
// and those that a receiver names.
func TestWrongClock(t *testing.T) {
	t.Parallel()
	for _, off := range []time.Duration{-time.Hour, time.Hour} {
		t.Run(off.String(), func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.tune = func(d *deliver.Deliverer) { d.Now = func() time.Time { return time.Now().Add(off) } }
			r := b.receiver(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Retry-After", time.Now().Add(30*time.Minute).UTC().Format(http.TimeFormat))
				w.WriteHeader(http.StatusServiceUnavailable)
			})
			b.start(t)
			b.trader(t)
			verify(t, r.Secret, r.wait(t, 1)[0])
			storetest.Eventually(t, "the attempt is in the history", func() bool { return len(b.deliveries(t, r.ID)[0].Attempts) == 1 })
			d := b.deliveries(t, r.ID)[0]
			if at := d.Attempts[0].StartedAt; at.Before(d.CreatedAt.Add(-time.Second)) || at.After(d.CreatedAt.Add(soon)) {
				t.Errorf("attempt at %s of a delivery made at %s", at, d.CreatedAt)
			}
			if pause := d.NextAttemptAt.Sub(d.CreatedAt); pause < 25*time.Minute || pause > 31*time.Minute {
				t.Errorf("the next attempt is after %s, and the receiver has asked for 30 minutes", pause)
			}
		})
	}
}

func TestRotation(t *testing.T) {
	t.Parallel()
	b := setup(t)
	r := b.receiver(t, nil)
	rotate := func(grace time.Duration) webhooks.MadeEndpoint {
		made, err := webhooks.RotateSecret(t.Context(), b.DB, store.SystemChange(b.Org), r.ID, grace)
		if err != nil {
			t.Fatal(err)
		}
		return made
	}
	b.start(t)
	second := rotate(time.Hour)
	b.trader(t)
	m := r.wait(t, 1)[0]
	verify(t, r.Secret, m)
	verify(t, second.Secret, m)
	newest, _, _ := strings.Cut(m.Header.Get("webhook-signature"), " ")
	m.Header.Set("webhook-signature", newest)
	verify(t, second.Secret, m)
	third := rotate(0)
	b.trader(t)
	m = r.wait(t, 2)[1]
	verify(t, third.Secret, m)
	if strings.Contains(m.Header.Get("webhook-signature"), " ") {
		t.Error("a secret without grace signs on")
	}
}
