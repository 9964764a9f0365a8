// Package tus serves resumable uploads: the server's half of the tus 1.0.0
// protocol with its extensions creation, creation-with-upload,
// creation-defer-length, checksum, expiration and termination.
//
// Bytes go to blobs in parts, each of which is noted when it is kept, so that
// what a broken connection brought is not lost, and a part that nobody noted is
// no part of the upload. Memory is bounded by a buffer for each request.
package tus

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"
)

// Version is the version of the protocol.
const Version = "1.0.0"

// extensions are those of the protocol that are served.
const extensions = "creation,creation-with-upload,creation-defer-length,checksum,expiration,termination"

// MediaType is that of the bytes of a PATCH.
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

// Upload is one upload as it stands.
type Upload struct {
	ID      string    // a path segment
	Offset  int64     // bytes that are kept
	Length  *int64    // bytes in all; nil while nobody has said
	Expires time.Time // when what is kept may be thrown away; zero: never
	// Metadata is the header of that name as the creation sent it.
	Metadata string
}

// isComplete reports whether all bytes are there.
func (u Upload) isComplete() bool { return u.Length != nil && *u.Length == u.Offset }

// Errors of Uploads that are answered in the protocol's terms. Any other error
// is returned by the handlers as it is.
var (
	// ErrOffset: the upload does not stand where the request believes.
	ErrOffset = errors.New("upload stands elsewhere")
	// ErrLength: the length is known already and differs, or is less than what
	// is kept.
	ErrLength = errors.New("length differs")
	// ErrTooLarge: the upload would be larger than it may be.
	ErrTooLarge = errors.New("upload too large")
)

// Uploads keeps uploads. Its methods may be called concurrently, also for one
// upload; what they return that is not an error named above goes to the client
// as any handler's error does.
type Uploads interface {
	// Create begins an upload of the length (nil: not known yet), described by
	// the client's metadata.
	Create(ctx context.Context, length *int64, metadata map[string]string, raw string) (Upload, error)
	// Find returns an upload.
	Find(ctx context.Context, id string) (Upload, error)
	// Write keeps the bytes of body as the part that begins at offset, without
	// noting it yet. It returns how many there were.
	Write(ctx context.Context, id, part string, body io.Reader) (int64, error)
	// Note adds a part of size bytes that was written to the upload, if this
	// still stands at offset: else ErrOffset. A length that is not nil becomes
	// the upload's. A size of zero with an empty part notes the length alone.
	Note(ctx context.Context, id string, offset int64, part string, size int64, length *int64) (Upload, error)
	// Drop throws away what was written as a part and not noted.
	Drop(ctx context.Context, id, part string) error
	// Delete ends an upload and throws its bytes away.
	Delete(ctx context.Context, id string) error
}

// Options bounds what is taken.
type Options struct {
	MaxSize int64 // bytes of an upload
	// PartSize is how many bytes become one part: what a request brings beyond
	// that is kept before it has ended. Default 8 MiB.
	PartSize int64
}

// Handler serves the uploads of one caller. Its methods are handlers that
// return what the caller turns into a problem document.
type Handler struct {
	uploads Uploads
	options Options
	// location is the path of an upload.
	location func(id string) string
}

const defaultPartSize = 8 << 20

// New returns a handler whose uploads lie at the paths that location returns.
func New(uploads Uploads, options Options, location func(id string) string) *Handler {
	if options.PartSize <= 0 {
		options.PartSize = defaultPartSize
	}
	return &Handler{uploads: uploads, options: options, location: location}
}

// Method is the request's method as the protocol reads it: clients behind
// proxies that know no PATCH name it in a header.
func Method(r *http.Request) string {
	if override := r.Header.Get(headerOverride); override != "" && r.Method == http.MethodPost {
		return override
	}
	return r.Method
}
