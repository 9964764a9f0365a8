package v1_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/store/access"
	"github.com/assayhq/assay/store/interviews/steps"
	"github.com/assayhq/assay/store/storetest"
)

// passage is the part of a segment that the tests check.
type passage struct {
	Text        string
	Confidence  *float64
	Recognized  *struct{ Text string }
	Corrections []struct {
		Text        string
		CorrectedBy string `json:"corrected_by"`
	}
}

// TestCorrectTranscript corrects a passage and finds it marked in the transcript. Captions and report
// are made again.
func TestCorrectTranscript(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.inStatus(t, "completed")
	path := "/v1/interviews/" + id.String()
	session, ann := b.newSession(t, b.org.ID, access.RoleReviewer)
	viewer, _ := b.newSession(t, b.org.ID, access.RoleViewer)
	own := path + "/segments/s1"

	first := b.send(t, "GET", own, b.key, nil).want(t, http.StatusOK)
	tag := with("If-Match", first.header.Get("ETag"))
	recognized := decodeInto[passage](t, first)
	if recognized.Recognized != nil || len(recognized.Corrections) != 0 {
		t.Errorf("before it was corrected: %s", first.body)
	}
	b.send(t, "PUT", own, viewer, `{"text": "Mine."}`).wantProblem(t, http.StatusForbidden, "insufficient_scope")
	r := b.ask(t, request{method: "PUT", path: own, key: session, header: tag, body: `{"text": "I hold\r\nfor nine days."}`}).want(t, http.StatusOK)
	b.golden(t, "transcript_segment", r)
	got := decodeInto[passage](t, r)
	if got.Text != "I hold for nine days." || got.Recognized.Text != recognized.Text || len(got.Corrections) != 1 || got.Corrections[0].CorrectedBy != ann.Name {
		t.Errorf("corrected: %s", r.body)
	}
	if again := b.send(t, "GET", own, b.key, nil).want(t, http.StatusOK); again.body != r.body || again.header.Get("ETag") != r.header.Get("ETag") {
		t.Errorf("read again: %s", again.body)
	}
	b.ask(t, request{method: "PUT", path: own, key: b.key, header: tag, body: `{"text": "Late."}`}).wantProblem(t, http.StatusPreconditionFailed, "precondition_failed")

	whole := b.send(t, "GET", path, b.key, nil).want(t, http.StatusOK)
	detail := decodeInto[struct {
		Transcript struct{ Segments []passage }
		Status     string `json:"report_status"`
	}](t, whole)
	if diff := cmp.Diff([]passage{got}, detail.Transcript.Segments); diff != "" || detail.Status != "queued" {
		t.Errorf("the report is %s, the transcript (-want +got):\n%s", detail.Status, diff)
	}
	for _, step := range []steps.Name{steps.Subtitles, steps.Activity} { // the report begins with the analysis
		storetest.Claim(t, b.db, b.org.ID, id, step) // fails unless the step is due
	}

	// Words that do not change are no correction, and a later correction keeps the earlier one.
	b.send(t, "PUT", own, session, `{"text": "I hold for nine days. "}`).want(t, http.StatusOK)
	got = decodeInto[passage](t, b.send(t, "PUT", own, b.key, `{"text": "I hold for nine hours."}`).want(t, http.StatusOK))
	if len(got.Corrections) != 2 || got.Corrections[0].Text != "I hold for nine days." || got.Recognized.Text != recognized.Text {
		t.Errorf("corrected again: %+v", got)
	}
	log := b.send(t, "GET", "/v1/audit?action=interview.transcript_corrected", b.key, nil).want(t, http.StatusOK).body
	if strings.Count(log, `"segment_id":"s1"`) != 2 || strings.Contains(log, "nine") {
		t.Errorf("the audit log holds %s", log)
	}
	b.wantExport(t, path+"/export", "interview.json")
}

// TestRefusedCorrections sends corrections that are not accepted.
func TestRefusedCorrections(t *testing.T) {
	t.Parallel()
	b := setupAlone(t)
	path := "/v1/interviews/" + b.inStatus(t, "completed").String() + "/segments/"
	for body, fault := range map[string]string{
		`{}`:                   "#/text required",
		`{"text": " \n"}`:      "#/text invalid_format",
		`{"text": "\u202e"}`:   "#/text invalid_format",
		`{"text": "a\u0000b"}`: "#/text invalid_format",
		`{"text": "` + strings.Repeat("é", 4001) + `"}`: "#/text too_long",
	} {
		if diff := cmp.Diff([]string{fault}, b.send(t, "PUT", path+"s1", b.key, body).wantProblem(t, http.StatusUnprocessableEntity, "validation_failed").faults()); diff != "" {
			t.Errorf("%.40s (-want +got):\n%s", body, diff)
		}
	}
	b.send(t, "PUT", path+"s2", b.key, `{"text": "Mine."}`).wantProblem(t, http.StatusNotFound, "not_found")
	b.send(t, "GET", path+"s2", b.key, nil).wantProblem(t, http.StatusNotFound, "not_found")
	unanswered := "/v1/interviews/" + b.inStatus(t, "invited").String() + "/segments/s1"
	b.send(t, "PUT", unanswered, b.key, `{"text": "Mine."}`).wantProblem(t, http.StatusNotFound, "not_found")

	b.exec(t, `UPDATE interview_transcripts SET transcript = '{"segments":[{"id":"s1","text":"Written.","engine":"typed"},{"id":"s2","text":"Spoken."}]}'`)
	b.send(t, "PUT", path+"s1", b.key, `{"text": "Mine."}`).wantProblem(t, http.StatusConflict, "conflict")
	for n := range 50 {
		b.send(t, "PUT", path+"s2", b.key, fmt.Sprintf(`{"text": "Words %d."}`, n)).want(t, http.StatusOK)
	}
	b.send(t, "PUT", path+"s2", b.key, `{"text": "Words."}`).wantProblem(t, http.StatusConflict, "conflict")
}
