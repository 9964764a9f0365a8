package media

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path"
	"regexp"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/blob"
	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/store/interviews/viewing"
)

// Template is the path of the route that Serve serves, in the form of gorilla/mux.
const Template = Path + "{interview}/{version}/{permit}/{file}"

// Limit is how long a response may take on a slow line: a segment of four seconds has half a
// megabyte.
const Limit = 2 * time.Minute

// Handler serves the files of recordings.
type Handler struct {
	Store *store.DB
	Blobs *blob.Bucket
	Now   func() time.Time
}

// name matches valid file names.
var name = regexp.MustCompile(`^[A-Za-z0-9_-][A-Za-z0-9_.-]{0,99}$`)

// mediaTypes returns the types of files that a presentation consists of. Other files are not
// served.
func mediaTypes() map[string]string {
	return map[string]string{
		".m3u8": "application/vnd.apple.mpegurl", ".m4s": "video/iso.segment", ".mp4": "video/mp4", ".jpg": "image/jpeg",
	}
}

// Serve answers GET and HEAD of one file, with ranges. Pages of any origin may play it: the
// address is the permission, and a cookie adds nothing to it.
func (h *Handler) Serve(w http.ResponseWriter, r *http.Request) error {
	header := w.Header()
	header.Set("Access-Control-Allow-Origin", "*")
	header.Set("Access-Control-Expose-Headers", "Content-Length, Content-Range")
	header.Set("Cross-Origin-Resource-Policy", "cross-origin")
	parts := strings.Split(strings.TrimPrefix(r.URL.Path, Path), "/")
	if len(parts) != 4 || !name.MatchString(parts[3]) {
		return problem.New(problem.NotFound, "")
	}
	file := parts[3]
	kind, known := mediaTypes()[path.Ext(file)]
	now := h.Now()
	grant, err := Verify(h.Store, parts[0], parts[1], parts[2], now)
	switch {
	case errors.Is(err, errExpired):
		return problem.New(problem.PlaybackExpired, "")
	case err != nil || !known:
		return problem.New(problem.NotFound, "")
	}
	if err := h.inForce(r.Context(), grant); err != nil {
		return err
	}
	header.Set("Content-Type", kind)
	header.Set("Cache-Control", fmt.Sprintf("private, max-age=%d", int(grant.Expires.Sub(now).Seconds())))
	// A version's files never change.
	header.Set("Etag", fmt.Sprintf(`"%d-%s"`, grant.Version, file))
	return h.sendBlob(w, r, interviews.MediaPrefix(grant.Interview, grant.Version)+file)
}

// inForce returns an error if what the address permits no longer exists.
func (h *Handler) inForce(ctx context.Context, g Grant) error {
	var err error
	if g.Share == uuid.Nil {
		_, err = viewing.ReadMedia(ctx, h.Store, g.Interview, g.Version)
	} else {
		_, err = viewing.ReadSharedMedia(ctx, h.Store, g.Interview, g.Version, g.Share)
	}
	return err
}

// sendBlob writes the blob, or the requested part of it.
func (h *Handler) sendBlob(w http.ResponseWriter, r *http.Request, key string) error {
	f, err := openFile(r.Context(), h.Blobs, key)
	if err != nil {
		for _, name := range []string{"Content-Type", "Cache-Control", "Etag"} {
			w.Header().Del(name)
		}
		if errors.Is(err, blob.ErrNotFound) {
			return problem.New(problem.NotFound, "")
		}
		return err
	}
	defer f.Close()
	http.ServeContent(w, r, "", f.info.ModTime, f)
	return nil
}

// file presents a blob in the form that net/http reads.
type file struct {
	open func(offset int64) (*blob.Reader, error)
	info blob.Info
	at   int64 // position of the next read
	from *blob.Reader
	next int64 // position of from's next byte
}

func openFile(ctx context.Context, b *blob.Bucket, key string) (*file, error) {
	f := &file{open: func(offset int64) (*blob.Reader, error) { return b.Open(ctx, key, offset, -1) }}
	var err error
	if f.from, err = f.open(0); err != nil {
		return nil, err
	}
	f.info = f.from.Info
	return f, nil
}

// Close closes what is open.
func (f *file) Close() { _ = f.from.Close() } // closing a reader does not affect what was read

// Seek implements io.Seeker.
func (f *file) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += f.at
	case io.SeekEnd:
		offset += f.info.Size
	}
	if offset < 0 {
		return 0, errors.New("seek before the start")
	}
	f.at = offset
	return offset, nil
}

// Read implements io.Reader. It reopens the blob if the position has changed.
func (f *file) Read(p []byte) (int, error) {
	if f.at >= f.info.Size {
		return 0, io.EOF
	}
	if f.next != f.at {
		r, err := f.open(f.at)
		if err != nil {
			return 0, err
		}
		f.Close()
		f.from, f.next = r, f.at
	}
	n, err := f.from.Read(p)
	f.at += int64(n)
	f.next = f.at
	return n, err
}
