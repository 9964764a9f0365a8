package v1_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/assayhq/assay/store/access"
)

// written is the part of a comment that the tests check.
type written struct {
	ID         uuid.UUID
	AuthorID   uuid.UUID `json:"author_id"`
	AuthorName string    `json:"author_name"`
	Body       string
	AtMS       *int `json:"at_ms"`
	Mentions   []struct {
		UserID uuid.UUID `json:"user_id"`
		Name   *string
		DoneAt *string `json:"done_at"`
	}
	EditedAt *string `json:"edited_at"`
}

// listComments reads the comments on the interview at the path.
func (b *testAPI) listComments(t testing.TB, path string) []written {
	t.Helper()
	return decodeInto[struct{ Data []written }](t, b.send(t, "GET", path+"/comments", b.key, nil).want(t, http.StatusOK)).Data
}

// countMentions counts the interviews where a mention waits for a person.
func (b *testAPI) countMentions(t testing.TB, person uuid.UUID) int {
	t.Helper()
	return len(decodeInto[struct{ Data []written }](t, b.send(t, "GET", "/v1/interviews?mentioned="+person.String(), b.key, nil).want(t, http.StatusOK)).Data)
}

// TestComments follows a comment with a mention from its author to the person it mentions.
func TestComments(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path := "/v1/interviews/" + b.inStatus(t, "completed").String()
	session, ann := b.newSession(t, b.org.ID, access.RoleReviewer)
	other, bea := b.newSession(t, b.org.ID, access.RoleReviewer)

	r := b.send(t, "POST", path+"/comments", session, map[string]any{"body": "Listen\r\nhere, @Bea.", "at_ms": 83_000, "mentions": []any{bea.ID, bea.ID}}).want(t, http.StatusCreated)
	b.golden(t, "comment", r)
	first := decodeInto[written](t, r)
	if first.Body != "Listen\nhere, @Bea." || first.AuthorID != ann.ID || *first.AtMS != 83_000 || len(first.Mentions) != 1 || first.Mentions[0].UserID != bea.ID || first.EditedAt != nil {
		t.Errorf("made %+v", first)
	}
	own := path + "/comments/" + first.ID.String()
	if b.countMentions(t, bea.ID) != 1 || b.countMentions(t, ann.ID) != 0 {
		t.Error("the interview does not wait for whom the comment mentions")
	}
	for name, key := range map[string]string{"a colleague": other, "a key": b.key} {
		for _, method := range []string{"PUT", "DELETE"} {
			var body any
			if method == "PUT" {
				body = `{"body": "Mine."}`
			}
			if r := b.send(t, method, own, key, body); r.status != http.StatusForbidden {
				t.Errorf("%s by %s: %d", method, name, r.status)
			}
		}
	}
	b.send(t, "PUT", own, b.key, `{"body": "Mine."}`).wantProblem(t, http.StatusForbidden, "not_author")
	edited := decodeInto[written](t, b.send(t, "PUT", own, session, map[string]any{"body": "Listen here.", "mentions": []any{ann.ID, bea.ID}}).want(t, http.StatusOK))
	if edited.Body != "Listen here." || edited.AtMS != nil || len(edited.Mentions) != 2 || edited.EditedAt == nil {
		t.Errorf("edited %+v", edited)
	}

	// A comment of the mentioned person's own is a response; a later edit does not ask again.
	b.send(t, "POST", path+"/comments", other, `{"body": "It matches."}`).want(t, http.StatusCreated)
	b.send(t, "PUT", own, session, map[string]any{"body": "Listen.", "mentions": []any{ann.ID, bea.ID}}).want(t, http.StatusOK)
	if b.countMentions(t, bea.ID) != 0 || b.countMentions(t, ann.ID) != 1 {
		t.Error("a response does not put the mention away")
	}
	b.send(t, "DELETE", path+"/mentions", session, nil).want(t, http.StatusNoContent)
	b.send(t, "DELETE", path+"/mentions", b.key, nil).want(t, http.StatusNoContent)
	if b.countMentions(t, ann.ID) != 0 {
		t.Error("a dismissed mention still waits")
	}
	b.wantExport(t, path+"/export", "comments.json")

	b.send(t, "DELETE", own, session, nil).want(t, http.StatusNoContent)
	b.send(t, "DELETE", own, session, nil).wantProblem(t, http.StatusNotFound, "not_found")
	var left []string
	for _, c := range b.listComments(t, path) {
		left = append(left, c.Body)
	}
	if diff := cmp.Diff([]string{"It matches."}, left); diff != "" {
		t.Errorf("left (-want +got):\n%s", diff)
	}
}

// TestRefusedComments sends comments that are not accepted.
func TestRefusedComments(t *testing.T) {
	t.Parallel()
	b := setupAlone(t)
	path := "/v1/interviews/" + b.inStatus(t, "invited").String() + "/comments"
	for _, c := range []struct {
		name, body string
		want       []string
	}{
		{"nothing", `{}`, []string{"#/body required"}},
		{"blank", `{"body": " \n"}`, []string{"#/body invalid_format"}},
		{"a control character", `{"body": "a\u001bb"}`, []string{"#/body invalid_format"}},
		{"too long", `{"body": "` + strings.Repeat("é", 4001) + `"}`, []string{"#/body too_long"}},
		{"before the beginning", `{"body": "x", "at_ms": -1}`, []string{"#/at_ms out_of_range"}},
		{"no id", `{"body": "x", "mentions": ["7"]}`, []string{"#/mentions/0 invalid_format"}},
		{"nobody", `{"body": "x", "mentions": ["` + uuid.NewString() + `"]}`, []string{"#/mentions unknown_user"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := b.send(t, "POST", path, b.key, c.body).wantProblem(t, http.StatusUnprocessableEntity, "validation_failed")
			if diff := cmp.Diff(c.want, p.faults()); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
		})
	}
	b.exec(t, `INSERT INTO interview_comments (id, interview_id, author_id, author_name, body) SELECT gen_random_uuid(), id, id, 'test', 'x' FROM interviews, generate_series(1, 1000)`)
	b.send(t, "POST", path, b.key, `{"body": "one too many"}`).wantProblem(t, http.StatusConflict, "conflict")
}
