// Package tus serves resumable uploads: the server's half of the tus 1.0.0
// protocol with its extensions creation, creation-with-upload,
// creation-defer-length, checksum, expiration and termination.
//
// Bytes are written to blobs in parts, each of which is noted once it is stored. Bytes from a
// broken connection are therefore not lost, and a part that was never noted does not belong to
// the upload. Memory is limited to two parts per request: an S3 client reads a part before it sends it.
package tus

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// version is the version of the protocol.
const version = "1.0.0"

// extensions are the supported extensions of the protocol.
const extensions = "creation,creation-with-upload,creation-defer-length,checksum,expiration,termination"

// MediaType is the media type of a PATCH.
const MediaType = "application/offset+octet-stream"

// Header names of the protocol.
const (
	headerResumable   = "Tus-Resumable"
	headerVersion     = "Tus-Version"
	headerExtension   = "Tus-Extension"
	headerMaxSize     = "Tus-Max-Size"
	headerAlgorithms  = "Tus-Checksum-Algorithm"
	headerLength      = "Upload-Length"
	headerDeferLength = "Upload-Defer-Length"
	headerOffset      = "Upload-Offset"
	headerMetadata    = "Upload-Metadata"
	headerExpires     = "Upload-Expires"
	headerChecksum    = "Upload-Checksum"
	headerOverride    = "X-HTTP-Method-Override"
)

// Upload is the state of an upload.
type Upload struct {
	ID      string    // a path segment
	Offset  int64     // bytes that are stored
	Length  *int64    // total bytes; nil while unknown
	Expires time.Time // when the stored bytes may be deleted; zero means never
	// Metadata is the metadata header of the request that created the upload.
	Metadata string
}

// isComplete reports whether all bytes have been stored.
func (u Upload) isComplete() bool { return u.Length != nil && *u.Length == u.Offset }

// Errors of Uploads that the protocol has responses for. The handlers return any other error
// unchanged.
var (
	// ErrRefused means that a part was certainly not noted, so that its bytes can be dropped. All
	// errors below are such refusals.
	ErrRefused = errors.New("part refused")
	// ErrOffset means that the upload's offset differs from the request's.
	ErrOffset = fmt.Errorf("%w: upload is at another offset", ErrRefused)
	// ErrLength means that the length is already known and differs, or is less than what is
	// stored.
	ErrLength = fmt.Errorf("%w: length differs", ErrRefused)
	// ErrTooLarge means that the upload would exceed its limit.
	ErrTooLarge = fmt.Errorf("%w: upload too large", ErrRefused)
)

// Uploads stores uploads. Its methods may be called concurrently, also for the same upload.
// Errors other than those above are returned to the client like any handler's error.
type Uploads interface {
	// Create creates an upload with a length, which is nil if it is not known yet, and the
	// client's metadata.
	Create(ctx context.Context, length *int64, metadata map[string]string, raw string) (Upload, error)
	// Find returns an upload.
	Find(ctx context.Context, id string) (Upload, error)
	// Write stores the bytes of body as the part that begins at offset, without noting it yet. It
	// returns the number of bytes.
	Write(ctx context.Context, id, part string, body io.Reader) (int64, error)
	// Note adds a stored part of size bytes to the upload if the upload is still at offset, and
	// otherwise returns ErrOffset. If length is not nil, it becomes the upload's length. A size
	// of zero with an empty part only sets the length. After an error that is no ErrRefused, such
	// as a connection that was lost during a commit, the upload may have the part, so it is kept.
	Note(ctx context.Context, id string, offset int64, part string, size int64, length *int64) (Upload, error)
	// Drop deletes a stored part that was not noted.
	Drop(ctx context.Context, id, part string) error
	// Delete ends an upload and deletes its bytes.
	Delete(ctx context.Context, id string) error
}

// Options limit what is accepted.
type Options struct {
	MaxSize int64 // bytes of an upload
	// PartSize is the size of a part: a request with more bytes is stored in several parts before
	// it ends. Default 1 MiB.
	PartSize int64
}

// Handler serves the uploads of one caller. Its methods are handlers. The caller converts the
// errors that they return to problem documents.
type Handler struct {
	uploads Uploads
	options Options
	// location returns the path of an upload.
	location func(id string) string
}

// defaultPartSize is small because on S3 every request holds its part in memory, about twice. The
// pages send less in most requests, because they send every three seconds.
const defaultPartSize = 1 << 20

// New returns a handler for uploads at the paths that location returns.
func New(uploads Uploads, options Options, location func(id string) string) *Handler {
	if options.PartSize <= 0 {
		options.PartSize = defaultPartSize
	}
	return &Handler{uploads: uploads, options: options, location: location}
}

// Method returns the request's method as the protocol defines it: clients behind proxies that do
// not support PATCH put it into a header.
func Method(r *http.Request) string {
	if override := r.Header.Get(headerOverride); override != "" && r.Method == http.MethodPost {
		return override
	}
	return r.Method
}
