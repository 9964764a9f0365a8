package deliver_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/assayhq/assay/store/seal"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/store/webhooks"
)

// failures returns the failures that count against an endpoint.
func (b *process) failures(t *testing.T, endpoint uuid.UUID) (n int) {
	t.Helper()
	if err := b.Conn.QueryRow(t.Context(), `SELECT failures FROM webhook_states WHERE endpoint_id = $1`, endpoint).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestSecretThatCannotBeOpened: while the keyring lacks the key of an endpoint's signing secret,
// its deliveries wait. They count neither as attempts nor against the endpoint, and go out when the
// key is available. It takes long because deliveries without a key are looked at again after ten
// seconds.
func TestSecretThatCannotBeOpened(t *testing.T) {
	t.Parallel()
	b := setup(t)
	r := b.receiver(t, nil)
	other, err := seal.ParseKeyring([]byte(strings.ReplaceAll(storetest.KeyringText, `"test"`, `"another"`)))
	if err != nil {
		t.Fatal(err)
	}
	b.SetKeyring(other)
	b.start(t)
	b.trader(t)
	storetest.Eventually(t, "it is taken in hand and given back", func() bool {
		var seen bool
		err := b.Conn.QueryRow(t.Context(), `SELECT run > 0 AND leased_until IS NULL FROM webhook_states WHERE endpoint_id = $1`, r.ID).Scan(&seen)
		return err == nil && seen
	})
	if d := b.deliveries(t, r.ID)[0]; d.Status != webhooks.DeliveryPending || len(d.Attempts) > 0 {
		t.Errorf("%s with attempts %+v", d.Status, d.Attempts)
	}
	if n := b.failures(t, r.ID); n > 0 {
		t.Errorf("the endpoint is charged with %d failures", n)
	}
	b.SetKeyring(storetest.Keyring())
	storetest.Eventually(t, "it is delivered", func() bool { return len(r.all()) > 0 })
	verify(t, r.Secret, r.all()[0])
}

// TestPayloadThatIsNoLongerKept: a delivery whose payload was deleted fails, but
// not because of the endpoint.
func TestPayloadThatIsNoLongerKept(t *testing.T) {
	t.Parallel()
	b := setup(t)
	r := b.receiver(t, nil)
	b.trader(t)
	b.Exec(t, `UPDATE webhook_events SET data = NULL`)
	b.Exec(t, `UPDATE webhook_states SET failures = 3, failing_since = now() - interval '1 hour' WHERE endpoint_id = $1`, r.ID)
	b.start(t)
	d := b.delivery(t, r.ID, 1)
	a := d.Attempts[0]
	if diff := cmp.Diff(new("payload_expired"), a.ErrorCode); diff != "" || d.Status != webhooks.DeliveryFailed || a.HTTPStatus != nil {
		t.Errorf("%s, attempt %+v", d.Status, a)
	}
	if n := b.failures(t, r.ID); n != 3 {
		t.Errorf("the endpoint is charged with %d failures", n)
	}
}

// TestFaultInside: a delivery that fails inside assay is tried again at once, and
// not only after the endpoint's lease has run out.
func TestFaultInside(t *testing.T) {
	t.Parallel()
	b := setup(t)
	r := b.receiver(t, nil)
	b.trader(t)
	b.Exec(t, `ALTER TABLE webhook_events RENAME TO webhook_events_away`)
	b.start(t)
	storetest.Eventually(t, "it is tried", func() bool {
		var tried bool
		err := b.Conn.QueryRow(t.Context(), `SELECT run > 0 FROM webhook_states WHERE endpoint_id = $1`, r.ID).Scan(&tried)
		return err == nil && tried
	})
	b.Exec(t, `ALTER TABLE webhook_events_away RENAME TO webhook_events`)
	storetest.Within(t, 15*time.Second, "it is delivered before a lease can have passed", func() bool { return len(r.all()) > 0 })
}
