package activity

import (
	"cmp"
	"mime"
	"net/http"
	"strconv"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/apiserver/response"
	"github.com/assayhq/assay/apiserver/route"
	"github.com/assayhq/assay/internal/analysis/load"
	"github.com/assayhq/assay/store/activity"
	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/store/interviews/review"
)

// uploadInterviewFile answers POST /v1/interviews/{id}/activity-file with the file, which then
// belongs to the interview's trader.
func (a *API) uploadInterviewFile(w http.ResponseWriter, r *http.Request, id uuid.UUID) error {
	i, err := interviews.ReadHead(r.Context(), a.store, route.CallerOrganization(r), id)
	if err != nil {
		return err
	}
	u, err := readUpload(route.FormFrom(r.Context()).Object)
	if err != nil {
		return err
	}
	// As in readFile: the file is read once more when the trades are stored.
	leave, err := a.beginAnalysis(r)
	if err != nil {
		return err
	}
	defer leave()
	n, err := a.readStatement(r, load.Upload{
		TraderID: i.TraderID, Name: fileName(u.file.Name), Size: u.file.Size, SHA256: u.file.SHA256, Content: u.file, Options: u.options, Now: time.Now(),
	})
	if err != nil {
		return err
	}
	render := func(k activity.KeptFile) response.Reply {
		body, _ := activityFileOf(k.File) // the report was written a moment ago
		return response.Reply{Status: http.StatusCreated, Body: body, Location: a.publicURL + route.InterviewsPath + id.String() + "/activity-file"}
	}
	k, err := review.KeepFile(r.Context(), a.store, route.NewRepeatableChange(r, render), id, n)
	if err != nil {
		return err
	}
	return render(k).Write(w)
}

// interviewFile answers GET /v1/interviews/{id}/activity-file with the file's original bytes.
func (a *API) interviewFile(w http.ResponseWriter, r *http.Request, id uuid.UUID) error {
	f, err := review.ReadFile(r.Context(), a.store, route.CallerOrganization(r), id)
	if err != nil {
		return err
	}
	return a.answerFile(w, r, f)
}

// answerFile answers with a file's original bytes.
func (a *API) answerFile(w http.ResponseWriter, r *http.Request, f activity.File) error {
	return response.AnswerTagged(w, r, response.Representation{Tag: response.SumTag(f.SHA256)}, func() error {
		header := w.Header()
		header.Set("Content-Type", f.MediaType)
		header.Set("Content-Length", strconv.FormatInt(f.Bytes, 10))
		header.Set("Content-Security-Policy", "default-src 'none'; sandbox") // somebody else may have written the page
		header.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": cmp.Or(f.Name, "activity-file")}))
		if r.Method == http.MethodHead {
			w.WriteHeader(http.StatusOK)
			return nil
		}
		// After the first bytes have been sent, an error breaks off the connection.
		return activity.ReadFileContent(r.Context(), a.store, route.CallerOrganization(r), f.TraderID, f.ID, writerOnly{w})
	})
}
