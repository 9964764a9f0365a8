package interview

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/gorilla/mux"

	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/apiserver/tus"
	"github.com/assayhq/assay/store/interviews"
)

// uploadsPath is where tus creates the uploads of a link.
func uploadsPath(token string) string { return "/i/" + token + "/uploads" }

// uploadReadLimit is how long the bytes of one request may take to arrive: a part of
// 8 MiB over a slow uplink of about 600 kbit/s. What has arrived by then is kept.
const uploadReadLimit = 120 * time.Second

// Uploads answers the requests of the tus protocol on /i/{token}/uploads and
// /i/{token}/uploads/{upload}: each upload is a take that was opened, found by
// its question and number.
func (d *Desk) Uploads(w http.ResponseWriter, r *http.Request) error {
	method := tus.Method(r)
	id := mux.Vars(r)[UploadVariable]
	session, i, err := d.uploading(r, method)
	if err != nil {
		return err
	}
	// An error means that the writer has no connection below it (tests).
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(uploadReadLimit))
	base := uploadsPath(tokenOf(r)) + "/"
	handler := tus.New(takes{d, session, i}, tus.Options{MaxSize: interviews.MaxTakeBytes}, func(id string) string { return base + id })
	switch {
	case method == http.MethodOptions:
		return handler.Describe(w, r)
	case method == http.MethodPost && id == "":
		return handler.Create(w, r)
	case method == http.MethodHead && id != "":
		return handler.Head(w, r, id)
	case method == http.MethodPatch && id != "":
		return handler.Patch(w, r, id)
	case method == http.MethodDelete && id != "":
		return handler.Delete(w, r, id)
	}
	return problem.New(problem.MethodNotAllowed, "").With("Allow", "DELETE, HEAD, OPTIONS, PATCH, POST")
}

// uploading is the session of a request of the protocol.
func (d *Desk) uploading(r *http.Request, method string) (interviews.TraderSession, interviews.Interview, error) {
	switch method {
	case http.MethodOptions:
		return interviews.TraderSession{}, interviews.Interview{}, nil // tells nothing
	case http.MethodHead:
		return d.readSession(r)
	}
	return d.readForChange(r)
}

// takes is the takes of an interview as uploads.
type takes struct {
	desk      *Desk
	session   interviews.TraderSession
	interview interviews.Interview
}

// Create implements tus.Uploads: it finds the take that the metadata names.
func (t takes) Create(ctx context.Context, length *int64, metadata map[string]string, _ string) (tus.Upload, error) {
	question, err := uuid.Parse(metadata["question_id"])
	number, numberErr := strconv.Atoi(metadata["take"])
	take, ok := findTake(t.interview, question, number)
	if err != nil || numberErr != nil || !ok {
		return tus.Upload{}, &problem.Problem{Code: problem.InvalidHeader, Faults: []problem.Fault{{
			Header: "Upload-Metadata", Code: problem.InvalidFormat, Detail: "Must name a take that was opened: question_id and take.",
		}}}
	}
	if length != nil {
		return t.note(ctx, take.ID, interviews.TakePart{Offset: take.Received}, length)
	}
	return t.Find(ctx, take.ID.String())
}

// Find implements tus.Uploads.
func (t takes) Find(ctx context.Context, id string) (tus.Upload, error) {
	take, err := uuid.Parse(id)
	if err != nil {
		return tus.Upload{}, problem.New(problem.NotFound, "")
	}
	found, err := interviews.ReadTake(ctx, t.desk.Store, t.session, take)
	if err != nil {
		return tus.Upload{}, err
	}
	if found.Status == interviews.TakeAborted {
		return tus.Upload{}, problem.New(problem.NotFound, "")
	}
	return t.upload(found), nil
}

func (t takes) upload(take interviews.Take) tus.Upload {
	return tus.Upload{ID: take.ID.String(), Offset: take.Received, Length: take.Length, Expires: t.session.ExpiresAt}
}

// blobOf is where a part of a take lies.
func (t takes) blobOf(id, part string) string {
	take, _ := uuid.Parse(id) // it was found before
	return interviews.TakePrefix(t.session.InterviewID, take) + strings.ToLower(part)
}

// Write implements tus.Uploads.
func (t takes) Write(ctx context.Context, id, part string, body io.Reader) (int64, error) {
	return t.desk.Blobs.Put(ctx, t.blobOf(id, part), body)
}

// Note implements tus.Uploads.
func (t takes) Note(ctx context.Context, id string, offset int64, part string, size int64, length *int64) (tus.Upload, error) {
	take, err := uuid.Parse(id)
	if err != nil {
		return tus.Upload{}, problem.New(problem.NotFound, "")
	}
	noted := interviews.TakePart{Offset: offset, Bytes: size}
	if size > 0 {
		noted.Blob = t.blobOf(id, part)
	}
	return t.note(ctx, take, noted, length)
}

func (t takes) note(ctx context.Context, take uuid.UUID, part interviews.TakePart, length *int64) (tus.Upload, error) {
	appended, err := interviews.AppendTake(ctx, t.desk.Store, t.session, take, part, length)
	switch {
	case errors.Is(err, interviews.ErrOffset):
		return tus.Upload{}, errors.Join(tus.ErrOffset, err)
	case errors.Is(err, interviews.ErrTooLarge):
		return tus.Upload{}, errors.Join(tus.ErrTooLarge, err)
	case err != nil:
		return tus.Upload{}, err
	}
	return t.upload(appended), nil
}

// Drop implements tus.Uploads.
func (t takes) Drop(ctx context.Context, id, part string) error {
	return t.desk.Blobs.Delete(ctx, t.blobOf(id, part))
}

// Delete implements tus.Uploads: a take whose upload is not wanted is given up.
func (t takes) Delete(ctx context.Context, id string) error {
	take, err := uuid.Parse(id)
	if err != nil {
		return problem.New(problem.NotFound, "")
	}
	_, err = interviews.AbortTake(ctx, t.desk.Store, t.session, take, 0)
	return err
}
