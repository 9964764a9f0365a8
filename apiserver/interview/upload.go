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
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/store/interviews/answering"
)

// uploadsPath is where tus creates the uploads of a link.
func uploadsPath(token string) string { return "/i/" + token + "/uploads" }

// uploadReadLimit is how long the bytes of one request may take to arrive: 8 MiB, the most that
// the page sends, over a slow uplink of about 600 kbit/s. What has arrived by then is kept.
const uploadReadLimit = 120 * time.Second

// Uploads answers the requests of the tus protocol at /i/{token}/uploads and
// /i/{token}/uploads/{upload}. Each upload is a take that was opened. It is identified by its
// question and number.
func (h *Handler) Uploads(w http.ResponseWriter, r *http.Request) error {
	method := tus.Method(r)
	id := mux.Vars(r)[UploadVariable]
	t, err := h.readUpload(r, method, id)
	if err != nil {
		return err
	}
	control := http.NewResponseController(w)
	// An error means that the writer has no connection (tests).
	_ = control.SetReadDeadline(time.Now().Add(uploadReadLimit))
	if method == http.MethodPost || method == http.MethodPatch {
		end, waited, err := h.writers.beginTurn(r.Context(), t.found.Session.ID.String()+"/"+id, func() { _ = control.SetReadDeadline(time.Now()) })
		if err != nil {
			return err
		}
		defer end()
		if waited { // the other request has stored more
			if t, err = h.readUpload(r, method, id); err != nil {
				return err
			}
		}
	}
	base := uploadsPath(tokenOf(r)) + "/"
	handler := tus.New(t, tus.Options{MaxSize: answering.MaxTakeBytes}, func(id string) string { return base + id })
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

// readUpload reads which upload a tus request refers to.
func (h *Handler) readUpload(r *http.Request, method, id string) (t takes, err error) {
	t.handler = h
	if method == http.MethodOptions {
		return t, nil // reveals nothing about an upload
	}
	if method != http.MethodHead {
		if err := h.Origins.Check(r); err != nil {
			return t, err
		}
	}
	secret, err := sessionSecret(r)
	if err != nil {
		return t, err
	}
	take, _ := uuid.Parse(id) // text that is not a UUID refers to no take
	t.found, err = answering.FindUpload(r.Context(), h.Store, secret, take)
	return t, admitSession(r, t.found.Session, err)
}

// takes presents the takes of an interview as uploads.
type takes struct {
	handler *Handler
	found   answering.Upload // identified by the request's path
}

// Create implements tus.Uploads: it finds the take that the metadata names.
func (t takes) Create(ctx context.Context, length *int64, metadata map[string]string, _ string) (tus.Upload, error) {
	question, err := uuid.Parse(metadata["question_id"])
	number, numberErr := strconv.Atoi(metadata["take"])
	i, readErr := answering.ReadInterview(ctx, t.handler.Store, t.found.Session)
	if readErr != nil {
		return tus.Upload{}, readErr
	}
	take, ok := findTake(i, question, number)
	if err != nil || numberErr != nil || !ok {
		return tus.Upload{}, &problem.Problem{Code: problem.InvalidHeader, Faults: []problem.Fault{{
			Header: "Upload-Metadata", Code: problem.InvalidFormat, Detail: "Must name an open take, by question_id and take.",
		}}}
	}
	if length != nil {
		return t.appendPart(ctx, take.ID, answering.TakePart{Offset: take.Received}, length)
	}
	return t.uploadOf(take.ID, take.Status, take.Received, take.Length)
}

// Find implements tus.Uploads for the upload at the request's path.
func (t takes) Find(context.Context, string) (tus.Upload, error) {
	return t.uploadOf(t.found.TakeID, t.found.Status, t.found.Received, t.found.Length)
}

// uploadOf returns a take as an upload, unless the take does not exist or was given up.
func (t takes) uploadOf(id uuid.UUID, status interviews.TakeStatus, received int64, length *int64) (tus.Upload, error) {
	if id == uuid.Nil || status == interviews.TakeAborted {
		return tus.Upload{}, problem.New(problem.NotFound, "")
	}
	return tus.Upload{ID: id.String(), Offset: received, Length: length, Expires: t.found.ExpiresAt}, nil
}

// blobOf returns the blob of a part of a take.
func (t takes) blobOf(id, part string) string {
	take, _ := uuid.Parse(id) // the take was found before
	return interviews.TakePrefix(t.found.InterviewID, take) + strings.ToLower(part)
}

// Write implements tus.Uploads.
func (t takes) Write(ctx context.Context, id, part string, body io.Reader) (int64, error) {
	return t.handler.Blobs.Put(ctx, t.blobOf(id, part), body)
}

// Note implements tus.Uploads.
func (t takes) Note(ctx context.Context, id string, offset int64, part string, size int64, length *int64) (tus.Upload, error) {
	take, err := uuid.Parse(id)
	if err != nil {
		return tus.Upload{}, problem.New(problem.NotFound, "")
	}
	noted := answering.TakePart{Offset: offset, Bytes: size}
	if size > 0 {
		noted.Blob = t.blobOf(id, part)
	}
	return t.appendPart(ctx, take, noted, length)
}

func (t takes) appendPart(ctx context.Context, take uuid.UUID, part answering.TakePart, length *int64) (tus.Upload, error) {
	appended, err := answering.AppendTake(ctx, t.handler.Store, t.found.Session, take, part, length)
	switch {
	case errors.Is(err, answering.ErrOffset):
		return tus.Upload{}, errors.Join(tus.ErrOffset, err)
	case errors.Is(err, answering.ErrLength):
		return tus.Upload{}, errors.Join(tus.ErrLength, err)
	case errors.Is(err, answering.ErrTooLarge), errors.Is(err, interviews.ErrInvalidState), errors.Is(err, interviews.ErrInviteOver), errors.Is(err, answering.ErrTakenOver), errors.Is(err, store.ErrNotFound):
		return tus.Upload{}, errors.Join(tus.ErrRefused, err)
	case err != nil:
		return tus.Upload{}, err
	}
	return t.uploadOf(appended.ID, appended.Status, appended.Received, appended.Length)
}

// Drop implements tus.Uploads.
func (t takes) Drop(ctx context.Context, id, part string) error {
	return t.handler.Blobs.Delete(ctx, t.blobOf(id, part))
}

// Delete implements tus.Uploads. It gives up a take whose upload is no longer wanted.
func (t takes) Delete(ctx context.Context, id string) error {
	take, err := uuid.Parse(id)
	if err != nil {
		return problem.New(problem.NotFound, "")
	}
	_, err = answering.AbortTake(ctx, t.handler.Store, t.found.Session, take, 0)
	return err
}
