package activity

import (
	"errors"
	"io"
	"net/http"
	"path"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/apiserver/response"
	"github.com/assayhq/assay/apiserver/route"
	"github.com/assayhq/assay/internal/analysis/load"
	"github.com/assayhq/assay/internal/statement/refusal"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/activity"
)

const (
	// maxUpload is the size of the largest file plus some room for the other parts of its form.
	maxUpload = 64<<20 + 1<<20
	// maxFileName limits the names of files, in characters.
	maxFileName = 255
)

// fileVariable is the path variable that names an activity file.
const fileVariable = "fileId"

// listActivityFiles answers GET /v1/traders/{id}/activity-files with all files,
// newest first.
func (a *API) listActivityFiles(w http.ResponseWriter, r *http.Request, p store.Page) error {
	id, err := route.ObjectID(r)
	if err != nil {
		return err
	}
	files, err := activity.ListFiles(r.Context(), a.reads, route.CallerOrganization(r), id)
	if err != nil {
		return err
	}
	list := make([]activityFileBody, len(files))
	for i, f := range files {
		if list[i], err = activityFileOf(f); err != nil {
			return err
		}
	}
	return response.AnswerCollection(w, r, a.publicURL, list, p)
}

// uploadActivityFile answers POST /v1/traders/{id}/activity-files: 201 with a file that was read,
// or 200 with a file that had already been read with the same options.
func (a *API) uploadActivityFile(w http.ResponseWriter, r *http.Request) error {
	upload, err := traderUpload(r)
	if err != nil {
		return err
	}
	kept, known, err := a.knownFile(r, upload)
	if err != nil {
		return err
	}
	if !known {
		if kept, err = a.readFile(r, upload); err != nil {
			return err
		}
	}
	response, err := a.renderFile(kept)
	if err != nil {
		return err
	}
	return response.Write(w)
}

// traderUpload reads the file that a request sends for a trader.
func traderUpload(r *http.Request) (load.Upload, error) {
	id, err := route.ObjectID(r)
	if err != nil {
		return load.Upload{}, err
	}
	u, err := readUpload(route.FormFrom(r.Context()).Object)
	if err != nil {
		return load.Upload{}, err
	}
	return load.Upload{
		TraderID: id, Name: fileName(u.file.Name), Size: u.file.Size, SHA256: u.file.SHA256, Content: u.file, Options: u.options, Now: time.Now(),
	}, nil
}

// previewActivityFile answers POST /v1/traders/{id}/activity-files/preview with what an import of
// the file would give. It stores nothing.
func (a *API) previewActivityFile(w http.ResponseWriter, r *http.Request) error {
	upload, err := traderUpload(r)
	if err != nil {
		return err
	}
	leave, err := a.beginAnalysis(r)
	if err != nil {
		return err
	}
	defer leave()
	p, err := load.ReadPreview(r.Context(), a.store, route.CallerOrganization(r), upload)
	if refused, ok := errors.AsType[*refusal.Error](err); ok {
		return refusalProblem(refused)
	}
	if err != nil {
		return err
	}
	return response.Reply{Status: http.StatusOK, Body: previewOf(p)}.Write(w)
}

// renderFile returns the response for an uploaded file.
func (a *API) renderFile(k activity.KeptFile) (response.Reply, error) {
	body, err := activityFileOf(k.File)
	p := response.Reply{Status: http.StatusCreated, Body: body, Location: a.publicURL + filePath(k.File)}
	if k.Known {
		p.Status = http.StatusOK
	}
	return p, err
}

func filePath(f activity.File) string {
	return route.TradersPath + f.TraderID.String() + "/activity-files/" + f.ID.String()
}

// knownFile finds a file that is already stored, so that it is not read again.
func (a *API) knownFile(r *http.Request, u load.Upload) (k activity.KeptFile, known bool, err error) {
	f, err := activity.FindFile(r.Context(), a.store, route.CallerOrganization(r), u.TraderID, u.SHA256)
	if errors.Is(err, store.ErrNotFound) {
		return k, false, nil
	}
	return activity.KeptFile{File: f, Known: true}, err == nil && load.Known(f, u), err
}

// readStatement reads a file. One that cannot be read is also reported to webhooks, because it may
// have been sent by a program that nobody watches.
func (a *API) readStatement(r *http.Request, u load.Upload) (n activity.NewFile, err error) {
	n, err = load.Read(r.Context(), u)
	refused, ok := errors.AsType[*refusal.Error](err)
	if !ok {
		return n, err
	}
	p := refusalProblem(refused)
	if err := activity.RefuseFile(r.Context(), a.store, route.NewChange(r), u.TraderID, string(p.Code)); err != nil {
		return n, err
	}
	return n, p
}

// readFile reads a file and stores it. It keeps its place until
// the trades are stored, because the file is read once more for that.
func (a *API) readFile(r *http.Request, u load.Upload) (k activity.KeptFile, err error) {
	leave, err := a.beginAnalysis(r)
	if err != nil {
		return k, err
	}
	defer leave()
	n, err := a.readStatement(r, u)
	if err != nil {
		return k, err
	}
	c := route.NewRepeatableChange(r, func(k activity.KeptFile) response.Reply {
		response, _ := a.renderFile(k) // the report was written a moment ago
		return response
	})
	return activity.KeepFile(r.Context(), a.store, c, n)
}

// refusalProblem returns the problem for a file that cannot be read.
func refusalProblem(r *refusal.Error) *problem.Problem {
	code := map[refusal.Code]problem.Code{
		refusal.FileTooLarge: problem.FileTooLarge, refusal.UnsupportedFileType: problem.UnsupportedFileType,
		refusal.NotUnderstood: problem.FileNotUnderstood, refusal.AmbiguousDates: problem.AmbiguousDates,
	}[r.Code]
	p := &problem.Problem{Code: code, Detail: r.Detail, Cause: r}
	if len(r.Seen) > 0 {
		p.Detail += " Seen: " + strings.Join(r.Seen, ", ") + "."
	}
	if len(r.Expected) > 0 {
		p.Detail += " Expected: " + strings.Join(r.Expected, ", ") + "."
	}
	if code == problem.UnsupportedFileType {
		p = p.With("Accept", decode.MediaForm) // the form is accepted, but not the file in it
	}
	if r.Resend != "" {
		at := problem.Pointer{}.Member(r.Resend)
		p.Faults = []problem.Fault{{Pointer: at.String(), Code: problem.Required, Detail: "Send it in this part of the form."}}
	}
	return p
}

// fileName returns a file's name without a path and without characters that a screen or a header
// could misinterpret.
func fileName(name string) string {
	name = path.Base(strings.ReplaceAll(strings.ToValidUTF8(name, ""), `\`, "/"))
	name = strings.TrimSpace(strings.Map(func(c rune) rune {
		if unicode.IsControl(c) || unicode.In(c, unicode.Cf, unicode.Zl, unicode.Zp) {
			return -1
		}
		return c
	}, name))
	if name == "." || name == "/" || name == ".." {
		return ""
	}
	for utf8.RuneCountInString(name) > maxFileName {
		_, size := utf8.DecodeRuneInString(name)
		name = name[size:] // the end is more informative
	}
	return name
}

// activityFile answers GET /v1/traders/{id}/activity-files/{fileId} with the file's original
// bytes.
func (a *API) activityFile(w http.ResponseWriter, r *http.Request) error {
	trader, id, err := fileID(r)
	if err != nil {
		return err
	}
	f, err := activity.ReadFile(r.Context(), a.store, route.CallerOrganization(r), trader, id)
	if err != nil {
		return err
	}
	return a.answerFile(w, r, f)
}

// writerOnly hides all methods of a writer except Write.
type writerOnly struct{ io.Writer }

// deleteActivityFile answers DELETE /v1/traders/{id}/activity-files/{fileId}.
func (a *API) deleteActivityFile(w http.ResponseWriter, r *http.Request) error {
	trader, id, err := fileID(r)
	if err != nil {
		return err
	}
	if err := activity.DeleteFile(r.Context(), a.store, route.NewChange(r), trader, id); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func fileID(r *http.Request) (trader, file uuid.UUID, err error) {
	if trader, err = route.ObjectID(r); err != nil {
		return trader, file, err
	}
	file, err = route.PathID(r, fileVariable)
	return trader, file, err
}
