package v1_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/store/interviews/answering"
	"github.com/assayhq/assay/store/storetest"
)

// told is the part of a trade behind a report that the test checks.
type told struct {
	AccountID string `json:"account_id"`
	Trade     struct{ ID, Symbol string }
	Trader    struct {
		FullName string `json:"full_name"`
	}
	Login    string
	FromFile bool `json:"from_file"`
}

// TestInterviewTrades checks that the trades to which a report refers come from platforms and
// from files, in the report's order, each once, and with their trader.
func TestInterviewTrades(t *testing.T) {
	t.Parallel()
	b := setupAlone(t)
	at := time.Date(2026, 6, 15, 8, 0, 0, 0, time.UTC)
	integration := storetest.Integration(t, b.db, b.org.ID, "https://platform.example")
	trader := func(id, email string) record.Trader { return record.Trader{ID: id, FirstName: id, Email: email} }
	storetest.Records(t, b.databaseURL, integration, record.Batch{
		Traders:  []record.Trader{trader("Zoe", "zoe completed@example.com"), trader("Max", "max@example.com")},
		Accounts: []record.Account{{ID: "A", TraderID: "Zoe", Login: "1001"}, {ID: "B", TraderID: "Max", Login: "2002"}},
		Trades: []record.Trade{
			{ID: "t1", AccountID: "A", Symbol: "EURUSD", Side: record.Buy, Volume: "0.5", OpenTime: at},
			{ID: "t1", AccountID: "B", Symbol: "XAUUSD", Side: record.Sell, OpenTime: at},
		},
	})
	id := b.inStatus(t, "completed")
	path := "/v1/interviews/" + id.String()
	b.ask(t, request{method: "POST", path: path + "/activity-file", key: b.key, body: form(part{"file", "s.csv", statement(3)}), header: with("Content-Type", formMedia)}).want(t, http.StatusCreated)
	account := func(query string, args ...any) (found string) {
		t.Helper()
		check(t, storetest.Conn(t, b.databaseURL).QueryRow(t.Context(), query, args...).Scan(&found))
		return found
	}
	own, peer := account(`SELECT id FROM accounts WHERE external_id = 'A'`), account(`SELECT id FROM accounts WHERE external_id = 'B'`)
	filed := account(`SELECT a.id FROM activity_accounts AS a`)
	evidence := func(accountID, tradeID string) string {
		return fmt.Sprintf(`{"type":"trade","account_id":%q,"trade_id":%q}`, accountID, tradeID)
	}
	b.exec(t, `UPDATE interview_reports SET report = $2 WHERE interview_id = $1`, id, fmt.Sprintf(
		`{"findings":[{"evidence":[%s,%s,{"type":"integrity_event","event_id":"e"}]}],"claim_checks":[{"evidence":[%s,%s,%s,%s]}]}`,
		evidence(peer, "t1"), evidence(own, "t1"), evidence(filed, "1001"), evidence(own, "1002"), evidence(own, "t1"), evidence(own, "gone")))

	var got []string
	for _, e := range decodeInto[struct{ Data []told }](t, b.send(t, "GET", path+"/trades", b.key, nil).want(t, http.StatusOK)).Data {
		name := map[string]string{own: "own", peer: "peer", filed: "filed"}[e.AccountID]
		got = append(got, fmt.Sprintf("%s %s %s of %s, login %s, file %v", name, e.Trade.ID, e.Trade.Symbol, e.Trader.FullName, e.Login, e.FromFile))
	}
	want := []string{
		"peer t1 XAUUSD of Max, login 2002, file false",
		"own t1 EURUSD of Zoe, login 1001, file false",
		"filed 1001 EURUSD of Zoe completed, login , file true",
		"own 1002 EURUSD of Zoe completed, login , file true", // the file's account was taken for the platform's
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("trades (-want +got):\n%s", diff)
	}
	invited := b.inStatus(t, "invited")
	if none := decodeInto[struct{ Data []told }](t, b.send(t, "GET", "/v1/interviews/"+invited.String()+"/trades", b.key, nil).want(t, http.StatusOK)); len(none.Data) != 0 {
		t.Errorf("without a report there are %v", none.Data)
	}
}

// TestInterviewOptions checks that creating an interview accepts what the options list.
func TestInterviewOptions(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.send(t, "PATCH", "/v1/organization", b.key, `{"contact":"risk@alpha.example"}`).want(t, http.StatusOK)
	o := decodeInto[struct {
		Languages, Presets []string
		Questions          []map[string]any
		Firm               struct{ Contact string }
	}](t, b.send(t, "GET", "/v1/interviews/options", b.key, nil).want(t, http.StatusOK))
	if len(o.Questions) != 8 || o.Firm.Contact != "risk@alpha.example" {
		t.Errorf("%d questions, contact %q", len(o.Questions), o.Firm.Contact)
	}
	for _, preset := range o.Presets {
		body := newInterview()
		body["language"], body["questions"], body["activity"] = o.Languages[0], o.Questions, map[string]any{"preset": preset}
		b.send(t, "POST", "/v1/interviews", b.key, body).want(t, http.StatusCreated)
	}
}

// TestEventsHaveTheirPlace checks that only events that happened while an answer was recorded
// have a position in the recording.
func TestEventsHaveTheirPlace(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := storetest.Interview(t, b.db, b.org.ID, storetest.NewInterview("Zoe", "zoe@example.com"))
	s, i := storetest.Started(t, b.db, made)
	take, _ := storetest.Recorded(t, b.db, s, i.Questions[0].ID, "bytes")
	note := func(kind string, after time.Duration) interviews.NewEvent {
		return interviews.NewEvent{ClientID: uuid.New(), Kind: kind, Severity: "info", WallAt: new(take.RecordedAt.Add(after))}
	}
	// The page reports that it was left when the trader is back.
	left := func(kind string, back, away time.Duration) interviews.NewEvent {
		e := note(kind, back)
		e.DurationMS = new(away.Milliseconds())
		return e
	}
	_, err := answering.AddEvents(t.Context(), b.db, s, []interviews.NewEvent{
		note("heartbeat", 0), note("paste", 2*time.Second), note("copy", time.Minute),
		left("tab_hidden", time.Minute, 57*time.Second), left("window_blur", time.Minute, 3*time.Minute), left("cut", time.Minute, 10*time.Second),
	})
	check(t, err)
	b.exec(t, `UPDATE interview_events SET received_at = wall_at WHERE interview_id = $1`, made.ID)
	check(t, answering.Submit(t.Context(), b.db, s))
	storetest.Finish(t, b.db, b.org.ID, made.ID, "words")
	b.exec(t, `UPDATE interview_takes SET start_ms = 1000, end_ms = 6000 WHERE interview_id = $1`, made.ID)
	shown := decodeInto[struct {
		Events []struct {
			Kind    string
			PlaceMS *int `json:"recording_ms"`
		} `json:"integrity_events"`
	}](t, b.send(t, "GET", "/v1/interviews/"+made.ID.String(), b.key, nil).want(t, http.StatusOK))
	got := map[string]int{}
	for _, e := range shown.Events {
		if e.PlaceMS != nil {
			got[e.Kind] = *e.PlaceMS
		}
	}
	if diff := cmp.Diff(map[string]int{"heartbeat": 1000, "paste": 3000, "tab_hidden": 4000, "window_blur": 1000}, got); diff != "" {
		t.Errorf("places (-want +got):\n%s", diff)
	}
}
