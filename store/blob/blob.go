package blob

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/url"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"gocloud.dev/blob"
	"gocloud.dev/blob/s3blob"
	"gocloud.dev/gcerrors"
)

// Errors that a caller may branch on.
var (
	// ErrNotFound means that there is no blob with the key.
	ErrNotFound = errors.New("blob not found")
	// ErrFull means that the disk, or its quota, has no room left.
	ErrFull = errors.New("no space left for blobs")
	// ErrUnavailable means that the disk or the store has failed or refused the operation, or that the
	// reader given to Put has failed. A retry may succeed.
	ErrUnavailable = errors.New("blobs are unavailable")
	// ErrKey means that the key or prefix does not have the form that the package documents.
	ErrKey = errors.New("not a blob's key")
)

// Info describes a blob.
type Info struct {
	Key     string
	Size    int64     // bytes
	ModTime time.Time // UTC; when it was written, by the store's clock
}

// Bucket holds blobs. It is safe for concurrent use.
type Bucket struct {
	bucket *blob.Bucket
	folder *folder // nil unless the store is a folder
	name   string  // for errors: the URL without its query
}

// Open opens the store of the URL: file:///var/lib/assay/blobs or file://./relative for a folder,
// which is created if it is missing; or s3://bucket?region=eu-central-1, with endpoint=https://…
// and use_path_style=true for stores other than Amazon's. Credentials come from where Amazon's
// tools look for them (AWS_ACCESS_KEY_ID, profiles, roles). Open sends no request to an S3 store;
// Check does.
func Open(ctx context.Context, rawURL string) (*Bucket, error) {
	u, err := url.Parse(rawURL)
	if err != nil {
		return nil, errors.New("open blobs: blobs.url is not a URL")
	}
	name := u.Scheme + "://" + u.Host + u.Path
	switch u.Scheme {
	case "file":
		return openFolder(u, name)
	case "s3":
		opened, err := new(s3blob.URLOpener).OpenBucketURL(ctx, withOptionalChecksums(u))
		if err != nil {
			return nil, fmt.Errorf("open blobs in %s: %w", name, err)
		}
		return &Bucket{bucket: opened, name: name}, nil
	}
	return nil, fmt.Errorf("open blobs in %s: want file:// for a folder or s3:// for a bucket", name)
}

// withOptionalChecksums requests Amazon's newer checksums only if the URL does. Many other stores
// refuse them, or respond without them, which would be logged with each response.
func withOptionalChecksums(u *url.URL) *url.URL {
	query := u.Query()
	for _, name := range []string{"request_checksum_calculation", "response_checksum_validation"} {
		if !query.Has(name) {
			query.Set(name, "when_required")
		}
	}
	asked := *u
	asked.RawQuery = query.Encode()
	return &asked
}

// Close closes the store's connections.
func (b *Bucket) Close() error { return b.bucket.Close() }

// checks is the prefix of the blobs that Check writes.
const checks = "check/"

// Check writes, reads and deletes a blob. If that fails, it returns what an operator has to fix.
func (b *Bucket) Check(ctx context.Context) error {
	key := checks + strings.ToLower(rand.Text())
	if _, err := b.Put(ctx, key, strings.NewReader("assay")); err != nil {
		return err
	}
	if _, err := b.Stat(ctx, key); err != nil {
		return err
	}
	if b.folder != nil {
		b.folder.removeLeftovers(checks)
	}
	return b.Delete(ctx, key)
}

// Put writes a blob from the reader and returns its size. The blob appears, and replaces an earlier
// one, when all bytes are written. On an error, including the reader's, nothing changes.
func (b *Bucket) Put(ctx context.Context, key string, body io.Reader) (int64, error) {
	if err := checkKey(key); err != nil {
		return 0, err
	}
	n, err := b.putBlob(ctx, key, body)
	if err != nil {
		return 0, b.wrapError("put", key, err)
	}
	return n, nil
}

func (b *Bucket) putBlob(ctx context.Context, key string, body io.Reader) (int64, error) {
	ctx, abandon := context.WithCancel(ctx)
	defer abandon()
	var file *os.File // if the store is a folder
	options := &blob.WriterOptions{
		ContentType: "application/octet-stream",
		BeforeWrite: func(as func(any) bool) error {
			if as(&file) {
				return file.Chmod(0o600)
			}
			return nil
		},
	}
	w, err := b.openWriter(ctx, key, options)
	if err != nil {
		return 0, err
	}
	n, err := io.Copy(w, body)
	if err == nil && file != nil {
		err = file.Sync()
	}
	if err != nil {
		abandon() // Close discards what was written under a canceled context
		_ = w.Close()
		return 0, err
	}
	if err := w.Close(); err != nil {
		return 0, err
	}
	if b.folder != nil {
		return n, b.folder.syncPath(key)
	}
	return n, nil
}

// openWriter opens a blob for writing. It retries because an empty folder may be removed just when
// a blob is about to be put there.
func (b *Bucket) openWriter(ctx context.Context, key string, options *blob.WriterOptions) (*blob.Writer, error) {
	for try := 0; ; try++ {
		w, err := b.bucket.NewWriter(ctx, key, options)
		if err == nil || b.folder == nil || gcerrors.Code(err) != gcerrors.NotFound || try == 200 {
			return w, err
		}
	}
}

// Reader reads a blob or a part of it. The caller closes it.
type Reader struct {
	io.ReadCloser
	Info Info // of the whole blob
}

// Open opens length bytes of a blob from an offset on. A negative length means all that follow, and
// a range that begins behind the end is empty or an error. If the store breaks off, reading fails
// rather than ends.
func (b *Bucket) Open(ctx context.Context, key string, offset, length int64) (*Reader, error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	r, err := b.bucket.NewRangeReader(ctx, key, offset, length, nil)
	if err != nil {
		return nil, b.wrapError("open", key, err)
	}
	return &Reader{r, Info{Key: key, Size: r.Size(), ModTime: r.ModTime().UTC()}}, nil
}

// ReadAll returns the bytes of a blob of at most the given size. A larger blob is an error.
func (b *Bucket) ReadAll(ctx context.Context, key string, most int64) ([]byte, error) {
	r, err := b.Open(ctx, key, 0, most+1)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	content, err := io.ReadAll(r)
	if err != nil {
		return nil, b.wrapError("read", key, err)
	}
	if int64(len(content)) > most {
		return nil, fmt.Errorf("read %s in %s: is larger than %d bytes", key, b.name, most)
	}
	return content, nil
}

// Stat describes a blob.
func (b *Bucket) Stat(ctx context.Context, key string) (Info, error) {
	if err := checkKey(key); err != nil {
		return Info{}, err
	}
	a, err := b.bucket.Attributes(ctx, key)
	if err != nil {
		return Info{}, b.wrapError("stat", key, err)
	}
	return Info{Key: key, Size: a.Size, ModTime: a.ModTime.UTC()}, nil
}

// Delete deletes a blob. It is not an error if there is none.
func (b *Bucket) Delete(ctx context.Context, key string) error {
	if err := checkKey(key); err != nil {
		return err
	}
	if err := b.bucket.Delete(ctx, key); err != nil && gcerrors.Code(err) != gcerrors.NotFound {
		return b.wrapError("delete", key, err)
	}
	if b.folder != nil {
		b.folder.pruneEmpty(key)
	}
	return nil
}

// List returns the blobs under a prefix, which ends in a slash, in the order of keys. The prefix ""
// means everything. List ends with the first error.
func (b *Bucket) List(ctx context.Context, prefix string) iter.Seq2[Info, error] {
	return func(yield func(Info, error) bool) {
		if prefix != "" {
			if err := checkPrefix(prefix); err != nil {
				yield(Info{}, err)
				return
			}
		}
		for all := b.bucket.List(&blob.ListOptions{Prefix: prefix}); ; {
			o, err := all.Next(ctx)
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				yield(Info{}, b.wrapError("list", prefix, err))
				return
			}
			if b.folder != nil && strings.HasSuffix(o.Key, tempSuffix) {
				continue
			}
			if !yield(Info{Key: o.Key, Size: o.Size, ModTime: o.ModTime.UTC()}, nil) {
				return
			}
		}
	}
}

// ListFolders returns the names that follow a prefix, which ends in a slash, in keys that go on with
// another slash. They include those under which only the leftovers of writers that died are.
func (b *Bucket) ListFolders(ctx context.Context, prefix string) (names []string, err error) {
	if err := checkPrefix(prefix); err != nil {
		return nil, err
	}
	for all := b.bucket.List(&blob.ListOptions{Prefix: prefix, Delimiter: "/"}); ; {
		o, err := all.Next(ctx)
		if errors.Is(err, io.EOF) {
			return names, nil
		}
		if err != nil {
			return nil, b.wrapError("list", prefix, err)
		}
		if o.IsDir {
			names = append(names, strings.TrimSuffix(strings.TrimPrefix(o.Key, prefix), "/"))
		}
	}
}

// DeletePrefix removes everything under a prefix, which ends in a slash, including the leftovers of
// writers that died. When it returns nil, nothing that was there before the call is there any more,
// except in S3 the parts of multipart uploads whose writer died, which the bucket's lifecycle rule removes.
func (b *Bucket) DeletePrefix(ctx context.Context, prefix string) error {
	if err := checkPrefix(prefix); err != nil {
		return err
	}
	if b.folder != nil {
		if err := b.folder.removeAll(prefix); err != nil {
			return b.wrapError("delete", prefix, err)
		}
		return nil
	}
	for o, err := range b.List(ctx, prefix) {
		if err != nil {
			return err
		}
		if err := b.Delete(ctx, o.Key); err != nil {
			return err
		}
	}
	return nil
}

// DeleteExcept removes what is under a prefix, which ends in a slash, except the blobs with some keys.
// That includes the leftovers of writers that died, as for DeletePrefix. Nothing may be written there.
func (b *Bucket) DeleteExcept(ctx context.Context, prefix string, kept []string) error {
	if err := checkPrefix(prefix); err != nil {
		return err
	}
	for all := b.bucket.List(&blob.ListOptions{Prefix: prefix}); ; {
		o, err := all.Next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return b.wrapError("list", prefix, err)
		}
		if slices.Contains(kept, o.Key) {
			continue
		}
		if err := b.bucket.Delete(ctx, o.Key); err != nil && gcerrors.Code(err) != gcerrors.NotFound {
			return b.wrapError("delete", o.Key, err)
		}
	}
}

// wrapError adds the attempted operation to an error, and returns the errors that callers branch
// on.
func (b *Bucket) wrapError(what, key string, err error) error {
	switch {
	case gcerrors.Code(err) == gcerrors.NotFound && what != "put" && !isBucketMissing(err):
		return fmt.Errorf("%s %s: %w", what, key, ErrNotFound)
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return fmt.Errorf("%s %s in %s: %w", what, key, b.name, ErrFull)
	}
	return fmt.Errorf("%s %s in %s: %w: %w", what, key, b.name, ErrUnavailable, err)
}

// isBucketMissing reports whether the bucket itself is missing. That says nothing about its blobs,
// because its name may be wrong, or the bucket may come back.
func isBucketMissing(err error) bool {
	s3, ok := errors.AsType[interface {
		error
		ErrorCode() string
	}](err)
	return ok && s3.ErrorCode() == "NoSuchBucket"
}
