package interviews_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/google/uuid"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/store/interviews/answering"
	"github.com/assayhq/assay/store/interviews/invite"
	"github.com/assayhq/assay/store/interviews/review"
	"github.com/assayhq/assay/store/interviews/steps"
	"github.com/assayhq/assay/store/privacy"
	"github.com/assayhq/assay/store/storetest"
)

// TestCrossingTransitions makes mutually exclusive changes at once: one of them succeeds, and the
// other receives an error.
func TestCrossingTransitions(t *testing.T) {
	t.Parallel()
	b := setup(t)
	type act func(made invite.Made, s answering.Session) error
	start := func(_ invite.Made, s answering.Session) error {
		_, err := answering.Start(t.Context(), b.DB, s)
		return err
	}
	decline := func(_ invite.Made, s answering.Session) error {
		return answering.DecideConsent(t.Context(), b.DB, s, answering.NewConsent{Text: "no", TextVersion: "1"})
	}
	reissue := func(made invite.Made, _ answering.Session) error {
		_, err := invite.Reissue(t.Context(), b.DB, b.By("Ann"), made.ID, nil)
		return err
	}
	remove := func(made invite.Made, _ answering.Session) error {
		return privacy.DeleteInterview(t.Context(), b.DB, b.By("Ann"), made.ID)
	}
	allowed := []error{interviews.ErrInvalidState, interviews.ErrInviteOver, store.ErrNotFound}
	tests := []struct {
		name          string
		first, second act
		ends          []string // possible resulting statuses
	}{
		{"start twice", start, start, []string{"in_progress"}},
		{"start and decline", start, decline, []string{"in_progress", "declined"}},
		{"start and reissue", start, reissue, []string{"in_progress", "invited"}},
		{"decline and reissue", decline, reissue, []string{"declined", "invited"}},
		{"start and delete", start, remove, []string{"gone"}},
		{"delete twice", remove, remove, []string{"gone"}},
	}
	for _, tt := range tests {
		for round := range 5 {
			made := storetest.Interview(t, b.DB, b.Org, storetest.NewInterview("Zoe", fmt.Sprintf("%s%d@example.com", tt.name[:5], round)))
			s := storetest.Opened(t, b.DB, made)
			var (
				wg   sync.WaitGroup
				errs [2]error
			)
			for n, do := range []act{tt.first, tt.second} {
				wg.Go(func() { errs[n] = do(made, s) })
			}
			wg.Wait()
			succeeded := 0
			for _, err := range errs {
				known := err == nil
				for _, a := range allowed {
					known = known || errors.Is(err, a)
				}
				if !known {
					t.Errorf("%s: %v", tt.name, err)
				}
				if err == nil {
					succeeded++
				}
			}
			end := b.statusOf(t, made.ID)
			ok := false
			for _, e := range tt.ends {
				ok = ok || e == end
			}
			if !ok || succeeded == 0 || succeeded == 2 && end != "gone" && tt.name != "start and reissue" {
				t.Errorf("%s: %d of two succeeded, and it is %s", tt.name, succeeded, end)
			}
			if tt.name == "start and reissue" && succeeded != 1 {
				t.Errorf("%s: %d of two succeeded", tt.name, succeeded)
			}
		}
	}
}

// statusOf returns the status of an interview, or gone.
func (b orgDB) statusOf(t *testing.T, id uuid.UUID) string {
	t.Helper()
	i, err := interviews.ReadHead(t.Context(), b.DB, b.Org, id)
	if errors.Is(err, store.ErrNotFound) {
		return "gone"
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(i.Status)
}

// TestConcurrentRequestsMakeOneJob requests a report concurrently.
func TestConcurrentRequestsMakeOneJob(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := storetest.Completed(t, b.DB, b.Org, storetest.NewInterview("Zoe", "zoe@example.com"), "words")
	var (
		wg   sync.WaitGroup
		mu   sync.Mutex
		jobs = make(map[uuid.UUID]bool)
	)
	for range 8 {
		wg.Go(func() {
			job, err := review.RegenerateReport(t.Context(), b.DB, b.By("Ann"), made.ID)
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			jobs[job] = true
		})
	}
	wg.Wait()
	if len(jobs) != 1 {
		t.Errorf("%d jobs were told", len(jobs))
	}
	storetest.Claim(t, b.DB, b.Org, made.ID, steps.Activity)
	if queued := storetest.One[int](t, b.Conn, `SELECT count(*) FROM interview_steps WHERE status IN ('queued', 'running')`); queued != 1 {
		t.Errorf("%d steps are under way", queued)
	}
}
