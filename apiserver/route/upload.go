package route

import (
	"context"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/middleware"
	"github.com/assayhq/assay/apiserver/problem"
)

const (
	// uploadReadLimit is how long the body of an upload may take: 64 MiB over an
	// uplink of about 4.5 Mbit/s.
	uploadReadLimit = 120 * time.Second
	// maxUploads limits the concurrent uploads in this process, each of which may use as much
	// disk space as a file may have.
	maxUploads = 8
	// retryUpload is how long callers are asked to wait if the limit is reached.
	retryUpload = 10 * time.Second
)

type formKey struct{}

// FormFrom returns the form of the request's body, or nil if the body was not a form.
func FormFrom(ctx context.Context) *decode.Form {
	form, _ := ctx.Value(formKey{}).(*decode.Form)
	return form
}

// openSpool opens a file without a name, which disappears when it is closed or the process ends.
func openSpool() (*os.File, error) {
	file, err := os.CreateTemp("", "assay-upload-*")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(file.Name()); err != nil {
		_ = file.Close()
		return nil, err
	}
	return file, nil
}

// withForm reads the form in a request's body, and serves the request with it. A missing object
// is reported first, so that nobody has to send a whole file to learn that.
func (rt *Router) withForm(w http.ResponseWriter, r *http.Request, route Route, serve func(http.ResponseWriter, *http.Request, Route) error) error {
	if err := rt.objects.checkPath(r, route); err != nil {
		return err
	}
	leave, ok := rt.uploads.TryTake(CallerOrganization(r).String())
	if !ok {
		return problem.Unavailable("Too many uploads are in progress. Try again later.", retryUpload, nil)
	}
	defer leave()
	// An error means that the writer has no connection (tests).
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(uploadReadLimit))
	form, err := decode.ReadForm(r, rt.spool)
	if err != nil {
		return err
	}
	defer form.Close()
	return serve(w, r.WithContext(context.WithValue(r.Context(), formKey{}, form)), route)
}

// bodyLimit returns how many bytes the body of a request may have. It is called before anything
// else is known about the request.
func bodyLimit(large []Route, r *http.Request) (int64, problem.Code) {
	for _, route := range large {
		if r.Method == route.Method && onPath(r.URL.EscapedPath(), route.Path) {
			if route.Accepts == decode.MediaForm {
				return route.MaxBody, problem.FileTooLarge
			}
			return route.MaxBody, problem.PayloadTooLarge
		}
	}
	return middleware.MaxBody, problem.PayloadTooLarge
}

// onPath reports whether a path matches a template.
func onPath(path, template string) bool {
	given, wanted := strings.Split(path, "/"), strings.Split(template, "/")
	if len(given) != len(wanted) {
		return false
	}
	for i, segment := range wanted {
		if segment != given[i] && (!strings.HasPrefix(segment, "{") || given[i] == "") {
			return false
		}
	}
	return true
}
