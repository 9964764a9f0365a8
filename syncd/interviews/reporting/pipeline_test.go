package reporting_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/interview/report"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/access"
	"github.com/assayhq/assay/store/directory"
	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/store/interviews/answering"
	"github.com/assayhq/assay/store/interviews/review"
	"github.com/assayhq/assay/store/interviews/steps"
	"github.com/assayhq/assay/store/interviews/worker"
	"github.com/assayhq/assay/store/seal"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/store/syncing/integrations"
)

// TestReport makes a report from what was written and from a platform's trades.
func TestReport(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.submitted(t, "I hold positions for about twenty minutes. I take 1 trade a day. I only trade gold.")
	// Three findings of low severity are one observation.
	if _, err := storetest.Conn(t, b.URL).Exec(t.Context(), `INSERT INTO interview_events (id, interview_id, client_id, kind, severity) SELECT gen_random_uuid(), $1, gen_random_uuid(), 'paste', 'low' FROM generate_series(1, 3)`, id); err != nil {
		t.Fatal(err)
	}
	if i, err := interviews.ReadHead(t.Context(), b.DB, b.Org, id); err != nil || i.Seen().Low != 3 {
		t.Errorf("before the report: %+v, %v", i.Seen(), err)
	}
	b.run(t)
	i := b.step(t, id, steps.Report, steps.Done)
	r := reportOf(t, i)
	if i.Status != interviews.Completed || i.ReportVersion != 1 || r.Version != 1 || r.Inputs.Trades != 450 || r.Inputs.Accounts != 1 {
		t.Errorf("status %s, version %d, inputs %+v", i.Status, i.ReportVersion, r.Inputs)
	}
	verdicts := map[string]string{}
	for _, c := range r.ClaimChecks {
		verdicts[c.Topic] = c.Verdict
	}
	for topic, want := range map[string]string{"holding_time": "consistent", "trades_per_day": "inconsistent", "instruments": "inconsistent"} {
		if verdicts[topic] != want {
			t.Errorf("%s is %q, want %s", topic, verdicts[topic], want)
		}
	}
	counts := map[string]int{}
	for _, f := range r.Findings {
		counts[string(f.Severity)]++
	}
	if i.AttentionLevel == nil || *i.AttentionLevel != r.AttentionLevel || i.Findings != (interviews.FindingCounts{High: counts["high"], Medium: counts["medium"], Low: counts["low"]}) || len(i.FindingKinds) == 0 {
		t.Errorf("the interview does not tell what the report does: %v %+v %v", i.AttentionLevel, i.Findings, i.FindingKinds)
	}
	if seen := i.Seen(); seen.Low != 1 || seen != interviews.IntegritySummary(r.IntegritySummary) {
		t.Errorf("the interview tells of %+v and its report of %+v", seen, r.IntegritySummary)
	}
	if r.SummaryDraft != nil || r.Engines.LLM != nil {
		t.Error("a language model was asked")
	}
	checkActivity(t, i)
	// A reviewer confirms a claim: a new version of the report contains that.
	if _, err := review.ConfirmClaim(t.Context(), b.DB, store.SystemChange(b.Org), id, r.ClaimChecks[0].ID); err != nil {
		t.Fatal(err)
	}
	storetest.Within(t, patience, "a second version is written", func() bool {
		head, err := interviews.ReadHead(t.Context(), b.DB, b.Org, id)
		return err == nil && head.ReportVersion == 2
	})
	again := reportOf(t, b.step(t, id, steps.Report, steps.Done))
	if again.Version != 2 || !again.ClaimChecks[0].Confirmed {
		t.Errorf("version %d does not know the confirmation", again.Version)
	}
}

// TestReportOfTheStoredAnalysis deletes the trades after they were analyzed. The
// report uses the analysis that is stored with it, and a later report uses what is
// there then.
func TestReportOfTheStoredAnalysis(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.run(t)
	const said = "I hold positions for about twenty minutes."
	id, question := b.handedIn(t, said)
	b.step(t, id, steps.Activity, steps.Done)
	if _, err := storetest.Conn(t, b.URL).Exec(t.Context(), `DELETE FROM trades`); err != nil {
		t.Fatal(err)
	}
	b.transcribed(t, id, question, said)
	first := reportOf(t, b.step(t, id, steps.Report, steps.Done))
	if first.Inputs.Trades != 450 || len(first.ClaimChecks) == 0 || first.ClaimChecks[0].Verdict != "consistent" {
		t.Fatalf("inputs %+v, claims %+v", first.Inputs, first.ClaimChecks)
	}
	if _, err := review.ConfirmClaim(t.Context(), b.DB, store.SystemChange(b.Org), id, first.ClaimChecks[0].ID); err != nil {
		t.Fatal(err)
	}
	storetest.Within(t, patience, "a second version is written", func() bool {
		head, err := interviews.ReadHead(t.Context(), b.DB, b.Org, id)
		return err == nil && head.ReportVersion == 2
	})
	i := b.step(t, id, steps.Report, steps.Done)
	if again := reportOf(t, i); again.Inputs.Trades != 0 {
		t.Errorf("the second version is of %d trades", again.Inputs.Trades)
	}
	checkActivity(t, i)
}

// TestReportByAnotherProcess checks that a report is stored with its own analysis if
// another process has analyzed the activity, with other trades.
func TestReportByAnotherProcess(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.submitted(t, "I hold positions for about twenty minutes.")
	earlier := []byte(`{"totals":{"trades":7}}`)
	if err := worker.FinishActivity(t.Context(), b.DB, storetest.Claim(t, b.DB, b.Org, id, steps.Activity), earlier); err != nil {
		t.Fatal(err)
	}
	b.run(t)
	i := b.step(t, id, steps.Report, steps.Done)
	checkActivity(t, i)
}

// checkActivity checks that the report and the activity that people see beside it are of
// the same trades.
func checkActivity(t *testing.T, i interviews.Detail) {
	t.Helper()
	var activity struct {
		Totals struct{ Trades int }
	}
	if err := json.Unmarshal(i.Activity, &activity); err != nil {
		t.Fatalf("activity %s: %v", i.Activity, err)
	}
	if want := reportOf(t, i).Inputs.Trades; activity.Totals.Trades != want {
		t.Errorf("activity of %d trades, report of %d", activity.Totals.Trades, want)
	}
}

// TestAccountsOfTheReport checks that the report says whose trades it includes, and that a
// trader who has said "one account" is not blamed for one of somebody else, nor for one that
// was opened after the interview.
func TestAccountsOfTheReport(t *testing.T) {
	t.Parallel()
	b := setup(t)
	second := storetest.Integration(t, b.DB, b.Org, "https://b.example")
	yesterday := time.Now().UTC().AddDate(0, 0, -1)
	storetest.Records(t, b.URL, second, record.Batch{
		Traders:  []record.Trader{{ID: "B-1", FirstName: "Adam", Email: "ada@example.com"}},
		Accounts: []record.Account{{ID: "B-A", TraderID: "B-1", Login: "9", Platform: "mt5", Currency: "USD"}},
		Trades: []record.Trade{{
			ID: "b-1", AccountID: "B-A", Symbol: "XAUUSD", Side: record.Buy, OpenTime: yesterday, CloseTime: yesterday.Add(time.Minute), Volume: "1", Profit: "1",
		}},
	})
	id := b.submitted(t, "I have one account.")
	b.run(t)
	check := func(i interviews.Detail, verdict, gap string, trades int) {
		t.Helper()
		r := reportOf(t, i)
		if len(r.ClaimChecks) != 1 || r.ClaimChecks[0].Verdict != verdict {
			t.Errorf("version %d: %+v, want %s", r.Version, r.ClaimChecks, verdict)
		}
		told := slices.ContainsFunc(r.DataGaps, func(g string) bool { return strings.Contains(g, "Adam (B-1)") && strings.Contains(g, gap) })
		if r.Inputs.Trades != trades || told != (gap != "") {
			t.Errorf("version %d: %d trades, gaps %q", r.Version, r.Inputs.Trades, r.DataGaps)
		}
	}
	check(b.step(t, id, steps.Report, steps.Done), "unclear", "The trades there are included.", 451)
	other := storetest.One[uuid.UUID](t, b.Conn, `SELECT id FROM traders WHERE external_id = 'B-1'`)
	if err := directory.DismissDuplicate(t.Context(), b.DB, store.SystemChange(b.Org), b.trader, other); err != nil {
		t.Fatal(err)
	}
	b.Exec(t, `INSERT INTO accounts SELECT (jsonb_populate_record(a, jsonb_build_object('id', gen_random_uuid(), 'external_id', 'A-2', 'login', '7002', 'created_at', now() + interval '1 day'))).*
FROM accounts AS a WHERE a.external_id = 'A-1'`)
	if _, err := review.RegenerateReport(t.Context(), b.DB, store.SystemChange(b.Org), id); err != nil {
		t.Fatal(err)
	}
	storetest.Within(t, patience, "a second version is written", func() bool {
		head, err := interviews.ReadHead(t.Context(), b.DB, b.Org, id)
		return err == nil && head.ReportVersion == 2
	})
	check(b.step(t, id, steps.Report, steps.Done), "consistent", "", 450)
}

// The language model is used only if the organization allows it.
func TestProse(t *testing.T) {
	t.Parallel()
	b := setup(t)
	asked := make(chan string, 10)
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		asked <- string(body)
		_, _ = io.WriteString(w, `{"choices":[{"message":{"content":"{\"summary\":\"The trader writes.\",\"claims\":[]}"}}]}`)
	}))
	defer model.Close()
	b.model = model.URL
	first := b.submitted(t, "Twenty minutes.")
	b.run(t)
	if r := reportOf(t, b.step(t, first, steps.Report, steps.Done)); r.SummaryDraft != nil || len(asked) != 0 {
		t.Error("the transcript was sent without leave")
	}
	if _, err := access.UpdateSettings(t.Context(), b.DB, store.SystemChange(b.Org), access.SettingsPatch{OffBoxProse: new(true)}); err != nil {
		t.Fatal(err)
	}
	second := b.submitted(t, "Twenty minutes.")
	r := reportOf(t, b.step(t, second, steps.Report, steps.Done))
	if r.SummaryDraft == nil || r.SummaryDraft.Text == nil || r.SummaryDraft.Model != "m" || len(asked) != 1 {
		t.Fatalf("draft %+v after %d requests", r.SummaryDraft, len(asked))
	}
	if sent := <-asked; strings.Contains(sent, "ada@example.com") || strings.Contains(sent, b.trader.String()) || strings.Contains(sent, second.String()) {
		t.Errorf("more than words was sent: %s", sent)
	}
}

// Questions are made from what the platform knows. The platform is asked for the
// trader first.
func TestPrepare(t *testing.T) {
	t.Parallel()
	b := setup(t)
	conn := storetest.Conn(t, b.URL)
	if _, err := conn.Exec(t.Context(), `INSERT INTO sync_streams (integration_id, stream, last_status) SELECT id, 'traders', 'succeeded' FROM integrations`); err != nil {
		t.Fatal(err) // traders have been read
	}
	made := b.invited(t, 3)
	b.run(t)
	b.step(t, made.ID, steps.Prepare, steps.Done)
	if path := <-b.asked; path != "/traders/t-1" {
		t.Errorf("the platform was asked for %s", path)
	}
	var missing int
	if err := conn.QueryRow(t.Context(), `SELECT count(*) FROM findings WHERE rule = 'trader_missing' AND samples = '{t-1}'`).Scan(&missing); err != nil || missing != 1 {
		t.Errorf("%d findings of a missing trader, %v", missing, err)
	}
	platforms, err := integrations.List(t.Context(), b.DB, b.Org)
	if err != nil || len(platforms) != 1 {
		t.Fatalf("%d integrations, %v", len(platforms), err)
	}
	if e := platforms[0].LastError; e == nil || e.Code != "not_found" || e.HTTPStatus != 404 || e.Endpoint != "GET /traders/t-1" || !strings.Contains(e.Message, "t-1") {
		t.Errorf("last error %+v, want that of the trader", e)
	}
	_, i := storetest.Started(t, b.DB, made)
	auto := 0
	for _, q := range i.Questions {
		if q.Source == "auto" {
			auto++
			if q.FindingKind == nil || !strings.HasSuffix(q.Prompt, "?") {
				t.Errorf("question %+v", q)
			}
		}
	}
	if auto == 0 || auto > 3 {
		t.Errorf("%d questions from the trader's data", auto)
	}
}

// TestPrepareWithoutAnAnswer makes questions although the platform says nothing about the trader. It is
// not asked while it fails, nor until it is confirmed that a changed address still leads to the same
// platform. An unknown trader is no finding then.
func TestPrepareWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, state string
		hangs       bool
		asked       int
	}{
		{name: "the address was changed", state: `UPDATE integrations SET platform_unconfirmed = true`},
		{name: "the platform fails", state: `UPDATE integrations SET health_status = 'failing'`},
		{name: "the platform hangs", state: `UPDATE sync_state SET last_finished_at = NULL`, hangs: true, asked: 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.Exec(t, tt.state)
			if b.hangs = tt.hangs; tt.hangs {
				b.wait = 500 * time.Millisecond
			}
			made := b.invited(t, 3)
			b.run(t)
			b.step(t, made.ID, steps.Prepare, steps.Done)
			if len(b.asked) != tt.asked {
				t.Errorf("the platform was asked %d times, want %d", len(b.asked), tt.asked)
			}
			if found := b.Texts(t, `SELECT rule FROM findings`); len(found) > 0 {
				t.Errorf("findings: %q", found)
			}
		})
	}
}

// TestReportsDoNotWaitForPlatforms makes a report while questions wait for a platform that hangs.
func TestReportsDoNotWaitForPlatforms(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.hangs = true
	for range 5 { // more than there are slots
		b.invited(t, 3)
	}
	b.run(t)
	<-b.asked
	b.step(t, b.submitted(t, "I hold positions for two hours."), steps.Report, steps.Done)
}

// A trader about whom nothing is known is interviewed all the same.
func TestNothingKnown(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := storetest.Submitted(t, b.DB, b.Org, storetest.NewInterview("Bob", "bob@example.com"))
	for _, name := range []steps.Name{steps.Media, steps.Transcript} {
		if err := worker.Skip(t.Context(), b.DB, storetest.Claim(t, b.DB, b.Org, made.ID, name)); err != nil {
			t.Fatal(err)
		}
	}
	b.run(t)
	r := reportOf(t, b.step(t, made.ID, steps.Report, steps.Done))
	if r.AttentionLevel != "insufficient_data" || len(r.DataGaps) == 0 {
		t.Errorf("level %s, gaps %v", r.AttentionLevel, r.DataGaps)
	}
}

// TestWhatTheReportIsToldOfTheInterview: the report contains a question that the
// trader could not answer, and an email address that two platforms know.
func TestWhatTheReportIsToldOfTheInterview(t *testing.T) {
	t.Parallel()
	b := setup(t)
	second, err := integrations.Create(t.Context(), b.DB, store.SystemChange(b.Org), integrations.New{
		Kind: record.CustomAPI, Name: "Second platform", BaseURL: "https://second.example", APIKey: seal.NewSecret("k"), SyncIntervalSeconds: 300, Check: integrations.CheckOutcome{OK: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	storetest.Records(t, b.URL, second, record.Batch{Traders: []record.Trader{{ID: "u-1", FirstName: "Ada", Email: "ADA@example.com"}}})
	n := storetest.NewInterview("Ada", "ada@example.com")
	n.Trader, n.TraderID, n.AnswerModes = nil, &b.trader, []interviews.AnswerMode{interviews.AnswerVideo}
	made := storetest.Interview(t, b.DB, b.Org, n)
	s, i := storetest.Started(t, b.DB, made)
	if err := answering.CheckDevice(t.Context(), b.DB, s, interviews.Device{Outcome: "overridden"}); err != nil {
		t.Fatal(err)
	}
	if err := answering.Submit(t.Context(), b.DB, s, i.Questions[0].ID); err != nil {
		t.Fatal(err)
	}
	for _, name := range []steps.Name{steps.Media, steps.Transcript} {
		if err := worker.Skip(t.Context(), b.DB, storetest.Claim(t, b.DB, b.Org, made.ID, name)); err != nil {
			t.Fatal(err)
		}
	}
	b.run(t)
	r := reportOf(t, b.step(t, made.ID, steps.Report, steps.Done))
	if !slices.ContainsFunc(r.DataGaps, func(g string) bool {
		return strings.HasPrefix(g, "Ada (u-1) on the platform Second platform ") && strings.Contains(g, "not included")
	}) {
		t.Errorf("the data gaps do not name the other trader: %q", r.DataGaps)
	}
	if !slices.ContainsFunc(r.Findings, func(f report.Finding) bool {
		return f.Kind == "question_unanswered" && strings.Contains(f.Detail, "question 1.")
	}) {
		t.Errorf("no finding tells of the unanswered question: %+v", r.Findings)
	}
}

// If a process is killed in any step after the work is done and just before it is
// written, the next process does the step again, and the result is written once.
func TestKilledInEachStep(t *testing.T) {
	if testing.Short() {
		t.Skip("kills a process in each step")
	}
	t.Parallel()
	b := setup(t)
	for _, name := range []steps.Name{steps.Prepare, steps.Activity, steps.Report} {
		t.Run(string(name), func(t *testing.T) {
			var id uuid.UUID
			if name == steps.Prepare {
				id = b.invited(t, 3).ID
			} else {
				id = b.submitted(t, "I hold positions for two hours.")
			}
			release := b.hold(t, id, name)
			kill := storetest.StartChild(t, b.URL)
			b.held(t)
			kill()
			release()
			storetest.StartChild(t, b.URL)
			b.step(t, id, name, steps.Done)
			if name == steps.Prepare {
				return
			}
			i := b.step(t, id, steps.Report, steps.Done)
			var reports, events int
			err := storetest.Conn(t, b.URL).QueryRow(t.Context(), `SELECT (SELECT count(*) FROM interview_reports WHERE interview_id = $1),
    (SELECT count(*) FROM interview_activities WHERE interview_id = $1)`, id).Scan(&reports, &events)
			if err != nil || reports != 1 || events != 1 || i.Status != interviews.Completed {
				t.Errorf("%d reports, %d activities, status %s, %v", reports, events, i.Status, err)
			}
		})
	}
}

// heldStep is the advisory lock for which a held step waits.
const heldStep = 4711

// hold lets an interview's step be done, but not recorded as done before it is
// released.
func (b *organization) hold(t *testing.T, id uuid.UUID, name steps.Name) (release func()) {
	t.Helper()
	conn := storetest.Conn(t, b.URL)
	exec := func(statement string) {
		t.Helper()
		if _, err := conn.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	exec(fmt.Sprintf(`SELECT pg_advisory_lock(%d)`, heldStep))
	exec(fmt.Sprintf(`CREATE OR REPLACE FUNCTION hold_step() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_advisory_xact_lock(%d); RETURN NEW; END'`, heldStep))
	exec(fmt.Sprintf(`CREATE TRIGGER hold_step BEFORE UPDATE ON interview_steps FOR EACH ROW
    WHEN (NEW.interview_id = '%s' AND NEW.step = '%s' AND NEW.status = 'done') EXECUTE FUNCTION hold_step()`, id, name))
	return func() {
		exec(fmt.Sprintf(`SELECT pg_advisory_unlock(%d)`, heldStep))
		exec(`DROP TRIGGER hold_step ON interview_steps`)
	}
}

// held waits until a step is about to be recorded as done.
func (b *organization) held(t *testing.T) {
	t.Helper()
	observer := storetest.Conn(t, b.URL)
	storetest.Within(t, patience, "the step waits to be written", func() bool {
		var waits bool
		err := observer.QueryRow(t.Context(), `SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = $1 AND NOT granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))`, heldStep).Scan(&waits)
		if err != nil {
			t.Fatal(err)
		}
		return waits
	})
}
