package idempotency_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/activity"
	"github.com/assayhq/assay/store/directory"
	"github.com/assayhq/assay/store/idempotency"
	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/store/interviews/invite"
	"github.com/assayhq/assay/store/interviews/review"
	"github.com/assayhq/assay/store/privacy"
	"github.com/assayhq/assay/store/seal"
	"github.com/assayhq/assay/store/storetest"
)

// TestAnswersAreSealed checks that the row does not contain the body as plain text, and that the
// body opens nowhere else, and not without its key.
func TestAnswersAreSealed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	k := storetest.AttemptKey(b.Org)
	k.Key = "ada@example.com"
	b.finishAttempt(t, storetest.Attempt(t, b.DB, k), created)
	row := storetest.One[string](t, b.Conn, `SELECT k::text || encode(k.body, 'escape') || encode(k.slot, 'escape') FROM idempotency_keys AS k`)
	for _, secret := range []string{"Ada", "Lovelace", fmt.Sprintf("%x", "Ada"), k.Key, fmt.Sprintf("%x", k.Key)} {
		if strings.Contains(row, secret) {
			t.Errorf("%q stands in the row %s", secret, row)
		}
	}

	moved := k
	moved.Key = "k-2"
	b.finishAttempt(t, storetest.Attempt(t, b.DB, moved), created)
	b.Exec(t, `UPDATE idempotency_keys AS k SET body = o.body FROM idempotency_keys AS o WHERE o.slot <> k.slot`)
	a, done, err := idempotency.Claim(t.Context(), b.DB, moved, time.Minute)
	if a != nil || done != nil || !errors.Is(err, seal.ErrTampered) {
		t.Errorf("a body of another row: %v, %v, %v; want %v", a, done, err, seal.ErrTampered)
	}

	text, err := seal.NewKeyring()
	if err != nil {
		t.Fatal(err)
	}
	other, err := seal.ParseKeyring([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	b.SetKeyring(other)
	a, done, err = idempotency.Claim(t.Context(), b.DB, k, time.Minute)
	if a != nil || done != nil || !errors.Is(err, seal.ErrUnknownKey) || !strings.Contains(err.Error(), `open the kept answer: key is not in the keyring: "test"`) {
		t.Errorf("without the key: %v, %v, %v; want %v", a, done, err, seal.ErrUnknownKey)
	}
	b.SetKeyring(nil)
	if a, done, err := idempotency.Claim(t.Context(), b.DB, storetest.AttemptKey(b.Org), time.Minute); a != nil || done != nil || err == nil {
		t.Errorf("without a keyring: %v, %v, %v; want an error", a, done, err)
	}
}

func TestPruneAttempts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.Exec(t, `INSERT INTO idempotency_keys (key_id, slot, organization_id, payload_hash, token, status, created_at, completed_at)
SELECT $1, int4send(n), $1, '', $1, 201, CASE WHEN n <= 12000 THEN now() - interval '24 hours' ELSE now() - interval '23 hours' END, now()
FROM generate_series(1, 12007) AS n`, b.Org)
	if n, err := idempotency.Prune(t.Context(), b.DB); err != nil || n != 12000 {
		t.Errorf("%d pruned, %v; want 12000", n, err)
	}
	if n := storetest.One[int](t, b.Conn, `SELECT count(*) FROM idempotency_keys`); n != 7 {
		t.Errorf("%d left, want 7", n)
	}
	if n, err := idempotency.Prune(t.Context(), b.DB); err != nil || n != 0 {
		t.Errorf("a second time: %d pruned, %v", n, err)
	}
}

// TestAnswersGoWithWhatTheyShow checks that a response about an interview or a trader is no longer
// sent once that is deleted, and that a repetition creates nothing.
func TestAnswersGoWithWhatTheyShow(t *testing.T) {
	t.Parallel()
	b := setup(t)
	under := func(key string, subject ...uuid.UUID) (idempotency.Key, store.Change) {
		k := storetest.AttemptKey(b.Org)
		k.Key = key
		a := storetest.Attempt(t, b.DB, k)
		a.Render = func(any) (idempotency.Answer, error) { return created, nil }
		if len(subject) > 0 {
			a.Subject = &subject[0]
		}
		return k, store.Change{OrganizationID: b.Org, Attempt: a}
	}
	making, by := under("make")
	made, err := invite.Create(t.Context(), b.DB, by, storetest.NewInterview("Zoe", "zoe@example.com"))
	if err != nil {
		t.Fatal(err)
	}
	deciding, by := under("decide")
	if _, err := review.Decide(t.Context(), b.DB, by, made.ID, interviews.DecisionApproved, nil); err != nil {
		t.Fatal(err)
	}
	filing, by := under("file", made.ID)
	if _, err := review.KeepFile(t.Context(), b.DB, by, made.ID, storetest.ActivityFile(uuid.Nil, "Zoe.csv", "content")); err != nil {
		t.Fatal(err)
	}
	adding, by := under("add")
	trader, err := directory.CreateTrader(t.Context(), b.DB, by, directory.NewTrader{FullName: "Yan"})
	if err != nil {
		t.Fatal(err)
	}
	uploading, by := under("upload", trader.ID)
	if _, err := activity.KeepFile(t.Context(), b.DB, by, storetest.ActivityFile(trader.ID, "Yan.csv", "content")); err != nil {
		t.Fatal(err)
	}
	twinning, by := under("twin")
	twin, err := directory.CreateTrader(t.Context(), b.DB, by, directory.NewTrader{FullName: "Yan Miller"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := directory.MergeTraders(t.Context(), b.DB, b.By("Ann"), trader.ID, twin.ID); err != nil {
		t.Fatal(err)
	}
	other, by := under("other")
	if _, err := invite.Create(t.Context(), b.DB, by, storetest.NewInterview("Xia", "xia@example.com")); err != nil {
		t.Fatal(err)
	}
	answers := func() (told int) {
		t.Helper()
		for _, k := range []idempotency.Key{making, deciding, filing, adding, uploading, twinning, other} {
			switch a, done, err := idempotency.Claim(t.Context(), b.DB, k, time.Minute); {
			case a != nil, done == nil && !errors.Is(err, idempotency.ErrForgotten):
				t.Errorf("%s: attempt %v, answer %v, %v", k.Key, a, done, err)
			case done != nil:
				told++
			}
		}
		return told
	}
	if n := answers(); n != 7 {
		t.Errorf("%d of 7 answers are told", n)
	}
	if err := privacy.DeleteInterview(t.Context(), b.DB, b.By("Ann"), made.ID); err != nil {
		t.Fatal(err)
	}
	if n := answers(); n != 4 {
		t.Errorf("%d answers are told when their interview is gone, want 4", n)
	}
	if err := privacy.EraseTrader(t.Context(), b.DB, b.By("Ann"), trader.ID); err != nil {
		t.Fatal(err)
	}
	if n := answers(); n != 1 {
		t.Errorf("%d answers are told when their trader is gone, want 1", n)
	}
	if n := storetest.One[int](t, b.Conn, `SELECT count(*) FROM idempotency_keys WHERE body IS NOT NULL`); n != 1 {
		t.Errorf("%d answers are kept", n)
	}
}

// TestPruneSparesWhatIsClaimedAnew checks an attempt that is claimed while pruning waits for its
// row.
func TestPruneSparesWhatIsClaimedAnew(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.finishAttempt(t, storetest.Attempt(t, b.DB, storetest.AttemptKey(b.Org)), created)
	b.Exec(t, dayPassed)
	tx, err := b.Conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), `UPDATE idempotency_keys SET created_at = now()`); err != nil {
		t.Fatal(err)
	}
	pruned := make(chan int64, 1)
	go func() {
		n, err := idempotency.Prune(context.WithoutCancel(t.Context()), b.DB)
		if err != nil {
			t.Error(err)
		}
		pruned <- n
	}()
	storetest.AwaitBlocked(t, b.URL, true)
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := <-pruned; n != 0 {
		t.Errorf("%d pruned, want none", n)
	}
	if _, done, err := idempotency.Claim(t.Context(), b.DB, storetest.AttemptKey(b.Org), time.Minute); err != nil || done == nil {
		t.Errorf("the answer is gone: %v, %v", done, err)
	}
}
