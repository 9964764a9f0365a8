package interviews_test

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/store/interviews/answering"
	"github.com/assayhq/assay/store/interviews/invite"
	"github.com/assayhq/assay/store/interviews/review"
	"github.com/assayhq/assay/store/interviews/viewing"
	"github.com/assayhq/assay/store/privacy"
	"github.com/assayhq/assay/store/storetest"
)

// many runs each of the functions from several goroutines at once, and returns how often each
// succeeded. Errors other than the allowed ones fail the test.
func many(t *testing.T, name string, allowed []error, fns ...func() error) []int {
	t.Helper()
	const each = 6
	var group sync.WaitGroup
	counts := make([]atomic.Int32, len(fns))
	for n, fn := range fns {
		for range each {
			group.Go(func() {
				err := fn()
				known := err == nil
				for _, a := range allowed {
					known = known || errors.Is(err, a)
				}
				switch {
				case !known:
					t.Errorf("%s: %v", name, err)
				case err == nil:
					counts[n].Add(1)
				}
			})
		}
	}
	group.Wait()
	succeeded := make([]int, len(fns))
	for n := range counts {
		succeeded[n] = int(counts[n].Load())
	}
	return succeeded
}

// TestManyAtOnce makes conflicting changes concurrently: each happens once, or not at all, and
// leaves nothing incomplete.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	refused := []error{interviews.ErrInvalidState, interviews.ErrInviteOver, answering.ErrTakenOver, store.ErrNotFound, store.ErrLegalHold}
	told := func(t *testing.T, b orgDB, id uuid.UUID, kind string) int {
		t.Helper()
		return storetest.One[int](t, b.Conn, `SELECT count(*) FROM webhook_events WHERE type = $2 AND data->>'interview_id' = $1::text`, id, kind)
	}
	for _, tc := range []struct {
		name string
		run  func(t *testing.T, b orgDB, made invite.Made)
	}{
		{"decide and delete", func(t *testing.T, b orgDB, made invite.Made) {
			n := many(t, "decide and delete", refused, func() error {
				return errorOf(review.Decide(t.Context(), b.DB, b.By("Ann"), made.ID, interviews.DecisionApproved, nil))
			}, func() error { return privacy.DeleteInterview(t.Context(), b.DB, b.By("Ann"), made.ID) })
			if n[1] != 1 || b.statusOf(t, made.ID) != "gone" || told(t, b, made.ID, "interview.deleted") != 1 || told(t, b, made.ID, "interview.decision_recorded") != n[0] {
				t.Errorf("decided %d, deleted %d", n[0], n[1])
			}
		}},
		{"hold and delete", func(t *testing.T, b orgDB, made invite.Made) {
			n := many(t, "hold and delete", refused, func() error { return errorOf(review.Hold(t.Context(), b.DB, b.By("Ann"), made.ID, nil)) },
				func() error { return privacy.DeleteInterview(t.Context(), b.DB, b.By("Ann"), made.ID) })
			if gone := b.statusOf(t, made.ID) == "gone"; gone != (n[1] == 1) || gone != (n[0] == 0) {
				t.Errorf("held %d, deleted %d, gone %v", n[0], n[1], gone)
			}
		}},
		{"submit and time", func(t *testing.T, b orgDB, made invite.Made) {
			s, i := storetest.Started(t, b.DB, made)
			storetest.Recorded(t, b.DB, s, i.Questions[0].ID, "bytes")
			b.Exec(t, `UPDATE interviews SET complete_by = now() - interval '1 second'`)
			n := many(t, "submit and time", refused, func() error { return answering.Submit(t.Context(), b.DB, s) }, func() error { return errorOf(answering.CloseOverdue(t.Context(), b.DB)) })
			i = b.head(t, made.ID)
			if i.Status != interviews.Processing || told(t, b, made.ID, "interview.submitted") != 1 || i.Partial != (i.SubmittedAt == nil) || i.Partial && n[0] > 0 || !i.Partial && n[0] != 1 {
				t.Errorf("%s, partial %v, submitted %d times", i.Status, i.Partial, n[0])
			}
			if jobs := storetest.One[int](t, b.Conn, `SELECT count(*) FROM interview_steps WHERE step = 'media' AND status = 'queued' AND token = 1 AND interview_id = $1`, made.ID); jobs != 1 {
				t.Errorf("the recording is queued %d times", jobs)
			}
		}},
		{"reissue and open", func(t *testing.T, b orgDB, made invite.Made) {
			var mu sync.Mutex
			tokens := []string{made.Token.Reveal()}
			n := many(t, "reissue and open", refused, func() error {
				again, err := invite.Reissue(t.Context(), b.DB, b.By("Ann"), made.ID, nil)
				mu.Lock()
				defer mu.Unlock()
				tokens = append(tokens, again.Token.Reveal())
				return err
			}, func() error { return errorOf(answering.OpenInvite(t.Context(), b.DB, made.Token.Reveal())) },
				func() error {
					return errorOf(answering.BeginSession(t.Context(), b.DB, made.Token.Reveal(), answering.Browser{}))
				})
			alive := 0
			for _, token := range tokens {
				if _, err := answering.BeginSession(t.Context(), b.DB, token, answering.Browser{}); err == nil {
					alive++
				}
			}
			if i := b.head(t, made.ID); n[0] != 6 || i.ReissueCount != 6 || alive != 1 || told(t, b, made.ID, "interview.opened") > 1 {
				t.Errorf("reissued %d, counted %d, links that work: %d", n[0], i.ReissueCount, alive)
			}
		}},
		{"tabs that start", func(t *testing.T, b orgDB, made invite.Made) {
			storetest.Opened(t, b.DB, made)
			n := many(t, "tabs that start", refused, func() error {
				s, err := answering.BeginSession(t.Context(), b.DB, made.Token.Reveal(), answering.Browser{DeviceHash: []byte("one")})
				if err != nil {
					return err
				}
				return errorOf(answering.Start(t.Context(), b.DB, s.Session))
			})
			live := storetest.One[int](t, b.Conn, `SELECT count(*) FROM interview_sessions WHERE interview_id = $1 AND ended_at IS NULL`, made.ID)
			if i := b.head(t, made.ID); n[0] != 1 || live != 1 || i.Status != interviews.InProgress || told(t, b, made.ID, "interview.started") != 1 {
				t.Errorf("started %d, live sessions %d, %s", n[0], live, i.Status)
			}
		}},
		{"share and revoke", func(t *testing.T, b orgDB, made invite.Made) {
			n := many(t, "share and revoke", refused, func() error {
				return errorOf(viewing.CreateShare(t.Context(), b.DB, b.By("Ann"), made.ID, 1, false))
			},
				func() error { return viewing.RevokeShare(t.Context(), b.DB, b.By("Ann"), made.ID) })
			active := storetest.One[int](t, b.Conn, `SELECT count(*) FROM interview_shares WHERE interview_id = $1 AND revoked_at IS NULL`, made.ID)
			if n[0] != 6 || active > 1 || told(t, b, made.ID, "interview.share_created") != 6 || told(t, b, made.ID, "interview.share_revoked") != n[1] {
				t.Errorf("shared %d, revoked %d, active %d", n[0], n[1], active)
			}
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.CreateEndpoint(t, "*")
			for round := range 3 {
				tc.run(t, b, storetest.Interview(t, b.DB, b.Org, storetest.NewInterview("Zoe", fmt.Sprintf("zoe%d@example.com", round))))
				b.Exec(t, `UPDATE interviews SET complete_by = NULL`)
			}
		})
	}
}

// TestErasedWhileInterviewed erases a trader while interviews with the same email are created and
// retaken: nothing of an erased trader is left.
func TestErasedWhileInterviewed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for range 3 {
		made := b.interview(t)
		b.Exec(t, `UPDATE interviews SET status = 'expired', invite_expires_at = now()`)
		many(t, "erase and interview", []error{store.ErrNotFound, store.ErrConflict, invite.ErrUnknownTrader, interviews.ErrInvalidState},
			func() error { return privacy.EraseTrader(t.Context(), b.DB, b.By("Ann"), made.TraderID) },
			func() error {
				return errorOf(invite.CreateRetake(t.Context(), b.DB, b.By("Ann"), made.ID, invite.Retake{}))
			},
			func() error {
				return errorOf(invite.Create(t.Context(), b.DB, b.By("Ann"), storetest.NewInterview("Zoe Miller", "zoe@example.com")))
			})
		if n := storetest.One[int](t, b.Conn, `SELECT count(*) FROM interviews AS i WHERE NOT EXISTS (SELECT FROM traders AS t WHERE t.id = i.trader_id)`); n > 0 {
			t.Errorf("%d interviews without a trader", n)
		}
		b.Exec(t, `DELETE FROM interviews; DELETE FROM traders`)
	}
}
