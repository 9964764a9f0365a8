package v1_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/assayhq/assay/apiserver/auth"
	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store/access"
	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/store/interviews/answering"
	"github.com/assayhq/assay/store/interviews/invite"
	"github.com/assayhq/assay/store/interviews/steps"
	"github.com/assayhq/assay/store/interviews/worker"
	"github.com/assayhq/assay/store/storetest"
)

// held is the part of an interview that the tests check.
type held struct {
	ID        uuid.UUID
	Status    string
	Reference *string
	Trader    struct{ ID uuid.UUID }
	Questions []struct {
		ID            uuid.UUID
		Source, Topic string
	}
	Answers         []struct{ Status string }
	ReportStatus    string `json:"report_status"`
	ReportVersion   int    `json:"report_version"`
	SubtitlesStatus string `json:"subtitles_status"`
	Decision        *struct{ Value, DecidedBy string }
	DecisionHistory []struct{ Value string } `json:"decision_history"`
	Assignee        *struct {
		UserID uuid.UUID `json:"user_id"`
	}
	Communication struct{ Done bool }
	Share         *struct{ Active bool }
	LegalHold     *struct{ Reason *string } `json:"legal_hold"`
	RetakeOfID    *uuid.UUID                `json:"retake_of_id"`
	Retakes       []uuid.UUID
	ActivityFile  *struct{ Rows int } `json:"activity_file"`
}

// madeHeld is the part of a new interview that the tests check.
type madeHeld struct {
	Interview       held
	InviteURL       *string `json:"invite_url"`
	SecretAvailable bool    `json:"secret_available"`
}

// newInterview returns the body of an interview with an unknown trader.
func newInterview() map[string]any {
	return map[string]any{"trader": map[string]any{"full_name": "Zoe Miller", "email": "zoe@example.com"}}
}

// held creates an interview through the API.
func (b *testAPI) held(t testing.TB) madeHeld {
	t.Helper()
	return decodeInto[madeHeld](t, b.send(t, "POST", "/v1/interviews", b.key, newInterview()).want(t, http.StatusCreated))
}

// head reads an interview through the API.
func (b *testAPI) head(t testing.TB, id uuid.UUID) held {
	t.Helper()
	return decodeInto[held](t, b.send(t, "GET", "/v1/interviews/"+id.String(), b.key, nil).want(t, http.StatusOK))
}

// TestInterviewLife follows an interview from its creation to its deletion.
func TestInterviewLife(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := b.held(t)
	if made.InviteURL == nil || !made.SecretAvailable || !strings.HasPrefix(*made.InviteURL, "https://assay.example/i/") || len(made.Interview.Questions) != 8 {
		t.Fatalf("made %+v", made)
	}
	id := made.Interview.ID
	path := "/v1/interviews/" + id.String()
	token := strings.TrimPrefix(*made.InviteURL, "https://assay.example/i/")
	begun, err := answering.BeginSession(t.Context(), b.db, token, answering.Browser{})
	check(t, err)
	s := begun.Session
	check(t, answering.DecideConsent(t.Context(), b.db, s, answering.NewConsent{Accepted: true, TextVersion: "1", Text: "x"}))
	check(t, answering.CheckDevice(t.Context(), b.db, s, interviews.Device{Outcome: interviews.DeviceOK}))
	i, err := answering.Start(t.Context(), b.db, s)
	check(t, err)
	for _, q := range i.Questions {
		storetest.Recorded(t, b.db, s, q.ID, "the bytes")
	}
	check(t, answering.Submit(t.Context(), b.db, s))
	b.send(t, "POST", path+"/playback", b.key, nil).wantProblem(t, http.StatusConflict, "media_processing")
	storetest.Finish(t, b.db, b.org.ID, id, "We hold for minutes.")
	done := b.head(t, id)
	if done.Status != "completed" || done.ReportStatus != "ready" || done.ReportVersion != 1 || done.SubtitlesStatus != "done" || done.Answers[7].Status != "sealed" {
		t.Errorf("completed: %+v", done)
	}
	type playback struct {
		Sources      []struct{ Kind, URL string }
		SubtitlesURL *string `json:"subtitles_url"`
	}
	if p := decodeInto[playback](t, b.send(t, "POST", path+"/playback", b.key, nil).want(t, http.StatusOK)); len(p.Sources) != 1 || !strings.HasPrefix(p.Sources[0].URL, "https://assay.example/media/v1/"+id.String()+"/1/") || !strings.HasSuffix(p.Sources[0].URL, "/index.m3u8") || p.SubtitlesURL == nil {
		t.Errorf("playback %+v", p)
	}
	if vtt := b.send(t, "GET", path+"/subtitles", b.key, nil).want(t, http.StatusOK); !strings.HasPrefix(vtt.body, "WEBVTT") || vtt.header.Get("Content-Type") != "text/vtt; charset=utf-8" {
		t.Errorf("captions %s of %s", vtt.body, vtt.header.Get("Content-Type"))
	}
	b.send(t, "POST", path+"/decision", b.key, `{"decision":"needs_review"}`).want(t, http.StatusOK)
	decided := decodeInto[held](t, b.send(t, "POST", path+"/decision", b.key, `{"decision":"approved","reason":"Fine."}`).want(t, http.StatusOK))
	if decided.Decision.Value != "approved" || len(decided.DecisionHistory) != 2 {
		t.Errorf("decided %+v", decided)
	}
	told := decodeInto[held](t, b.send(t, "PATCH", path+"/communication", b.key, `{"done":true}`).want(t, http.StatusOK))
	if !told.Communication.Done {
		t.Errorf("communication %+v", told.Communication)
	}
	b.send(t, "POST", path+"/claims/c1/confirm", b.key, nil).want(t, http.StatusAccepted)
	b.send(t, "POST", path+"/claims/c9/confirm", b.key, nil).wantProblem(t, http.StatusNotFound, "claim_not_found")
	b.send(t, "DELETE", path+"/share", b.key, nil).wantProblem(t, http.StatusNotFound, "share_not_found")
	b.send(t, "POST", path+"/share", b.key, `{"expires_hours":1,"include_decision":true}`).want(t, http.StatusCreated)
	b.send(t, "DELETE", path+"/share", b.key, nil).want(t, http.StatusNoContent)
	b.send(t, "PUT", path+"/legal-hold", b.key, `{"reason":"Case 7"}`).want(t, http.StatusOK)
	b.send(t, "DELETE", path, b.key, nil).wantProblem(t, http.StatusConflict, "legal_hold")
	b.send(t, "DELETE", path+"/legal-hold", b.key, nil).want(t, http.StatusNoContent)
	b.wantExport(t, path+"/export", "interview.json", "reports/1.json", "consent.txt", "subtitles.vtt", "views.json")
	b.send(t, "DELETE", path, b.key, nil).want(t, http.StatusNoContent)
	b.send(t, "GET", path, b.key, nil).wantProblem(t, http.StatusNotFound, "not_found")
}

// wantExport fails the test unless the zip file contains the files. It may contain others.
func (b *testAPI) wantExport(t *testing.T, path string, names ...string) {
	t.Helper()
	r := b.send(t, "GET", path, b.key, nil).want(t, http.StatusOK)
	z, err := zip.NewReader(strings.NewReader(r.body), int64(len(r.body)))
	check(t, err)
	var got []string
	for _, f := range z.File {
		got = append(got, f.Name)
		body, err := f.Open()
		check(t, err)
		text, err := io.ReadAll(body)
		check(t, errors.Join(err, body.Close()))
		if strings.HasSuffix(f.Name, ".json") && !bytes.HasPrefix(text, []byte("{")) {
			t.Errorf("%s holds %s", f.Name, text)
		}
	}
	for _, name := range names {
		if !slices.Contains(got, name) {
			t.Errorf("the export holds %v, and not %s", got, name)
		}
	}
}

// inStatus creates an interview with the status.
func (b *testAPI) inStatus(t testing.TB, status string) uuid.UUID {
	t.Helper()
	n := storetest.NewInterview("Zoe "+status, status+"@example.com")
	made := func() invite.Made { return storetest.Interview(t, b.db, b.org.ID, n) }
	var m invite.Made
	switch status {
	case "invited":
		m = made()
	case "declined":
		m = made()
		begun, err := answering.BeginSession(t.Context(), b.db, m.Token.Reveal(), answering.Browser{})
		check(t, err)
		check(t, answering.DecideConsent(t.Context(), b.db, begun.Session, answering.NewConsent{Text: "x", TextVersion: "1"}))
	case "in_progress":
		m = made()
		storetest.Started(t, b.db, m)
	case "expired":
		m = made()
		b.exec(t, `UPDATE interviews SET invite_expires_at = now() WHERE id = $1`, m.ID)
		_, err := invite.Expire(t.Context(), b.db)
		check(t, err)
	case "incomplete":
		m = made()
		storetest.Started(t, b.db, m)
		b.exec(t, `UPDATE interviews SET complete_by = now() WHERE id = $1`, m.ID)
		_, err := answering.CloseOverdue(t.Context(), b.db)
		check(t, err)
	case "processing":
		m = storetest.Submitted(t, b.db, b.org.ID, n)
	case "failed":
		m = storetest.Submitted(t, b.db, b.org.ID, n)
		for _, step := range []steps.Name{steps.Media, steps.Transcript, steps.Activity, steps.Subtitles, steps.Report} {
			check(t, worker.Fail(t.Context(), b.db, storetest.Claim(t, b.db, b.org.ID, m.ID, step), errors.New("no disk"), true))
		}
	case "completed":
		m = storetest.Completed(t, b.db, b.org.ID, n, "words")
	}
	return m.ID
}

// TestEveryStatusOnEveryRoute checks the response of each route in each status.
func TestEveryStatusOnEveryRoute(t *testing.T) {
	t.Parallel()
	statuses := []string{"invited", "declined", "in_progress", "expired", "incomplete", "processing", "completed", "failed"}
	all := func(answer string) map[string]string {
		m := make(map[string]string)
		for _, s := range statuses {
			m[s] = answer
		}
		return m
	}
	but := func(m map[string]string, answer string, in ...string) map[string]string {
		for _, s := range in {
			m[s] = answer
		}
		return m
	}
	routes := []struct {
		call string // method, what follows the id, and the body
		want map[string]string
	}{
		{"GET ", all("200")},
		{"POST /decision {\"decision\":\"rejected\",\"reason\":\"Because.\"}", all("200")},
		{"PATCH /communication {\"done\":true}", all("200")},
		{"POST /assign {\"user_id\":null}", all("200")},
		{"POST /share", all("201")},
		{"DELETE /share", all("204")},
		{"DELETE /share", all("404 share_not_found")},
		{"POST /playback", but(all("404 media_not_available"), "409 media_processing", "processing")},
		{"GET /subtitles", but(all("404 subtitles_not_found"), "200", "completed")},
		{"POST /subtitles", all("202")},
		{"POST /regenerate", but(all("202"), "409 nothing_to_report", "invited", "declined", "expired", "incomplete")},
		{"GET /activity-file", all("404 activity_file_not_found")},
		{"FILE /activity-file", but(all("201"), "409 invalid_state", "declined", "expired", "incomplete")},
		{"PUT /legal-hold", all("200")},
		{"DELETE ", all("409 legal_hold")},
		{"DELETE /legal-hold", all("204")},
		{"GET /export", all("200")},
		{"GET /trades", all("200")},
		{"POST /claims/c1/confirm", but(all("404 claim_not_found"), "202", "completed")},
		{"POST /retake", but(all("201"), "409 interview_still_open", "invited", "in_progress", "processing")},
		{"POST /reissue", but(but(all("409 interview_already_started"), "409 interview_declined", "declined"), "200", "invited", "expired")},
		{"DELETE ", all("204")},
		{"GET ", all("404 not_found")},
	}
	but(routes[7].want, "200", "completed")
	for _, status := range statuses {
		t.Run(status, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			id := b.inStatus(t, status)
			if got := b.head(t, id); got.Status != status {
				t.Fatalf("made one that is %s", got.Status)
			}
			for _, route := range routes {
				words := strings.SplitN(route.call, " ", 3)
				path := "/v1/interviews/" + id.String() + words[1]
				var r reply
				switch {
				case words[0] == "FILE":
					r = b.ask(t, request{method: "POST", path: path, key: b.key, body: form(part{"file", "s.csv", statement(3)}), header: with("Content-Type", formMedia)})
				case len(words) == 3:
					r = b.send(t, words[0], path, b.key, words[2])
				default:
					r = b.send(t, words[0], path, b.key, nil)
				}
				got := fmt.Sprint(r.status)
				if r.status >= 400 {
					got += " " + decodeInto[problemBody](t, r).Code
				}
				if got != route.want[status] {
					t.Errorf("%s answers %s, want %s", route.call, got, route.want[status])
				}
			}
		})
	}
}

// TestRefusalNamesTheStep follows the next step that a refusal names, and gets what was requested
// or learns until when to wait.
func TestRefusalNamesTheStep(t *testing.T) {
	t.Parallel()
	named := regexp.MustCompile(`POST /v1/interviews/\{id\}(/\w+)`)
	for _, tc := range []struct{ name, status, ask, step string }{
		{"a fresh link for one that was declined", "declined", "/reissue", "/retake"},
		{"a fresh link for one that was held", "completed", "/reissue", "/retake"},
		{"a fresh link for one whose time is over", "incomplete", "/reissue", "/retake"},
		{"a retake before the start", "invited", "/retake", "/reissue"},
		{"a retake while the trader is answering", "in_progress", "/retake", ""},
		{"a report of one that was declined", "declined", "/regenerate", "/retake"},
		{"a report of one that has expired", "expired", "/regenerate", "/reissue"},
		{"a report of one without answers", "incomplete", "/regenerate", "/retake"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			path := "/v1/interviews/" + b.inStatus(t, tc.status).String()
			detail := decodeInto[struct{ Detail string }](t, b.send(t, "POST", path+tc.ask, b.key, nil).want(t, http.StatusConflict)).Detail
			step := ""
			if found := named.FindStringSubmatch(detail); found != nil {
				step = found[1]
			}
			switch {
			case step != tc.step:
				t.Errorf("it is told %q", detail)
			case step != "":
				if got := b.send(t, "POST", path+step, b.key, nil).status; got >= 300 {
					t.Errorf("the step that it names is answered with %d", got)
				}
			case !strings.Contains(detail, "over at 20"):
				t.Errorf("it is told %q, and not until when to wait", detail)
			}
		})
	}
}

// TestReportOfNothingIsNotAwaited checks that a report that was requested while the trader was
// answering is no longer expected if nothing was answered.
func TestReportOfNothingIsNotAwaited(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.inStatus(t, "in_progress")
	path := "/v1/interviews/" + id.String()
	b.send(t, "POST", path+"/regenerate", b.key, nil).want(t, http.StatusAccepted)
	status := func() string {
		return decodeInto[struct {
			Report string `json:"report_status"`
		}](t, b.send(t, "GET", path, b.key, nil)).Report
	}
	if got := status(); got != "queued" {
		t.Errorf("while the trader is answering, the report is %s", got)
	}
	b.exec(t, `UPDATE interviews SET complete_by = now() WHERE id = $1`, id)
	_, err := answering.CloseOverdue(t.Context(), b.db)
	check(t, err)
	if got := status(); got != "none" {
		t.Errorf("after the time is over without an answer, the report is %s", got)
	}
}

// TestCreateInterviewValidation checks interviews that cannot be created.
func TestCreateInterviewValidation(t *testing.T) {
	t.Parallel()
	b := setup(t)
	trader := `"trader":{"full_name":"Zoe"}`
	tests := []struct {
		name, body string
		faults     []string
	}{
		{"nobody", `{}`, []string{"#/trader_id required"}},
		{"two", `{"trader_id":"` + uuid.NewString() + `",` + trader + `}`, []string{"#/trader not_allowed_for_kind"}},
		{"an unknown trader", `{"trader_id":"` + uuid.NewString() + `"}`, []string{"#/trader_id unknown_trader"}},
		{"an unknown user", `{` + trader + `,"assignee_user_id":"` + uuid.NewString() + `"}`, []string{"#/assignee_user_id unknown_user"}},
		{"another's account", `{` + trader + `,"activity":{"account_ids":["` + uuid.NewString() + `"]}}`, []string{"#/activity/account_ids unknown_account"}},
		{"a nameless trader", `{"trader":{"email":"zoe"}}`, []string{"#/trader/email invalid_format", "#/trader/full_name required"}},
		{"bounds", `{` + trader + `,"window_hours":721,"auto_questions":6,"retention_days":6,"reason":"because","language":"xx","reference":"","answer_modes":[]}`, []string{
			"#/reference invalid_format", "#/reason invalid_format", "#/language invalid_format", "#/answer_modes too_few_items", "#/window_hours out_of_range",
			"#/auto_questions out_of_range", "#/retention_days out_of_range",
		}},
		{"unknown members", `{` + trader + `,"x":1,"activity":{"y":1},"integrity":{"z":1},"questions":[{"prompt":"?","w":1}]}`, []string{
			"#/questions/0/w unknown_field", "#/activity/y unknown_field", "#/integrity/z unknown_field", "#/x unknown_field",
		}},
		{"questions", `{` + trader + `,"questions":[{"prompt":""},{"prompt":"?","topic":"weather","max_seconds":601},7]}`, []string{
			"#/questions/0/prompt invalid_format", "#/questions/1/topic invalid_format", "#/questions/1/max_seconds out_of_range", "#/questions/2 wrong_type",
		}},
		{"too long in all", `{` + trader + `,"questions":[` + strings.Repeat(`{"prompt":"?","max_seconds":600,"max_takes":5},`, 3) + `{"prompt":"?","max_seconds":600,"max_takes":4}]}`, []string{"#/questions out_of_range"}},
		{"a time zone", `{` + trader + `,"activity":{"timezone":"Local","window_days":366}}`, []string{"#/activity/window_days out_of_range", "#/activity/timezone invalid_format"}},
		{"metadata", `{` + trader + `,"metadata":[1]}`, []string{"#/metadata wrong_type"}},
	}
	for _, tt := range tests {
		got := b.send(t, "POST", "/v1/interviews", b.key, tt.body).wantProblem(t, http.StatusUnprocessableEntity, "validation_failed").faults()
		if diff := cmp.Diff(tt.faults, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
	b.send(t, "POST", "/v1/interviews", b.key, `{`+trader+`,"reference":"PO-1"}`).want(t, http.StatusCreated)
	b.send(t, "POST", "/v1/interviews", b.key, `{`+trader+`,"reference":"PO-1"}`).wantTaken(t, "reference_taken", "#/reference")
	b.send(t, "POST", "/v1/interviews", b.key, `{"trader":{"full_name":"A","external_id":"X-1"}}`).want(t, http.StatusCreated)
	b.send(t, "POST", "/v1/interviews", b.key, `{"trader":{"full_name":"B","external_id":"X-1"}}`).wantTaken(t, "conflict", "#/trader/external_id")
	id := b.held(t).Interview.ID.String()
	faults := b.send(t, "POST", "/v1/interviews/"+id+"/assign", b.key, `{"user_id":"`+uuid.NewString()+`"}`).wantProblem(t, http.StatusUnprocessableEntity, "validation_failed").faults()
	if diff := cmp.Diff([]string{"#/user_id unknown_user"}, faults); diff != "" {
		t.Errorf("assign (-want +got):\n%s", diff)
	}
	b.send(t, "POST", "/v1/interviews/"+id+"/assign", b.key, `{"user_id":"`+b.newPerson(t, b.org.ID, access.RoleReviewer).ID.String()+`"}`).want(t, http.StatusOK)
}

// TestInterviewSecretsAreToldOnce repeats the requests that return a link.
func TestInterviewSecretsAreToldOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first := b.post(t, "/v1/interviews", "make-1", newInterview())
	made, again := decodeInto[madeHeld](t, b.attempt(t, first)), b.attempt(t, first)
	repeated := decodeInto[madeHeld](t, again)
	if again.header.Get("Idempotent-Replayed") != "true" || repeated.InviteURL != nil || repeated.SecretAvailable || repeated.Interview.ID != made.Interview.ID {
		t.Errorf("repeated: %s", again.body)
	}
	path := "/v1/interviews/" + made.Interview.ID.String()
	for _, call := range []string{"/reissue", "/share"} {
		a := b.post(t, path+call, "again-1", map[string]any{})
		told, again := b.attempt(t, a).body, b.attempt(t, a).body
		if !strings.Contains(told, "https://assay.example/") || strings.Contains(again, "https://assay.example/") {
			t.Errorf("%s answered %s, and then %s", call, told, again)
		}
	}
}

// TestListInterviews filters, sorts and counts.
func TestListInterviews(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ids := make(map[string]uuid.UUID)
	for _, status := range []string{"invited", "declined", "completed", "processing"} {
		ids[status] = b.inStatus(t, status)
	}
	at := func(status string) string { return "/v1/interviews/" + ids[status].String() }
	b.send(t, "POST", at("completed")+"/decision", b.key, `{"decision":"approved"}`).want(t, http.StatusOK)
	person := b.newPerson(t, b.org.ID, access.RoleReviewer).ID.String()
	b.send(t, "POST", at("processing")+"/assign", b.key, `{"user_id":"`+person+`"}`).want(t, http.StatusOK)
	type page struct {
		Data     []held
		Meta     struct{ Total int }
		Findings map[string]int
		KPIs     struct {
			Total      int
			ByStatus   map[string]int `json:"by_status"`
			ByDecision map[string]int `json:"by_decision"`
			Unassigned int
			Queues     []struct {
				Assignee struct {
					UserID string `json:"user_id"`
					Name   string
				}
				Waiting int
			}
			CommunicationPending int      `json:"communication_pending"`
			CompletionRate       float64  `json:"completion_rate"`
			MedianHours          *float64 `json:"median_hours_invite_to_submit"`
		}
	}
	tests := []struct {
		query string
		want  []string // statuses, in order
	}{
		{"", []string{"processing", "completed", "declined", "invited"}},
		{"?sort=created_at", []string{"invited", "declined", "completed", "processing"}},
		{"?status=invited,declined", []string{"declined", "invited"}},
		{"?decision=approved", []string{"completed"}},
		{"?decision=none&status=invited", []string{"invited"}},
		{"?decision=none,approved", []string{"processing", "completed", "declined", "invited"}},
		{"?assignee=" + person, []string{"processing"}},
		{"?assignee=none", []string{"completed", "declined", "invited"}},
		{"?email=COMPLETED@example.com", []string{"completed"}},
		{"?search=zoe%20dec", []string{"declined"}},
		{"?search=%25", nil},
		{"?attention=medium", []string{"completed"}},
		{"?finding=burst", []string{"completed"}},
		{"?severity=medium", []string{"completed"}},
		{"?severity=high,low", nil},
		{"?communicated=false&status=completed", []string{"completed"}},
		{"?partial=true", nil},
		{"?overdue=true", nil},
		{"?sort=-review_priority&limit=1", []string{"completed"}},
		{"?created_to=2020-01-01T00:00:00Z", nil},
		{"?completed_from=2020-01-01T00:00:00Z", []string{"completed"}},
		{"?sort=complete_by&status=processing,invited", []string{"processing", "invited"}},
		{"?sort=-completed_at&limit=1", []string{"completed"}},
		{"?sort=status", []string{"invited", "declined", "processing", "completed"}},
		{"?sort=-status", []string{"completed", "processing", "declined", "invited"}},
		{"?sort=trader", []string{"completed", "declined", "invited", "processing"}},
		{"?sort=decision&limit=1", []string{"completed"}},
		{"?sort=-decision&limit=1", []string{"completed"}},
		{"?sort=assignee", []string{"processing", "completed", "declined", "invited"}},
		{"?sort=-assignee", []string{"processing", "completed", "declined", "invited"}},
		{"?reason=payout_review", nil},
		{"?reference=none", nil},
	}
	for _, tt := range tests {
		p := decodeInto[page](t, b.send(t, "GET", "/v1/interviews"+tt.query, b.key, nil).want(t, http.StatusOK))
		var got []string
		for _, i := range p.Data {
			got = append(got, i.Status)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tt.query, diff)
		}
		if diff := cmp.Diff(map[string]int{"high": 0, "medium": strings.Count(strings.Join(got, " "), "completed"), "low": 0}, p.Findings); diff != "" {
			t.Errorf("%q: findings (-want +got):\n%s", tt.query, diff)
		}
		if k := p.KPIs; k.Total != 4 || k.ByStatus["declined"] != 1 || k.ByStatus["failed"] != 0 || k.ByDecision["none"] != 3 || k.Unassigned != 3 || k.CommunicationPending != 1 || k.CompletionRate != 0.6667 || k.MedianHours == nil {
			t.Errorf("%q: figures %+v", tt.query, k)
		}
	}
	b.send(t, "POST", at("completed")+"/decision", b.key, `{"decision":"needs_review"}`).want(t, http.StatusOK)
	b.send(t, "POST", at("completed")+"/assign", b.key, `{"user_id":"`+person+`"}`).want(t, http.StatusOK)
	empty := decodeInto[page](t, b.send(t, "GET", "/v1/interviews?kpi_to=2020-01-01T00:00:00Z", b.key, nil).want(t, http.StatusOK))
	if empty.KPIs.Total != 0 || empty.KPIs.MedianHours != nil || empty.Meta.Total != 4 {
		t.Errorf("an empty window: %+v", empty.KPIs)
	}
	if q := empty.KPIs.Queues; len(q) != 1 || q[0].Assignee.UserID != person || q[0].Assignee.Name == "" || q[0].Waiting != 1 {
		t.Errorf("the queues are %+v, want the one interview that the person has to decide on", q)
	}
	for _, query := range []string{"?status=invited,x", "?sort=name", "?assignee=me", "?communicated=maybe"} {
		b.send(t, "GET", "/v1/interviews"+query, b.key, nil).wantProblem(t, http.StatusUnprocessableEntity, "validation_failed")
	}
}

// TestInterviewAsksForASync creates an interview of a synced trader.
func TestInterviewAsksForASync(t *testing.T) {
	t.Parallel()
	b := setupAlone(t)
	i := b.connectPlatform(t, record.Batch{Traders: []record.Trader{{ID: "T-1", FirstName: "Zoe", Email: "zoe@example.com"}}})
	b.exec(t, `UPDATE sync_state SET claimable_at = now() + interval '1 hour'`)
	made := b.held(t)
	if manual := b.readText(t, `SELECT manual::text FROM sync_state WHERE integration_id = '`+i.ID.String()+`'`); manual != "true" {
		t.Error("no cycle was asked for")
	}
	if step := b.readText(t, `SELECT status FROM interview_steps WHERE step = 'prepare'`); step != "queued" {
		t.Errorf("the preparation is %s", step)
	}
	type trader struct {
		Interviews []struct {
			ID     uuid.UUID
			Status string
		}
	}
	if d := decodeInto[trader](t, b.send(t, "GET", "/v1/traders/"+made.Interview.Trader.ID.String(), b.key, nil).want(t, http.StatusOK)); len(d.Interviews) != 1 || d.Interviews[0].ID != made.Interview.ID {
		t.Errorf("the trader's interviews are %+v", d.Interviews)
	}
	body := newInterview()
	body["auto_questions"] = 0
	b.exec(t, `UPDATE sync_state SET manual = false`)
	b.send(t, "POST", "/v1/interviews", b.key, body).want(t, http.StatusCreated)
	if manual := b.readText(t, `SELECT manual::text FROM sync_state`); manual != "false" {
		t.Error("a cycle was asked for although nothing is to be prepared")
	}
}

// TestEraseTrader exports and erases a trader, each of which takes two scopes.
func TestEraseTrader(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := b.held(t)
	path := "/v1/traders/" + made.Interview.Trader.ID.String()
	weak := b.weakKey(t, auth.TradersWrite)
	b.send(t, "POST", path+"/erase", weak, nil).wantProblem(t, http.StatusForbidden, "insufficient_scope")
	interview := "/v1/interviews/" + made.Interview.ID.String()
	b.send(t, "PUT", interview+"/legal-hold", b.key, nil).want(t, http.StatusOK)
	b.send(t, "POST", path+"/erase", b.key, nil).wantProblem(t, http.StatusConflict, "legal_hold")
	b.send(t, "DELETE", interview+"/legal-hold", b.key, nil).want(t, http.StatusNoContent)
	// The archive holds interviews, too.
	b.send(t, "GET", path+"/export", b.weakKey(t, auth.TradersRead), nil).wantProblem(t, http.StatusForbidden, "insufficient_scope")
	b.wantExport(t, path+"/export", "trader.json", "trades.json", "interviews/"+made.Interview.ID.String()+"/interview.json")
	file := form(part{"file", "zoe.csv", statement(3)})
	for key, q := range map[string]request{
		"note":  {path: path + "/notes", body: `{"body":"asked twice"}`, header: with("Content-Type", "application/json")},
		"file":  {path: path + "/activity-files", body: file, header: with("Content-Type", formMedia)},
		"again": {path: path + "/activity-files", body: file, header: with("Content-Type", formMedia)},
	} {
		q.method, q.key = "POST", b.key
		q.header.Set("Idempotency-Key", key)
		if r := b.ask(t, q); r.status >= http.StatusMultipleChoices {
			t.Errorf("%s: %d %s", key, r.status, r.body)
		}
	}
	const kept = `SELECT count(*)::text FROM idempotency_keys WHERE organization_id = $1 AND body IS NOT NULL`
	if n := b.readText(t, kept, b.org.ID); n != "3" {
		t.Errorf("%s responses are kept, want 3", n)
	}
	b.send(t, "POST", path+"/erase", b.key, nil).want(t, http.StatusNoContent)
	if n := b.readText(t, kept, b.org.ID); n != "0" {
		t.Errorf("%s responses are kept after the erasure", n)
	}
	b.send(t, "GET", interview, b.key, nil).wantProblem(t, http.StatusNotFound, "not_found")
	if r := b.send(t, "GET", path, b.key, nil).want(t, http.StatusOK); strings.Contains(r.body, "zoe@example.com") || !strings.Contains(r.body, `"status":"archived"`) || strings.Contains(r.body, `"erased_at":null`) {
		t.Errorf("left: %s", r.body)
	}
	body := newInterview()
	delete(body, "trader")
	body["trader_id"] = made.Interview.Trader.ID
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	for name, q := range map[string]request{
		"a note":       {method: "POST", path: path + "/notes", body: `{"body":"asked twice"}`},
		"a file":       {method: "POST", path: path + "/activity-files", body: file, header: with("Content-Type", formMedia)},
		"a change":     {method: "PATCH", path: path, body: `{"status":"active"}`},
		"an interview": {method: "POST", path: "/v1/interviews", body: string(text)},
	} {
		q.key = b.key
		if q.header == nil {
			q.header = with("Content-Type", "application/json")
		}
		if r := b.ask(t, q); r.status != http.StatusConflict || !strings.Contains(r.body, "was erased") {
			t.Errorf("%s after the erasure: %d %s", name, r.status, r.body)
		}
	}
	b.send(t, "POST", path+"/erase", b.key, nil).want(t, http.StatusNoContent)
}

// TestOrganizationSettings reads and changes the settings.
func TestOrganizationSettings(t *testing.T) {
	t.Parallel()
	b := setupAlone(t)
	type settings struct {
		Name         string
		Contact      *string
		LawfulBasis  *string `json:"lawful_basis"`
		OffBoxSpeech bool    `json:"off_box_speech"`
	}
	before := decodeInto[settings](t, b.send(t, "GET", "/v1/organization", b.key, nil).want(t, http.StatusOK))
	if *before.LawfulBasis != "As configured." || before.OffBoxSpeech || before.Contact != nil {
		t.Errorf("before: %+v", before)
	}
	after := decodeInto[settings](t, b.send(t, "PATCH", "/v1/organization", b.key, `{"contact":"risk@alpha.example","lawful_basis":"Consent.","off_box_speech":true}`).want(t, http.StatusOK))
	if *after.LawfulBasis != "Consent." || !after.OffBoxSpeech || *after.Contact != "risk@alpha.example" || after.Name != before.Name {
		t.Errorf("after: %+v", after)
	}
	cleared := decodeInto[settings](t, b.send(t, "PATCH", "/v1/organization", b.key, `{"contact":null,"lawful_basis":null}`).want(t, http.StatusOK))
	if *cleared.LawfulBasis != "As configured." || cleared.Contact != nil || !cleared.OffBoxSpeech {
		t.Errorf("cleared: %+v", cleared)
	}
	b.send(t, "PATCH", "/v1/organization", b.key, `{"name":"Beta Capital"}`).wantTaken(t, "conflict", "#/name")
}

// weakKey creates a key of the organization with one scope.
func (b *testAPI) weakKey(t testing.TB, scope auth.Scope) string {
	t.Helper()
	r := b.send(t, "POST", "/v1/api-keys", b.key, map[string]any{"name": "weak", "scopes": []string{string(scope)}}).want(t, http.StatusCreated)
	return decodeInto[struct{ Secret string }](t, r).Secret
}
