package deliver_test

import (
	"cmp"
	"errors"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/interviews/removals"
	"github.com/assayhq/assay/store/interviews/viewing"
	"github.com/assayhq/assay/store/privacy"
	"github.com/assayhq/assay/store/storetest"
)

// TestDeletedInterviewIsForgotten deletes an interview after a receiver, which
// echoes every request, has received all its events. After the event of the
// deletion, only the audit log still names the interview.
func TestDeletedInterviewIsForgotten(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var echo *receiver
	echo = b.receiver(t, func(w http.ResponseWriter, r *http.Request) {
		for _, m := range echo.all() {
			if m.Header.Get("Webhook-Id") == r.Header.Get("Webhook-Id") {
				_, _ = w.Write(m.Body)
			}
		}
	})
	b.start(t)
	const email, phrase = "marker-address@example.com", "marker phrase of the trader"
	made := storetest.Completed(t, b.DB, b.Org, storetest.NewInterview("Marker Name", email), phrase)
	if _, err := viewing.CreateShare(t.Context(), b.DB, store.SystemChange(b.Org), made.ID, 24, true); err != nil {
		t.Fatal(err)
	}
	names := func() (tables []string) {
		return storetest.Holding(t, b.Conn, made.ID.String(), email, phrase, "Marker Name")
	}
	storetest.Eventually(t, "the receiver has answered with the id", func() bool { return slices.Contains(names(), "webhook_attempts") })
	if err := privacy.DeleteInterview(t.Context(), b.DB, store.SystemChange(b.Org), made.ID); err != nil {
		t.Fatal(err)
	}
	storetest.Eventually(t, "the removal is done", func() bool {
		b.Exec(t, `UPDATE removals SET due_at = now()`)
		list, err := removals.ClaimDue(t.Context(), b.DB, 10, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range list {
			if err := removals.Finish(t.Context(), b.DB, r); err != nil && !errors.Is(err, removals.ErrStillUsed) {
				t.Fatal(err)
			}
		}
		return storetest.One[int](t, b.Conn, `SELECT count(*) FROM removals`) == 0
	})
	if left := names(); len(left) > 0 {
		t.Errorf("left in %v", left)
	}
	// Several are under way at once. The last is the one with the highest sequence
	// number.
	if last := slices.MaxFunc(echo.all(), func(a, b received) int { return cmp.Compare(a.Seq, b.Seq) }); last.Type != "interview.deleted" {
		t.Errorf("told last of %s", last.Type)
	}
}
