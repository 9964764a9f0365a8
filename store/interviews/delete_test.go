package interviews_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/access"
	"github.com/assayhq/assay/store/activity"
	"github.com/assayhq/assay/store/auditlog/action"
	"github.com/assayhq/assay/store/directory"
	"github.com/assayhq/assay/store/idempotency"
	"github.com/assayhq/assay/store/ingest"
	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/store/interviews/answering"
	"github.com/assayhq/assay/store/interviews/invite"
	"github.com/assayhq/assay/store/interviews/removals"
	"github.com/assayhq/assay/store/interviews/review"
	"github.com/assayhq/assay/store/interviews/steps"
	"github.com/assayhq/assay/store/interviews/viewing"
	"github.com/assayhq/assay/store/interviews/worker"
	"github.com/assayhq/assay/store/privacy"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/store/syncing"
)

// remove processes the pending removals without any blobs, and returns their prefixes.
func (b orgDB) remove(t *testing.T) (prefixes []string) {
	t.Helper()
	list, err := removals.ClaimDue(t.Context(), b.DB, 100, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range list {
		prefixes = append(prefixes, r.Prefix)
		if err := removals.Finish(t.Context(), b.DB, r); err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(prefixes)
	return prefixes
}

// TestDeletionLeavesNothing deletes an interview with all possible data, and searches all tables.
func TestDeletionLeavesNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const email, phrase = "marker-address@example.com", "marker phrase of the trader"
	made := storetest.Completed(t, b.DB, b.Org, storetest.NewInterview("Marker Name", email), phrase)
	s, err := answering.FindSession(t.Context(), b.DB, "x")
	if !errors.Is(err, store.ErrNotFound) {
		t.Fatalf("%+v, %v", s, err)
	}
	colleague, err := access.CreatePerson(t.Context(), b.DB, store.SystemChange(b.Org), access.NewPerson{
		Email: "bea@example.com", Name: "Bea", Role: access.RoleReviewer, PasswordHash: "hash",
	})
	if err != nil {
		t.Fatal(err)
	}
	comment := review.NewComment{Body: phrase, Mentions: []uuid.UUID{colleague.ID}}
	for name, err := range map[string]error{
		"comment":  errorOf(review.AddComment(t.Context(), b.DB, b.By("Ann"), made.ID, comment)),
		"decide":   errorOf(review.Decide(t.Context(), b.DB, b.By("Ann"), made.ID, interviews.DecisionApproved, new(phrase))),
		"share":    errorOf(viewing.CreateShare(t.Context(), b.DB, b.By("Ann"), made.ID, 24, true)),
		"play":     errorOf(viewing.RecordPlayback(t.Context(), b.DB, b.By("Ann"), made.ID, "198.51.100.0/24")),
		"confirm":  errorOf(review.ConfirmClaim(t.Context(), b.DB, b.By("Ann"), made.ID, "c1")),
		"a file":   errorOf(review.KeepFile(t.Context(), b.DB, b.newAnsweredChange(t, made.ID), made.ID, storetest.ActivityFile(uuid.Nil, phrase+".csv", phrase))),
		"captions": errorOf(review.RequestSubtitles(t.Context(), b.DB, b.By("Ann"), made.ID)),
		"a report": errorOf(review.RegenerateReport(t.Context(), b.DB, b.By("Ann"), made.ID)),
		"a retake": errorOf(invite.CreateRetake(t.Context(), b.DB, b.By("Ann"), made.ID, invite.Retake{})),
	} {
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	b.Exec(t, `INSERT INTO interview_events (id, interview_id, client_id, kind, severity) VALUES (gen_random_uuid(), $1, gen_random_uuid(), 'paste', 'low')`, made.ID)
	empty := []string{}
	for _, table := range privacy.Tables() {
		if storetest.One[int](t, b.Conn, `SELECT count(*) FROM `+table.Name) == 0 {
			empty = append(empty, table.Name)
		}
	}
	if len(empty) > 0 {
		t.Fatalf("nothing to delete in %v", empty)
	}
	b.Exec(t, `UPDATE interviews SET hold_at = now()`)
	if err := privacy.DeleteInterview(t.Context(), b.DB, b.By("Ann"), made.ID); !errors.Is(err, store.ErrLegalHold) {
		t.Errorf("deleted while it was held: %v", err)
	}
	b.Exec(t, `UPDATE interviews SET hold_at = NULL`)
	if err := privacy.DeleteInterview(t.Context(), b.DB, b.By("Ann"), made.ID); err != nil {
		t.Fatal(err)
	}
	if err := privacy.DeleteInterview(t.Context(), b.DB, b.By("Ann"), made.ID); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("deleted again: %v", err)
	}
	if diff := cmp.Diff([]string{interviews.Prefix(made.ID)}, b.remove(t)); diff != "" {
		t.Errorf("blobs (-want +got):\n%s", diff)
	}
	// The retake keeps the trader, and is deleted as well.
	if i := b.head(t, storetest.One[uuid.UUID](t, b.Conn, `SELECT id FROM interviews`)); i.RetakeOfID != nil || i.TraderEmail == nil || *i.TraderEmail != email {
		t.Errorf("the retake is of %v, with %v", i.RetakeOfID, i.TraderEmail)
	} else if err := privacy.DeleteInterview(t.Context(), b.DB, b.By("Ann"), i.ID); err != nil {
		t.Error(err)
	}
	b.Exec(t, `UPDATE removals SET due_at = due_at - interval '5 minutes'`) // those for late writes
	b.remove(t)
	if n := storetest.One[int](t, b.Conn, `SELECT count(*) FROM activity_trades`); n > 0 {
		t.Errorf("%d trades of the file are left", n)
	}
	if left := storetest.Holding(t, b.Conn, made.ID.String(), email, phrase, "Marker Name"); len(left) > 0 {
		t.Errorf("left in %v", left)
	}
}

// TestLateWritesGo checks that what a running upload or worker writes after an interview was
// deleted is removed when both must have stopped.
func TestLateWritesGo(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		begin func(t *testing.T, b orgDB) uuid.UUID
		late  bool
	}{
		{"a trader who uploads", func(t *testing.T, b orgDB) uuid.UUID {
			made := b.interview(t)
			storetest.Started(t, b.DB, made)
			return made.ID
		}, true},
		{"a worker", func(t *testing.T, b orgDB) uuid.UUID {
			made := storetest.Submitted(t, b.DB, b.Org, storetest.NewInterview("Zoe", "zoe@example.com"))
			storetest.Claim(t, b.DB, b.Org, made.ID, steps.Media)
			return made.ID
		}, true},
		{"a worker that has lost its step", func(t *testing.T, b orgDB) uuid.UUID {
			made := storetest.Submitted(t, b.DB, b.Org, storetest.NewInterview("Zoe", "zoe@example.com"))
			if err := worker.Fail(t.Context(), b.DB, storetest.Claim(t, b.DB, b.Org, made.ID, steps.Media), errors.New("no disk"), false); err != nil {
				t.Fatal(err)
			}
			return made.ID
		}, true},
		{"nobody", func(t *testing.T, b orgDB) uuid.UUID { return b.interview(t).ID }, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			id := tt.begin(t, b)
			if err := privacy.DeleteInterview(t.Context(), b.DB, b.By("Ann"), id); err != nil {
				t.Fatal(err)
			}
			prefix := []string{interviews.Prefix(id)}
			if diff := cmp.Diff(prefix, b.remove(t)); diff != "" {
				t.Errorf("at once (-want +got):\n%s", diff)
			}
			b.Exec(t, `UPDATE removals SET due_at = due_at - interval '5 minutes'`)
			if !tt.late {
				prefix = nil
			}
			if diff := cmp.Diff(prefix, b.remove(t)); diff != "" {
				t.Errorf("later (-want +got):\n%s", diff)
			}
			if left := storetest.Holding(t, b.Conn, id.String()); len(left) > 0 {
				t.Errorf("left in %v", left)
			}
		})
	}
}

// TestLateWritesGoAfterPurges checks the same of the recordings of an interview whose retention is over.
func TestLateWritesGoAfterPurges(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, column string
		purge        func(context.Context, *store.DB) (int, error)
	}{
		{"recordings", "media_purge_at", privacy.PurgeMedia},
		{"records", "record_purge_at", privacy.PurgeRecords},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			made := storetest.Submitted(t, b.DB, b.Org, storetest.NewInterview("Zoe", "zoe@example.com"))
			storetest.Claim(t, b.DB, b.Org, made.ID, steps.Media)
			b.Exec(t, `UPDATE interviews SET `+tt.column+` = now()`)
			if n, err := tt.purge(t.Context(), b.DB); err != nil || n != 1 {
				t.Fatalf("%d purged, %v", n, err)
			}
			prefix := interviews.Prefix(made.ID)
			for _, when := range []string{"at once", "later"} {
				if diff := cmp.Diff([]string{prefix + "media/", prefix + "takes/"}, b.remove(t)); diff != "" {
					t.Errorf("%s (-want +got):\n%s", when, diff)
				}
				b.Exec(t, `UPDATE removals SET due_at = due_at - interval '5 minutes'`)
			}
		})
	}
}

// TestEveryTableOfInterviewsIsListed finds tables that refer to an interview.
func TestEveryTableOfInterviewsIsListed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	rows, err := b.Conn.Query(t.Context(), `SELECT DISTINCT table_name FROM information_schema.columns
WHERE table_schema = current_schema() AND (table_name LIKE 'interview%' OR column_name = 'interview_id') AND table_name <> 'removals' ORDER BY 1`)
	if err != nil {
		t.Fatal(err)
	}
	want, err := pgx.CollectRows(rows, pgx.RowTo[string])
	var got []string
	for _, table := range privacy.Tables() {
		got = append(got, table.Name)
	}
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-tables +listed):\n%s", err, diff)
	}
}

// newAnsweredChange returns a change whose response names the interview.
func (b orgDB) newAnsweredChange(t *testing.T, id uuid.UUID) store.Change {
	t.Helper()
	a := storetest.Attempt(t, b.DB, storetest.AttemptKey(b.Org))
	a.Subject = &id
	a.Render = func(any) (idempotency.Answer, error) {
		return idempotency.Answer{Status: 201, Location: "https://x.example/v1/interviews/" + id.String() + "/activity-file", Body: []byte(`{}`)}, nil
	}
	return store.Change{OrganizationID: b.Org, Attempt: a}
}

func errorOf[T any](_ T, err error) error { return err }

// TestBroughtTradersGoWithTheirInterviews deletes interviews of traders whom interviews have
// created.
func TestBroughtTradersGoWithTheirInterviews(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		touch func(t *testing.T, b orgDB, i invite.Made)
		stays bool
	}{
		{"nobody has touched him", func(*testing.T, orgDB, invite.Made) {}, false},
		{"another interview", func(t *testing.T, b orgDB, i invite.Made) {
			storetest.Interview(t, b.DB, b.Org, storetest.NewInterview("Z", strings.ToUpper(*i.TraderEmail)))
		}, true},
		{"a note", func(t *testing.T, b orgDB, i invite.Made) {
			if _, err := directory.AddNote(t.Context(), b.DB, b.By("Ann"), i.TraderID, "Hm."); err != nil {
				t.Fatal(err)
			}
		}, true},
		{"somebody has changed him", func(t *testing.T, b orgDB, i invite.Made) {
			if _, err := directory.UpdateTrader(t.Context(), b.DB, b.By("desk"), i.TraderID, directory.TraderPatch{Phone: new(new("123"))}); err != nil {
				t.Fatal(err)
			}
		}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			made := b.interview(t)
			tt.touch(t, b, made)
			if err := privacy.DeleteInterview(t.Context(), b.DB, b.By("Ann"), made.ID); err != nil {
				t.Fatal(err)
			}
			_, err := directory.ReadProfile(t.Context(), b.DB, b.Org, made.TraderID)
			if stays := err == nil; stays != tt.stays {
				t.Errorf("he stays: %v, want %v", stays, tt.stays)
			}
		})
	}
}

// TestInterviewFollowsItsTrader matches interviews and synced traders by email,
// in both orders.
func TestInterviewFollowsItsTrader(t *testing.T) {
	t.Parallel()
	s := setupCycle(t)
	b := orgDB{s.OrgDB}
	first := b.interview(t)
	s.WritePage(t, s.NewRun(record.StreamTraders, syncing.ModeIncremental), record.Batch{Traders: []record.Trader{
		{ID: "T-1", FirstName: "Zoe", LastName: "Miller", Email: "ZOE@example.com"}, {ID: "T-2", FirstName: "Yan", Email: "yan@example.com"},
	}})
	i := b.head(t, first.ID)
	d, err := directory.ReadTrader(t.Context(), b.DB, b.Org, i.TraderID)
	if err != nil || d.Source != string(record.CustomAPI) || value(i.TraderExternalID) != "T-1" || i.TraderID != first.TraderID || len(d.Interviews) != 1 {
		t.Errorf("interview first: %+v with %d interviews, %v", d.Trader, len(d.Interviews), err)
	}
	later := storetest.Interview(t, b.DB, b.Org, storetest.NewInterview("Y", "YAN@example.com"))
	if value(later.TraderExternalID) != "T-2" {
		t.Errorf("trader first: %v", later.TraderExternalID)
	}
	if total := storetest.One[int](t, b.Conn, `SELECT count(*) FROM traders`); total != 2 {
		t.Errorf("%d traders", total)
	}
}

func value[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// TestErasedTradersStayAway erases a synced trader, and sends everything from the platform again.
func TestErasedTradersStayAway(t *testing.T) {
	t.Parallel()
	s := setupCycle(t)
	b := orgDB{s.OrgDB}
	send := func() {
		t.Helper()
		s.WritePage(t, s.NewRun(record.StreamTraders, syncing.ModeIncremental), record.Batch{Traders: []record.Trader{
			{ID: "T-erased", FirstName: "Zoe", LastName: "Marker", Email: "zoe@example.com"}, {ID: "T-2", FirstName: "Yan"},
		}}, func(p *ingest.PageCommit) {
			p.Findings = []record.Finding{{Rule: "phone_format", Resource: record.Traders, Count: 2, Samples: []string{"T-erased", "T-2"}}}
		})
		s.WritePage(t, s.NewRun(record.StreamAccounts, syncing.ModeIncremental), record.Batch{Accounts: []record.Account{
			{ID: "A-erased", TraderID: "T-erased", Login: "erased-login"}, {ID: "A-2", TraderID: "T-2"}, {ID: "A-erased2", TraderID: "T-erased"},
		}})
		s.WritePage(t, s.NewRun(record.StreamTrades, syncing.ModeIncremental), record.Batch{Trades: []record.Trade{storetest.Trade("A-erased", "1", 0), storetest.Trade("A-2", "1", 0), storetest.Trade("A-erased2", "1", 0)}})
	}
	send()
	made := b.interview(t)
	if value(made.TraderExternalID) != "T-erased" {
		t.Fatalf("the interview is of %v", made.TraderExternalID)
	}
	b.Exec(t, `UPDATE interviews SET hold_at = now()`)
	if err := privacy.EraseTrader(t.Context(), b.DB, b.By("Ann"), made.TraderID); !errors.Is(err, store.ErrLegalHold) {
		t.Errorf("erased in spite of a hold: %v", err)
	}
	b.Exec(t, `UPDATE interviews SET hold_at = NULL`)
	if err := privacy.EraseTrader(t.Context(), b.DB, b.By("Ann"), made.TraderID); err != nil {
		t.Fatal(err)
	}
	if _, err := ingest.WritePage(t.Context(), b.DB, ingest.PageCommit{
		Claim: &s.Claim, Run: s.NewRun(record.StreamTraders, syncing.ModeIncremental), Batch: record.Batch{Traders: []record.Trader{{ID: "T-erased"}}}, Lease: storetest.Lease,
	}); !errors.Is(err, store.ErrFenced) {
		t.Errorf("a page that was under way: %v", err)
	}
	claim, err := syncing.ClaimOne(t.Context(), b.DB, "test-2", s.Claim.IntegrationID, storetest.Lease)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := syncing.ReadSettings(t.Context(), b.DB, &claim); err != nil {
		t.Fatal(err)
	}
	s.Claim = claim
	b.Exec(t, `UPDATE findings SET last_seen_at = last_seen_at - interval '2 hours'`) // those of the last hour are not written again
	send()
	for _, page := range []struct {
		stream record.Stream
		owners []record.Owner
	}{
		{record.StreamTraders, []record.Owner{{TraderID: "T-erased"}}},
		{record.StreamAccounts, []record.Owner{{TraderID: "T-erased", AccountID: "A-erased"}, {TraderID: "T-erased", AccountID: "A-erased3"}}},
		{record.StreamTrades, []record.Owner{{AccountID: "A-erased"}, {AccountID: "A-erased3"}}},
		{record.StreamPayouts, []record.Owner{{TraderID: "T-erased"}, {AccountID: "A-erased"}}},
	} {
		s.WritePage(t, s.NewRun(page.stream, syncing.ModeIncremental), record.Batch{}, func(p *ingest.PageCommit) {
			for i, owner := range page.owners {
				p.Rejected = append(p.Rejected, record.Rejected{Key: fmt.Sprint(i), Owner: owner, Raw: fmt.Sprintf(`{"of":%q}`, owner), Rule: "required_missing"})
			}
		})
	}
	b.remove(t)
	if left := storetest.Holding(t, b.Conn, "erased", "zoe@example.com", "Marker", made.ID.String()); len(left) > 0 {
		t.Errorf("left in %v", left)
	}
	if diff := cmp.Diff([]string{"T-2"}, s.Texts(t, `SELECT unnest(samples) FROM findings WHERE rule = 'phone_format'`)); diff != "" {
		t.Errorf("samples (-want +got)\n%s", diff)
	}
	want := "traders 1, accounts 1, trades 1"
	got := storetest.One[string](t, b.Conn, `SELECT format('traders %s, accounts %s, trades %s', (SELECT count(*) FROM traders WHERE integration_id IS NOT NULL), (SELECT count(*) FROM accounts), (SELECT count(*) FROM trades))`)
	if counted := storetest.One[string](t, b.Conn, `SELECT format('traders %s, accounts %s, trades %s', traders, accounts, trades) FROM sync_state`); got != want || counted != want {
		t.Errorf("%s, counted %s, want %s", got, counted, want)
	}
	if trader, err := directory.ReadProfile(t.Context(), b.DB, b.Org, made.TraderID); err != nil || trader.Status != directory.TraderArchived || trader.FullName != nil {
		t.Errorf("the row is %+v, %v", trader, err)
	}
}

// TestErasedTradersStayAwayUnderSecondIDs is like TestErasedTradersStayAway for a platform whose trades and payouts name
// accounts by a second id. An id that is also another account's number or second id stays that account's.
func TestErasedTradersStayAwayUnderSecondIDs(t *testing.T) {
	t.Parallel()
	s := setupCycle(t)
	s.Claim.Kind = record.PartnerPlatform
	named := func(id string) func(*record.Trade) {
		return func(t *record.Trade) { t.AccountID, t.AccountName = id, record.NamedByPartnerID(id) }
	}
	send := func(accounts ...record.Account) {
		t.Helper()
		s.WritePage(t, s.NewRun(record.StreamTraders, syncing.ModeIncremental), record.Batch{Traders: []record.Trader{{ID: "T-erased"}, {ID: "T-2"}}})
		s.WritePage(t, s.NewRun(record.StreamAccounts, syncing.ModeIncremental), record.Batch{Accounts: accounts})
		s.WritePage(t, s.NewRun(record.StreamTradesOpen, syncing.ModeIncremental), record.Batch{Trades: []record.Trade{
			storetest.Trade("", "1", 0, named("x-erased")), storetest.Trade("x-erased", "2", 0),
			storetest.Trade("", "4", 0, named("x-2")), storetest.Trade("3003", "5", 0),
		}}, func(p *ingest.PageCommit) {
			p.Rejected = []record.Rejected{{Key: record.TradeKey("x-erased", "6"), Owner: record.Owner{AccountID: "x-erased"}, Raw: `{"accountId":"x-erased"}`, Rule: "required_missing"}}
		})
		s.WritePage(t, s.NewRun(record.StreamPayouts, syncing.ModeIncremental), record.Batch{Payouts: []record.Payout{
			{ID: "P-1", AccountID: "x-erased", AccountName: record.NamedByPartnerID("x-erased")}, {ID: "P-2", AccountID: "x-2", AccountName: record.NamedByPartnerID("x-2")},
		}})
	}
	erased := record.Account{ID: "1001", PartnerID: "x-erased", TraderID: "T-erased"}
	shared := record.Account{ID: "1003", PartnerID: "3003", TraderID: "T-erased"}
	others := []record.Account{{ID: "2002", PartnerID: "x-2", TraderID: "T-2"}, {ID: "3003", TraderID: "T-2"}}
	send(append(others, erased, shared)...)
	if err := privacy.EraseTrader(t.Context(), s.DB, s.By("Ann"), storetest.One[uuid.UUID](t, s.Conn, `SELECT id FROM traders WHERE external_id = 'T-erased'`)); err != nil {
		t.Fatal(err)
	}
	claim, err := syncing.ClaimOne(t.Context(), s.DB, "test-2", s.Claim.IntegrationID, storetest.Lease)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := syncing.ReadSettings(t.Context(), s.DB, &claim); err != nil {
		t.Fatal(err)
	}
	claim.Kind = record.PartnerPlatform
	s.Claim = claim
	// One account has a further second id by now, and there is another account.
	again := erased
	again.PartnerID = "x-erased2"
	send(append(others, again, record.Account{ID: "1002", PartnerID: "x-erased3", TraderID: "T-erased"})...)
	s.WritePage(t, s.NewRun(record.StreamTradesClosed, syncing.ModeIncremental), record.Batch{Trades: []record.Trade{
		storetest.Trade("", "3", 0, named("x-erased2")), storetest.Trade("", "7", 0, named("x-erased3")),
	}})
	if left := storetest.Holding(t, s.Conn, "erased"); len(left) > 0 {
		t.Errorf("left in %v", left)
	}
	for query, want := range map[string][]string{
		`SELECT account_external_id || ' ' || id FROM trades ORDER BY 1`: {"2002 4", "3003 5"},
		`SELECT external_id FROM payouts`:                                {"P-2"},
	} {
		if diff := cmp.Diff(want, s.Texts(t, query)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", query, diff)
		}
	}
}

// TestErasureCleansFindings erases a trader whose records, with ids in many forms, are in quarantine, in the
// samples of findings and in the results of audits. Those of others stay.
func TestErasureCleansFindings(t *testing.T) {
	t.Parallel()
	const trader, account = "470011470011", "88/001188"
	s := setupCycle(t)
	s.WritePage(t, s.NewRun(record.StreamTraders, syncing.ModeIncremental), record.Batch{Traders: []record.Trader{{ID: trader, FirstName: "Zoe"}, {ID: "T-2"}}})
	s.WritePage(t, s.NewRun(record.StreamAccounts, syncing.ModeIncremental), record.Batch{Accounts: []record.Account{{ID: account, TraderID: trader}, {ID: "A-2", TraderID: "T-2"}}})
	s.WritePage(t, s.NewRun(record.StreamTrades, syncing.ModeIncremental), record.Batch{Trades: []record.Trade{storetest.Trade(account, "990022990022", 0), storetest.Trade("A-2", "1", 0)}})
	s.WritePage(t, s.NewRun(record.StreamPayouts, syncing.ModeIncremental), record.Batch{Payouts: []record.Payout{{ID: "P-marker", TraderID: trader}, {ID: "P-2", TraderID: "T-2"}}})
	for _, page := range []struct {
		stream  record.Stream
		raws    map[string]string // by key
		samples []string
	}{
		{record.StreamTraders, map[string]string{trader: `{"id":"marker"}`, "T-2": `{"id":"T-2"}`}, []string{trader, "T-2"}},
		{record.StreamAccounts, map[string]string{
			"A-7": `{"id":"A-7","marker":"","trader_id":470011470011}`, "A-8": `{"id":"A-8","marker":"","trader_id" : 470011470011.0 }`,
			"A-9": `{"id":"A-9","marker":"","trader_id":" \u003470011470011\t"}`, "A-2": `{"id":"A-2","balance":470011470011,"currency":"470011470011 USD"}`,
		}, []string{account, "A-2"}},
		{record.StreamTrades, map[string]string{
			record.TradeKey(account, "7"): `{"marker":""}`, record.TradeKey("A-2", "7"): `{}`,
			record.RawKey("1"): `{"account":{"login":"88\/001188"},"marker":"` + strings.Repeat("cut", 10),
		}, []string{"990022990022", record.TradeKey(account, "7"), record.TradeKey("A-2", "7")}},
		{record.StreamPayouts, map[string]string{"P-marker": `{}`, "P-2": `{}`}, []string{"P-marker", "P-2"}},
	} {
		s.WritePage(t, s.NewRun(page.stream, syncing.ModeIncremental), record.Batch{}, func(p *ingest.PageCommit) {
			for key, raw := range page.raws {
				p.Rejected = append(p.Rejected, record.Rejected{Key: key, Raw: raw, Rule: "required_missing"})
			}
			p.Findings = []record.Finding{{Rule: "number_as_text", Resource: page.stream.Resource(), Count: len(page.samples), Samples: page.samples}}
		})
	}
	s.Exec(t, `INSERT INTO sync_audits (id, integration_id, trigger, status, resources, sweep, finished_at) SELECT gen_random_uuid(), $1, 'manual', status, $2, sweep::jsonb, ended
FROM (VALUES ('succeeded', NULL, now()), ('running', $3, NULL)) AS a(status, sweep, ended)`, s.Claim.IntegrationID,
		`[{"resource":"traders","repaired_ids":["`+trader+`","T-2"],"missing_ids":[],"seen":1},{"resource":"trades","repaired_ids":["990022990022"],"missing_ids":["A-2/1","`+account+`/1"]}]`,
		`{"due":"2026-01-01T00:00:00Z","repaired_ids":["`+account+`"]}`)
	if err := privacy.EraseTrader(t.Context(), s.DB, s.By("Ann"), storetest.One[uuid.UUID](t, s.Conn, `SELECT id FROM traders WHERE external_id = $1`, trader)); err != nil {
		t.Fatal(err)
	}
	if left := storetest.Holding(t, s.Conn, trader+`"`, trader+"}", account, "88001188", "990022990022", "marker"); len(left) > 0 {
		t.Errorf("left in %v", left)
	}
	for query, want := range map[string][]string{
		`SELECT resource || ' ' || replace(key, chr(31), '/') FROM quarantine ORDER BY 1`:  {"accounts A-2", "payouts P-2", "traders T-2", "trades A-2/7"},
		`SELECT quarantined::text FROM sync_state`:                                         {"4"},
		`SELECT resource || ' ' || array_to_string(samples, ' ') FROM findings ORDER BY 1`: {"accounts A-2", "payouts P-2", "traders T-2", "trades A-2/7"},
		`SELECT resources::text || coalesce(sweep::text, '') FROM sync_audits ORDER BY sweep`: {
			`[{"seen": 1, "resource": "traders", "missing_ids": [], "repaired_ids": ["T-2"]}, {"resource": "trades", "missing_ids": ["A-2/1"], "repaired_ids": []}]{"due": "2026-01-01T00:00:00Z", "repaired_ids": []}`,
			`[{"seen": 1, "resource": "traders", "missing_ids": [], "repaired_ids": ["T-2"]}, {"resource": "trades", "missing_ids": ["A-2/1"], "repaired_ids": []}]`,
		},
	} {
		if diff := cmp.Diff(want, s.Texts(t, query)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", query, diff)
		}
	}
}

// TestPurges lets the retention of recordings and of records end.
func TestPurges(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const phrase = "marker phrase"
	made := storetest.Completed(t, b.DB, b.Org, storetest.NewInterview("Zoe", "zoe@example.com"), phrase)
	held := storetest.Completed(t, b.DB, b.Org, storetest.NewInterview("Yan", "yan@example.com"), "held words")
	if _, err := review.Hold(t.Context(), b.DB, b.By("Ann"), held.ID, nil); err != nil {
		t.Fatal(err)
	}
	if i := b.head(t, made.ID); i.MediaPurgeAt.Sub(*i.EndedAt).Round(time.Hour) != 180*24*time.Hour || i.RecordPurgeAt.Sub(*i.EndedAt).Round(time.Hour) != 360*24*time.Hour {
		t.Errorf("media goes %s and the record %s after the end", i.MediaPurgeAt.Sub(*i.EndedAt), i.RecordPurgeAt.Sub(*i.EndedAt))
	}
	b.Exec(t, `UPDATE interviews SET media_purge_at = now()`)
	if n, err := privacy.PurgeMedia(t.Context(), b.DB); err != nil || n != 1 {
		t.Fatalf("%d purged, %v", n, err)
	}
	if _, err := viewing.ReadMedia(t.Context(), b.DB, made.ID, 1); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("played: %v", err)
	}
	prefix := interviews.Prefix(made.ID)
	if diff := cmp.Diff([]string{prefix + "media/", prefix + "takes/"}, b.remove(t)); diff != "" {
		t.Errorf("blobs (-want +got):\n%s", diff)
	}
	if d, err := interviews.Read(t.Context(), b.DB, b.Org, made.ID); err != nil || d.Report == nil || d.Transcript == nil {
		t.Errorf("the record went as well, %v", err)
	}
	b.Exec(t, `UPDATE interviews SET record_purge_at = now()`)
	if n, err := privacy.PurgeRecords(t.Context(), b.DB); err != nil || n != 1 {
		t.Fatalf("%d purged, %v", n, err)
	}
	if left := storetest.Holding(t, b.Conn, phrase); len(left) > 0 {
		t.Errorf("words left in %v", left)
	}
	if d, err := interviews.Read(t.Context(), b.DB, b.Org, held.ID); err != nil || d.Report == nil || d.Media == nil {
		t.Errorf("what is held was purged, %v", err)
	}
	purged := storetest.One[int](t, b.Conn, `SELECT count(*) FROM audit_log WHERE action = $1`, string(action.InterviewPurged))
	if purged != 2 {
		t.Errorf("%d rows of purges in the audit log", purged)
	}
}

// TestReissueAfterThePurge reissues an interview that nobody answered before its retention was over. The
// answers to the new link are worked on.
func TestReissueAfterThePurge(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := b.interview(t)
	b.Exec(t, `UPDATE interviews SET invite_expires_at = now() - interval '1 second'`)
	if n, err := invite.Expire(t.Context(), b.DB); err != nil || n != 1 {
		t.Fatalf("%d expired, %v", n, err)
	}
	b.Exec(t, `UPDATE interviews SET record_purge_at = now()`)
	if n, err := privacy.PurgeRecords(t.Context(), b.DB); err != nil || n != 1 {
		t.Fatalf("%d purged, %v", n, err)
	}
	again, err := invite.Reissue(t.Context(), b.DB, b.By("Ann"), made.ID, nil)
	if err != nil {
		t.Fatal(err)
	}
	made.Token = again.Token
	s, i := storetest.Started(t, b.DB, made)
	for _, q := range i.Questions {
		if _, err := answering.SealWritten(t.Context(), b.DB, s, q.ID, "In writing."); err != nil {
			t.Fatal(err)
		}
	}
	if err := answering.Submit(t.Context(), b.DB, s); err != nil {
		t.Fatal(err)
	}
	storetest.Claim(t, b.DB, b.Org, made.ID, steps.Media)
	if i := b.head(t, made.ID); i.PurgedAt != nil {
		t.Errorf("it counts as purged at %s", i.PurgedAt)
	}
}

// TestFilesOfInterviews deletes interviews whose file is also the trader's, or another interview's.
func TestFilesOfInterviews(t *testing.T) {
	t.Parallel()
	b := setup(t)
	trader := b.CreateTrader(t, directory.NewTrader{FullName: "Zoe"})
	interview := func() uuid.UUID {
		n := storetest.NewInterview("", "")
		n.Trader, n.TraderID = nil, &trader.ID
		return storetest.Completed(t, b.DB, b.Org, n, "words").ID
	}
	upload := func(content, timezone string) activity.NewFile {
		n := storetest.ActivityFile(trader.ID, "a.csv", content)
		n.Options = []byte(`{"timezone":"` + timezone + `"}`)
		return n
	}
	keep := func(id uuid.UUID, n activity.NewFile) error {
		_, err := review.KeepFile(t.Context(), b.DB, b.By("Ann"), id, n)
		return err
	}
	keepOfTrader := func(n activity.NewFile) error {
		_, err := activity.KeepFile(t.Context(), b.DB, b.By("Ann"), n)
		return err
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	remaining := func() int { return storetest.One[int](t, b.Conn, `SELECT count(*) FROM activity_files`) }
	remove := func(id uuid.UUID) {
		t.Helper()
		must(privacy.DeleteInterview(t.Context(), b.DB, b.By("Ann"), id))
	}

	// Read in another way, the trader's file stays the trader's.
	must(keepOfTrader(upload("one", "UTC")))
	id := interview()
	must(keep(id, upload("one", "+02:00")))
	if remove(id); remaining() != 1 {
		t.Error("the trader's file went with an interview")
	}
	// A file of two interviews goes with the last of them.
	first, second := interview(), interview()
	must(keep(first, upload("two", "UTC")))
	must(keep(second, upload("two", "UTC")))
	if remove(first); remaining() != 2 {
		t.Error("the file of two interviews went with the first")
	}
	if remove(second); remaining() != 1 {
		t.Error("the file of two interviews stays after the last")
	}
	// An interview's file that is uploaded to the trader, too, stays.
	id = interview()
	must(keep(id, upload("three", "UTC")))
	must(keepOfTrader(upload("three", "UTC")))
	if remove(id); remaining() != 2 {
		t.Error("the file that was uploaded to the trader, too, went with the interview")
	}
	// The trades of an interview under legal hold are not replaced.
	id = interview()
	must(keep(id, upload("four", "UTC")))
	_, err := review.Hold(t.Context(), b.DB, b.By("Ann"), id, nil)
	must(err)
	if err := keepOfTrader(upload("four", "+02:00")); !errors.Is(err, store.ErrLegalHold) {
		t.Errorf("the trades of what is held are replaced: %v", err)
	}
	must(keepOfTrader(upload("four", "UTC")))
}

// TestPurgesEndWhatNobodyWorksOn lets the retention of interviews end whose steps have not been
// processed.
func TestPurgesEndWhatNobodyWorksOn(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := storetest.Submitted(t, b.DB, b.Org, storetest.NewInterview("Zoe", "zoe@example.com"))
	b.Exec(t, `UPDATE interviews SET media_purge_at = now()`)
	if n, err := privacy.PurgeMedia(t.Context(), b.DB); err != nil || n != 1 {
		t.Fatalf("%d purged, %v", n, err)
	}
	if err := worker.Skip(t.Context(), b.DB, storetest.Claim(t, b.DB, b.Org, made.ID, steps.Transcript)); err != nil {
		t.Errorf("without its recording the pipeline does not go on: %v", err)
	}
	b.Exec(t, `UPDATE interviews SET record_purge_at = now()`)
	if n, err := privacy.PurgeRecords(t.Context(), b.DB); err != nil || n != 1 {
		t.Fatalf("%d purged, %v", n, err)
	}
	if i := b.head(t, made.ID); i.Status != interviews.Failed {
		t.Errorf("it is %s for ever", i.Status)
	}
	for name, ask := range map[string]func() (uuid.UUID, error){
		"a report": func() (uuid.UUID, error) { return review.RegenerateReport(t.Context(), b.DB, b.By("Ann"), made.ID) },
		"captions": func() (uuid.UUID, error) { return review.RequestSubtitles(t.Context(), b.DB, b.By("Ann"), made.ID) },
	} {
		if job, err := ask(); err != nil || job != uuid.Nil {
			t.Errorf("%s of what has been purged: job %s, %v", name, job, err)
		}
	}
}

// TestUploadsArePurged leaves takes that were never sealed.
func TestUploadsArePurged(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s, i := storetest.Started(t, b.DB, b.interview(t))
	take, err := answering.BeginTake(t.Context(), b.DB, s, answering.NewTake{QuestionID: i.Questions[0].ID, Mode: interviews.AnswerVideo})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := answering.AppendTake(t.Context(), b.DB, s, take.ID, answering.TakePart{Bytes: 9, Blob: interviews.TakePrefix(i.ID, take.ID) + "0"}, nil); err != nil {
		t.Fatal(err)
	}
	b.Exec(t, `UPDATE interview_takes SET updated_at = now() - interval '25 hours'`)
	if n, err := privacy.PurgeUploads(t.Context(), b.DB); err != nil || n != 0 {
		t.Fatalf("%d purged while in progress, %v", n, err)
	}
	b.Exec(t, `UPDATE interviews SET complete_by = now() - interval '1 hour'`)
	if n, err := answering.CloseOverdue(t.Context(), b.DB); err != nil || n != 1 {
		t.Fatalf("%d closed, %v", n, err)
	}
	for want := 1; want >= 0; want-- {
		if n, err := privacy.PurgeUploads(t.Context(), b.DB); err != nil || n != want {
			t.Errorf("%d purged, %v, want %d", n, err, want)
		}
	}
	if diff := cmp.Diff([]string{interviews.TakePrefix(i.ID, take.ID)}, b.remove(t)); diff != "" {
		t.Errorf("blobs (-want +got):\n%s", diff)
	}
}

// TestRemovalsAreClaimedInParts claims no more removals than asked for, also while the planner takes
// the table for empty.
func TestRemovalsAreClaimedInParts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const fill = `INSERT INTO removals (id, organization_id, interview_id, prefix, whole, due_at)
SELECT gen_random_uuid(), $1, gen_random_uuid(), 'a/' || n, false, now() FROM generate_series(1, 100) AS n`
	b.Exec(t, fill, b.Org)
	b.Exec(t, `DELETE FROM removals`)
	b.Exec(t, `ANALYZE removals`)
	b.Exec(t, fill, b.Org)
	list, err := removals.ClaimDue(t.Context(), b.DB, 7, time.Minute)
	if err != nil || len(list) != 7 {
		t.Errorf("%d removals were claimed, want 7, %v", len(list), err)
	}
	if n := storetest.One[int](t, b.Conn, `SELECT count(*) FROM removals WHERE attempts > 0`); n != 7 {
		t.Errorf("%d removals have an attempt, want 7", n)
	}
}
