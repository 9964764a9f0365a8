package privacy

import (
	"archive/zip"
	"context"
	"io"
	"net/http"
	"time"

	"github.com/assayhq/assay/apiserver/response"
)

// beginArchive begins a response with a zip file, which is all of it for HEAD.
func beginArchive(w http.ResponseWriter, name string) {
	response.BeginDownload(w, mediaZIP, name+".zip")
}

// answerArchive answers with a zip file that fill writes. Its error, after sending has begun, breaks
// off the connection, so that nobody mistakes a part of the archive for the whole.
func (a *API) answerArchive(w http.ResponseWriter, r *http.Request, name string, fill func(*export)) error {
	beginArchive(w, name)
	z := &export{ctx: r.Context(), zip: zip.NewWriter(&partWriter{w, http.NewResponseController(w)}), blob: a.blob, now: time.Now().UTC()}
	fill(z)
	if z.err == nil {
		z.err = z.zip.Close()
	}
	if z.err != nil {
		w.Header().Del("Content-Disposition") // matters if nothing has been sent: a problem is no file
	}
	return z.err
}

// partWriter gives a client time for each part of a response, so that a slow one gets the whole and one
// that reads nothing is cut off.
type partWriter struct {
	w       io.Writer
	control *http.ResponseController
}

// Write implements io.Writer.
func (p *partWriter) Write(part []byte) (int, error) {
	_ = p.control.SetWriteDeadline(time.Now().Add(archiveWrite)) // fails without a connection
	return p.w.Write(part)
}

// export writes a zip file. It stops writing after an error.
type export struct {
	ctx  context.Context //nolint:containedctx // it lives for one request
	zip  *zip.Writer
	blob func(ctx context.Context, key string) (io.ReadCloser, error) // if nil, recordings are omitted
	now  time.Time
	err  error
}

// addFile adds a file.
func (z *export) addFile(name string, write func(io.Writer) error) {
	if z.err != nil {
		return
	}
	to, err := z.zip.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: z.now})
	if err == nil {
		err = write(to)
	}
	z.err = err
}

// addJSON adds a file that contains a value as JSON.
func (z *export) addJSON(name string, v any) {
	z.addText(name, func() ([]byte, error) { return response.EncodeJSON(v) })
}

func (z *export) addText(name string, text func() ([]byte, error)) {
	z.addFile(name, func(to io.Writer) error {
		body, err := text()
		if err != nil {
			return err
		}
		_, err = to.Write(body)
		return err
	})
}
