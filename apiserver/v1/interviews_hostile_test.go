package v1_test

import (
	"archive/zip"
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/store/interviews/answering"
	"github.com/assayhq/assay/store/storetest"
)

// TestOddFiltersOfInterviews checks filters and windows of figures at the limits of what can be
// written.
func TestOddFiltersOfInterviews(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.held(t)
	for query, want := range map[string]int{
		"kpi_to=0001-01-01T00:00:00Z": 200, "kpi_to=0001-01-05T00:00:00Z": 200, "kpi_from=9999-12-31T23:59:59Z": 200, "kpi_from=2026-01-02T00:00:00Z&kpi_to=2026-01-01T00:00:00Z": 200,
		"created_from=0001-01-01T00:00:00Z&created_to=9999-12-31T23:59:59.999999999Z": 200, "created_from=0001-01-01T00:00:00%2B14:00": 422, "kpi_to=9999-12-31T23:59:59-14:00": 422,
		"page=1000000000&limit=100": 200, "page=1000000001": 422, "page=0": 422, "limit=101": 422, "search=%25_%5C%27": 200, "search=%00": 422, "search=%ff": 422,
		"status=invited&status=declined": 422, "status=,": 422, "decision=none,none": 200, "assignee=NONE": 422, "trader_id=x": 422, "overdue=TRUE": 422, "created_from=2026-02-30T00:00:00Z": 422,
		"completed_from=2026-01-01": 422, "unknown=1": 422,
	} {
		r := b.send(t, "GET", "/v1/interviews?"+query, b.key, nil)
		if r.status != want {
			t.Errorf("%s answers %d %s, want %d", query, r.status, r.body, want)
		}
	}
}

// TestOddBodiesOfInterviews checks bodies that look valid and are not.
func TestOddBodiesOfInterviews(t *testing.T) {
	t.Parallel()
	b := setup(t)
	trader := `"trader":{"full_name":"Zoe"}`
	for body, want := range map[string][]string{
		`{"trader_id":"not"}`:                              {"#/trader_id invalid_format"},
		`{"trader_id":"not",` + trader + `}`:               {"#/trader_id invalid_format", "#/trader not_allowed_for_kind"},
		`{"trader_id":null,"trader":null}`:                 {"#/trader_id required"},
		`{` + trader + `,"activity":{"preset":"nope"}}`:    {"#/activity/preset invalid_format"},
		`{` + trader + `,"activity":{"preset":""}}`:        {"#/activity/preset invalid_format"},
		`{` + trader + `,"window_hours":"72"}`:             {"#/window_hours wrong_type"},
		`{` + trader + `,"metadata":{"a":"\u0000"}}`:       {"#/metadata invalid_format"},
		`{` + trader + `,"metadata":{"a\u0000":1}}`:        {"#/metadata invalid_format"},
		`{` + trader + `,"metadata":{"a":1e400000}}`:       {"#/metadata out_of_range"},
		`{` + trader + `,"metadata":{"a":[-1E-400000]}}`:   {"#/metadata out_of_range"},
		`{` + trader + `,"metadata":{"a":0e-400000}}`:      {"#/metadata out_of_range"},
		`{` + trader + `,"metadata":{"a":1e99999999999}}`:  {"#/metadata out_of_range"},
		`{` + trader + `,"answer_modes":["text","text"]}`:  {"#/answer_modes invalid_format"},
		`{` + trader + `,"integrity":{"fullscreen":true}}`: {"#/integrity/fullscreen wrong_type"},
	} {
		got := b.send(t, "POST", "/v1/interviews", b.key, body).wantProblem(t, http.StatusUnprocessableEntity, "validation_failed").faults()
		slices.Sort(got)
		slices.Sort(want)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", body, diff)
		}
	}
	for _, preset := range []string{`null`, `"neutral"`, `"minimum_hold"`} {
		b.send(t, "POST", "/v1/interviews", b.key, `{`+trader+`,"activity":{"preset":`+preset+`}}`).want(t, http.StatusCreated)
	}
	made := decodeInto[madeHeld](t, b.send(t, "POST", "/v1/interviews", b.key, `{`+trader+`,"metadata":`+largestMetadata()+`}`).want(t, http.StatusCreated))
	b.send(t, "GET", "/v1/interviews/"+made.Interview.ID.String(), b.key, nil).want(t, http.StatusOK)
	for _, metadata := range []string{`{"a":"\ud800"}`, `{"a":` + strings.Repeat("[", 40) + strings.Repeat("]", 40) + `}`, `{"a":1,"a":2}`} {
		b.send(t, "POST", "/v1/interviews", b.key, `{`+trader+`,"metadata":`+metadata+`}`).wantProblem(t, http.StatusBadRequest, "invalid_json")
	}
	b.send(t, "POST", "/v1/interviews", b.key, `{`+trader+`,"x":"`+strings.Repeat("x", 2<<20)+`"}`).wantProblem(t, http.StatusRequestEntityTooLarge, "payload_too_large")
	held := storetest.Completed(t, b.db, b.org.ID, storetest.NewInterview("Zoe", "zoe@example.com"), "words")
	for _, claim := range []string{"%00", "c1%00", "%FF", "%2e%2e", strings.Repeat("c", 300)} {
		b.send(t, "POST", "/v1/interviews/"+held.ID.String()+"/claims/"+claim+"/confirm", b.key, nil).wantProblem(t, http.StatusNotFound, "claim_not_found")
	}
}

// largestMetadata holds the numbers and texts that are closest to being refused.
func largestMetadata() string {
	digits := strings.Repeat("9", 999)
	return `{"large": 9e999, "small": -1e-1000, "zero": 0e-1000, "long": ` + digits + `.` + digits + `, "no_nul": "\\u0000"}`
}

// TestAnswersOfDeletedInterviews checks that a repetition after the deletion reveals nobody and
// creates nothing.
func TestAnswersOfDeletedInterviews(t *testing.T) {
	t.Parallel()
	b := setupAlone(t)
	making := b.post(t, "/v1/interviews", "make", newInterview())
	made := decodeInto[madeHeld](t, b.attempt(t, making).want(t, http.StatusCreated))
	path := "/v1/interviews/" + made.Interview.ID.String()
	deciding := b.post(t, path+"/decision", "decide", `{"decision":"rejected","reason":"Because."}`)
	b.attempt(t, deciding).want(t, http.StatusOK)
	b.send(t, "DELETE", path, b.key, nil).want(t, http.StatusNoContent)
	b.attempt(t, making).wantProblem(t, http.StatusConflict, "conflict")
	b.attempt(t, deciding).wantProblem(t, http.StatusNotFound, "not_found")
	if n := b.readText(t, `SELECT count(*)::text FROM interviews`); n != "0" {
		t.Errorf("%s interviews", n)
	}
}

// TestRetakesWithOneKey checks that only one of many equal requests creates a retake.
func TestRetakesWithOneKey(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.inStatus(t, "expired")
	a := b.post(t, "/v1/interviews/"+id.String()+"/retake", "once", map[string]any{})
	var (
		group sync.WaitGroup
		mu    sync.Mutex
		links int
		made  = map[uuid.UUID]bool{}
	)
	for range 30 {
		group.Go(func() {
			r := b.attempt(t, a)
			mu.Lock()
			defer mu.Unlock()
			if r.status == http.StatusConflict {
				r.wantProblem(t, http.StatusConflict, "idempotency_in_progress")
				return
			}
			m := decodeInto[madeHeld](t, r.want(t, http.StatusCreated))
			if made[m.Interview.ID] = true; m.InviteURL != nil {
				links++
			}
		})
	}
	group.Wait()
	if retakes := b.head(t, id).Retakes; len(made) != 1 || links != 1 || len(retakes) != 1 || !made[retakes[0]] {
		t.Errorf("%d interviews told, %d links, retakes %v", len(made), links, retakes)
	}
}

// TestHeldFilesStay checks that a legal hold also keeps the activity file of its interview.
func TestHeldFilesStay(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := storetest.Interview(t, b.db, b.org.ID, storetest.NewInterview("Zoe", "zoe@example.com"))
	path := "/v1/interviews/" + made.ID.String()
	upload := func(rows int) reply {
		return b.ask(t, request{method: "POST", path: path + "/activity-file", key: b.key, body: form(part{"file", "s.csv", statement(rows)}), header: with("Content-Type", formMedia)})
	}
	upload(3).want(t, http.StatusCreated)
	file := "/v1/traders/" + made.TraderID.String() + "/activity-files/" + b.readText(t, `SELECT id::text FROM activity_files WHERE organization_id = $1`, b.org.ID)
	b.send(t, "PUT", path+"/legal-hold", b.key, nil).want(t, http.StatusOK)
	b.send(t, "DELETE", file, b.key, nil).wantProblem(t, http.StatusConflict, "legal_hold")
	upload(4).wantProblem(t, http.StatusConflict, "legal_hold")
	upload(3).want(t, http.StatusCreated)
	if rows := b.head(t, made.ID).ActivityFile.Rows; rows != 3 {
		t.Errorf("the file has %d rows", rows)
	}
	b.send(t, "DELETE", path+"/legal-hold", b.key, nil).want(t, http.StatusNoContent)
	upload(4).want(t, http.StatusCreated)
	b.send(t, "DELETE", file, b.key, nil).wantProblem(t, http.StatusNotFound, "not_found")
}

// TestExportHoldsRecordings checks that an export contains each recording byte by byte as it was
// uploaded, and the activity file, and that an export with an unreadable blob breaks off.
func TestExportHoldsRecordings(t *testing.T) {
	t.Parallel()
	b := setup(t)
	missing := false
	b.blob = func(_ context.Context, key string) (io.ReadCloser, error) {
		if missing {
			return nil, io.ErrUnexpectedEOF
		}
		return io.NopCloser(strings.NewReader("bytes of " + key)), nil
	}
	b.restart(t)
	made := storetest.Interview(t, b.db, b.org.ID, storetest.NewInterview("Zoe", "zoe@example.com"))
	s, i := storetest.Started(t, b.db, made)
	_, key := storetest.Recorded(t, b.db, s, i.Questions[0].ID, "one")
	if _, err := answering.SealWritten(t.Context(), b.db, s, i.Questions[1].ID, "In writing."); err != nil {
		t.Fatal(err)
	}
	check(t, answering.Submit(t.Context(), b.db, s))
	path := "/v1/interviews/" + made.ID.String()
	b.ask(t, request{method: "POST", path: path + "/activity-file", key: b.key, body: form(part{"file", "s.csv", statement(3)}), header: with("Content-Type", formMedia)}).want(t, http.StatusCreated)
	holds := func(path, prefix string, want map[string]string) {
		t.Helper()
		r := b.send(t, "GET", path, b.key, nil).want(t, http.StatusOK)
		z, err := zip.NewReader(strings.NewReader(r.body), int64(len(r.body)))
		check(t, err)
		for name, content := range want {
			f, err := z.Open(prefix + name)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			text, err := io.ReadAll(f)
			check(t, err)
			if string(text) != content {
				t.Errorf("%s holds %q", name, text)
			}
		}
	}
	answer := func(q interviews.Question) string { return "answers/" + q.ID.String() + "-1" }
	recordings := map[string]string{answer(i.Questions[0]) + ".webm": "bytes of " + key, answer(i.Questions[1]) + ".txt": "In writing."}
	holds("/v1/traders/"+made.TraderID.String()+"/export", "interviews/"+made.ID.String()+"/", recordings)
	file := b.readText(t, `SELECT id::text FROM activity_files WHERE organization_id = $1`, b.org.ID)
	recordings["activity-file/"+file+"-s.csv"] = statement(3)
	holds(path+"/export", "", recordings)
	missing = true
	req, err := http.NewRequestWithContext(t.Context(), "GET", b.server.URL+path+"/export", nil)
	check(t, err)
	identify(req, b.key)
	res, err := b.server.Client().Do(req)
	if err == nil {
		_, err = io.Copy(io.Discard, res.Body)
		_ = res.Body.Close()
	}
	if err == nil && res.StatusCode == http.StatusOK {
		t.Error("an export without its recording came whole")
	}
}
