package store_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/access"
	"github.com/assayhq/assay/store/directory"
	"github.com/assayhq/assay/store/ingest"
	"github.com/assayhq/assay/store/interviews/answering"
	"github.com/assayhq/assay/store/privacy"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/store/syncing"
	"github.com/assayhq/assay/store/syncing/integrations"
	"github.com/assayhq/assay/store/webhooks"
)

// ear receives the notices of a cycle.
type ear struct {
	*cycle
	session *store.NoticeSession
}

func (b *cycle) listen(t *testing.T) ear {
	t.Helper()
	s, err := b.DB.OpenNoticeSession(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close(context.Background()) })
	return ear{b, s}
}

// heard returns the notices so far, without the organization.
func (e ear) heard(t *testing.T) (list []store.Notice) {
	t.Helper()
	end := uuid.New()
	if _, err := e.Conn.Exec(t.Context(), `SELECT pg_notify('changes', $1)`, end.String()+" end "+uuid.Nil.String()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	for {
		n, err := e.session.Next(ctx)
		switch {
		case err != nil:
			t.Fatal(err)
		case n.OrganizationID == end:
			return list
		case n.OrganizationID != e.Org:
			t.Errorf("heard of organization %s", n.OrganizationID)
		}
		n.OrganizationID = uuid.Nil
		list = append(list, n)
	}
}

// want fails the test unless exactly these notices were announced since.
func (e ear) want(t *testing.T, what string, want ...store.Notice) {
	t.Helper()
	if diff := cmp.Diff(want, e.heard(t)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func about(topic store.Topic, id uuid.UUID) store.Notice { return store.Notice{Topic: topic, ID: id} }

func TestChangesAreAnnounced(t *testing.T) {
	t.Parallel()
	e := setupCycle(t).listen(t)
	c, audited := store.SystemChange(e.Org), about(store.TopicAudit, uuid.Nil)

	key, err := access.CreateAPIKey(t.Context(), e.DB, c, access.NewAPIKey{Name: "x", Prefix: "svc_live_ghijkl", SecretHash: [32]byte{1}, Scopes: []string{"traders:read"}, CreatedByName: "x"})
	if err != nil {
		t.Fatal(err)
	}
	e.want(t, "a new key", about(store.TopicAPIKeys, key.ID), audited)
	if err := access.RevokeAPIKey(t.Context(), e.DB, c, key.ID); err != nil {
		t.Fatal(err)
	}
	e.want(t, "its revocation", about(store.TopicAPIKeys, key.ID), audited)

	_, err = directory.CreateTrader(t.Context(), e.DB, store.Change{OrganizationID: e.Org, KeyID: key.ID}, directory.NewTrader{FullName: "Ada"})
	if !errors.Is(err, store.ErrKeyRevoked) {
		t.Fatalf("error %v", err)
	}
	e.want(t, "what was rolled back")

	if _, err := integrations.RequestSync(t.Context(), e.DB, c, e.Claim.IntegrationID); err != nil {
		t.Fatal(err)
	}
	e.want(t, "a request for a sync", about(store.TopicIntegrations, e.Claim.IntegrationID), audited)

	ada, err := directory.CreateTrader(t.Context(), e.DB, c, directory.NewTrader{FullName: "Ada"})
	if err != nil {
		t.Fatal(err)
	}
	e.want(t, "a new trader", about(store.TopicTraders, ada.ID), audited)
	if _, err := privacy.ExportTrader(t.Context(), e.DB, c, ada.ID); err != nil {
		t.Fatal(err)
	}
	e.want(t, "what was only looked at", audited)
}

func TestInterviewsAreAnnouncedAsTheyGo(t *testing.T) {
	t.Parallel()
	b := setupCycle(t)
	made := storetest.Interview(t, b.DB, b.Org, storetest.NewInterview("Ada", "ada@example.com"))
	e := b.listen(t)
	id := made.Interview.ID

	if _, err := answering.OpenInvite(t.Context(), e.DB, made.Token.Reveal()); err != nil {
		t.Fatal(err)
	}
	e.want(t, "an opened link", about(store.TopicInterviews, id))
	trial, err := answering.BeginSession(t.Context(), e.DB, made.Token.Reveal(), answering.Browser{})
	if err != nil {
		t.Fatal(err)
	}
	if err := answering.DecideConsent(t.Context(), e.DB, trial.Session, answering.NewConsent{Accepted: true, Text: "x", TextVersion: "1"}); err != nil {
		t.Fatal(err)
	}
	e.want(t, "a consent", about(store.TopicInterviews, id))
}

func TestPagesAreAnnouncedTogether(t *testing.T) {
	t.Parallel()
	e := setupCycle(t).listen(t)
	run := e.NewRun(record.StreamTrades, syncing.ModeBackfill)
	begun := time.Now()
	for n := range 30 {
		id := string(rune('A' + n))
		run = e.WritePage(t, run, trades(storetest.Trade(id, id, 1)), func(p *ingest.PageCommit) { p.More = true }).Run
	}
	most := int(time.Since(begun)/time.Second) + 1
	e.DB.Close() // announces the remaining notices
	count := make(map[store.Notice]int)
	for _, n := range e.heard(t) {
		count[n]++
	}
	for _, n := range []store.Notice{about(store.TopicIntegrations, e.Claim.IntegrationID), about(store.TopicTraders, uuid.Nil)} {
		if count[n] == 0 || count[n] > most {
			t.Errorf("30 pages are announced %d times, want 1 to %d: %v", count[n], most, n)
		}
		delete(count, n)
	}
	if len(count) > 0 {
		t.Errorf("and more is announced: %v", count)
	}
}

func TestWhatChangesNothingIsNotAnnounced(t *testing.T) {
	t.Parallel()
	b := setupCycle(t)
	b.WritePage(t, b.NewRun(record.StreamTrades, syncing.ModeIncremental), trades(storetest.Trade("A", "1", 1)))
	first := b.EndedRun(syncing.RunSucceeded)
	storetest.CommitCycle(t, b.DB, b.Claim, syncing.CycleCommit{Cycle: &b.Claim.Cycle, Ended: []syncing.EndedRun{first}})
	b.DB.Close() // announces the earlier notices
	b.DB = storetest.Open(t, b.Conn.Config().ConnString())
	e := b.listen(t)
	e.WritePage(t, e.NewRun(record.StreamTrades, syncing.ModeIncremental), trades(storetest.Trade("A", "1", 1)))
	storetest.CommitCycle(t, e.DB, e.Claim, syncing.CycleCommit{Ended: []syncing.EndedRun{e.EndedRun(syncing.RunSucceeded, func(r *syncing.EndedRun) { r.RepeatOf = first.Run.ID })}})
	e.DB.Close()
	e.want(t, "a cycle that left all as it was")
}

func TestDeliveriesAreAnnounced(t *testing.T) {
	t.Parallel()
	b := setupCycle(t)
	hook := b.CreateEndpoint(t, "*")
	ping, err := webhooks.PingEndpoint(t.Context(), b.DB, store.SystemChange(b.Org), hook.ID)
	if err != nil {
		t.Fatal(err)
	}
	run, err := webhooks.ClaimEndpoint(t.Context(), b.DB, hook.ID, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	e := b.listen(t)
	_, err = webhooks.RecordAttempts(t.Context(), e.DB, webhooks.Progress{Run: &run, Lease: time.Minute, Attempts: []webhooks.AttemptOutcome{{
		Attempt: webhooks.Attempt{DeliveryID: ping.ID, Number: 1, Trigger: webhooks.TriggerOfTest, StartedAt: run.Now}, Status: webhooks.DeliverySucceeded,
	}}})
	if err != nil {
		t.Fatal(err)
	}
	e.DB.Close()
	e.want(t, "a delivery", about(store.TopicWebhooks, hook.ID))
}

func TestChangedIsBounded(t *testing.T) {
	t.Parallel()
	changed := make(store.Changed)
	for range 1000 {
		changed.Add(store.TopicTraders, uuid.New())
	}
	one := uuid.New()
	changed.Add(store.TopicUsers, one)
	want := []store.Notice{{Topic: store.TopicTraders}, {Topic: store.TopicUsers, ID: one}}
	if diff := cmp.Diff(want, changed.Notices(uuid.Nil)); diff != "" {
		t.Errorf("a thousand changes (-want +got):\n%s", diff)
	}
}
