package tus

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/assayhq/assay/apiserver/problem"
)

// Describe answers OPTIONS with the supported features. It does not require a version.
func (h *Handler) Describe(w http.ResponseWriter, _ *http.Request) error {
	header := w.Header()
	header.Set(headerResumable, version)
	header.Set(headerVersion, version)
	header.Set(headerExtension, extensions)
	header.Set(headerAlgorithms, checksumNames)
	header.Set(headerMaxSize, strconv.FormatInt(h.options.MaxSize, 10))
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// Create answers POST: it creates an upload, including its first bytes if there is a body.
func (h *Handler) Create(w http.ResponseWriter, r *http.Request) error {
	if err := beginAnswer(w, r); err != nil {
		return err
	}
	length, err := announcedLength(r)
	if err != nil {
		return err
	}
	if length != nil && *length > h.options.MaxSize {
		return h.tooLarge()
	}
	pairs, raw, err := readMetadata(r)
	if err != nil {
		return err
	}
	if r.ContentLength > 0 && r.Header.Get("Content-Type") != MediaType {
		return problem.New(problem.UnsupportedMediaType, "Send bytes as "+MediaType+".")
	}
	upload, err := h.uploads.Create(r.Context(), length, pairs, raw)
	if err != nil {
		return h.problemFor(err)
	}
	w.Header().Set("Location", h.location(upload.ID))
	if r.ContentLength != 0 && r.Header.Get("Content-Type") == MediaType {
		// The upload exists even if its bytes fail: the client asks how many were received.
		if appended, err := h.receiveBody(r, upload, nil); err == nil {
			upload = appended
		}
	}
	w.Header().Set(headerOffset, strconv.FormatInt(upload.Offset, 10))
	setExpiry(w, upload)
	w.WriteHeader(http.StatusCreated)
	return nil
}

// Head answers HEAD with the upload's offset.
func (h *Handler) Head(w http.ResponseWriter, r *http.Request, id string) error {
	if err := beginAnswer(w, r); err != nil {
		return err
	}
	upload, err := h.uploads.Find(r.Context(), id)
	if err != nil {
		return h.problemFor(err)
	}
	header := w.Header()
	header.Set(headerOffset, strconv.FormatInt(upload.Offset, 10))
	if upload.Length != nil {
		header.Set(headerLength, strconv.FormatInt(*upload.Length, 10))
	} else {
		header.Set(headerDeferLength, "1")
	}
	if upload.Metadata != "" {
		header.Set(headerMetadata, upload.Metadata)
	}
	setExpiry(w, upload)
	w.WriteHeader(http.StatusOK)
	return nil
}

// Patch answers PATCH: it adds bytes to an upload. If the body breaks off, the received part is
// kept, unless the client sent a checksum of the whole.
func (h *Handler) Patch(w http.ResponseWriter, r *http.Request, id string) error {
	if err := beginAnswer(w, r); err != nil {
		return err
	}
	if r.Header.Get("Content-Type") != MediaType {
		return problem.New(problem.UnsupportedMediaType, "Send bytes as "+MediaType+".")
	}
	offset, err := readNumber(r, headerOffset)
	if err != nil {
		return err
	}
	if offset == nil {
		return invalidHeader(headerOffset, "Is required.")
	}
	length, err := readNumber(r, headerLength)
	if err != nil {
		return err
	}
	upload, err := h.uploads.Find(r.Context(), id)
	if err != nil {
		return h.problemFor(err)
	}
	if upload.Offset != *offset {
		return h.problemFor(ErrOffset)
	}
	if length != nil && *length > h.options.MaxSize {
		return h.tooLarge()
	}
	upload, err = h.receiveBody(r, upload, length)
	if err != nil {
		return h.problemFor(err)
	}
	w.Header().Set(headerOffset, strconv.FormatInt(upload.Offset, 10))
	setExpiry(w, upload)
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// Delete answers DELETE: the upload is no longer wanted.
func (h *Handler) Delete(w http.ResponseWriter, r *http.Request, id string) error {
	if err := beginAnswer(w, r); err != nil {
		return err
	}
	if err := h.uploads.Delete(r.Context(), id); err != nil {
		return h.problemFor(err)
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func beginAnswer(w http.ResponseWriter, r *http.Request) error {
	w.Header().Set(headerResumable, version)
	return checkVersion(r)
}

func setExpiry(w http.ResponseWriter, upload Upload) {
	if !upload.Expires.IsZero() && !upload.isComplete() {
		w.Header().Set(headerExpires, upload.Expires.UTC().Format(http.TimeFormat))
	}
}

// lateLimit limits how long saving the data of a broken request may take.
const lateLimit = 10 * time.Second

// receiveBody stores the request's body in parts, each of which is noted as soon as it is
// complete. With a checksum there is one part, which is noted if the sum is right, so that the body
// cannot be larger than a part.
func (h *Handler) receiveBody(r *http.Request, upload Upload, length *int64) (Upload, error) {
	wanted, err := readChecksum(r)
	if err != nil {
		return upload, err
	}
	room := h.options.MaxSize
	if known := cmp.Or(length, upload.Length); known != nil {
		room = min(room, *known)
	}
	room -= upload.Offset
	if wanted != nil {
		room = min(room, h.options.PartSize)
	}
	if length != nil && *length < upload.Offset {
		return upload, ErrLength
	}
	if r.ContentLength > room {
		return upload, ErrTooLarge
	}
	// Received bytes are kept even if the client has gone since.
	ctx, cancel := detachContext(r.Context())
	defer cancel()
	body := &source{reader: r.Body, room: room}
	if wanted != nil {
		return h.receiveWhole(ctx, upload, length, body, wanted)
	}
	for {
		limited := &io.LimitedReader{R: body, N: h.options.PartSize}
		part, n, err := h.writePart(ctx, upload, limited)
		if err != nil {
			return upload, err
		}
		over := limited.N > 0 || body.err != nil // the body has ended, or nothing more may be stored
		final := length
		if !over {
			final = nil // the length is noted with the last part
		}
		if n > 0 || final != nil {
			next, err := h.uploads.Note(ctx, upload.ID, upload.Offset, part, n, final)
			if err != nil {
				h.dropRefused(ctx, upload, part, err)
				return upload, err
			}
			upload = next
		}
		if over {
			return upload, body.readFailure()
		}
	}
}

func (h *Handler) receiveWhole(ctx context.Context, upload Upload, length *int64, body *source, wanted *expected) (Upload, error) {
	part, n, err := h.writePart(ctx, upload, io.TeeReader(body, wanted.hash))
	if err != nil {
		return upload, err
	}
	failure := body.readFailure()
	if failure == nil && !bytes.Equal(wanted.hash.Sum(nil), wanted.sum) {
		failure = problem.New(problem.ChecksumMismatch, "")
	}
	if failure != nil {
		_ = h.uploads.Drop(ctx, upload.ID, part)
		return upload, failure
	}
	next, err := h.uploads.Note(ctx, upload.ID, upload.Offset, part, n, length)
	if err != nil {
		h.dropRefused(ctx, upload, part, err)
		return upload, err
	}
	return next, nil
}

// dropRefused deletes a part, unless the upload may have it despite the error.
func (h *Handler) dropRefused(ctx context.Context, upload Upload, part string, err error) {
	if errors.Is(err, ErrRefused) {
		_ = h.uploads.Drop(ctx, upload.ID, part)
	}
}

// writePart stores the reader's bytes as a part with a new name. It stores nothing if there are
// no bytes.
func (h *Handler) writePart(ctx context.Context, upload Upload, body io.Reader) (part string, n int64, err error) {
	first := make([]byte, 1)
	if _, err := io.ReadFull(body, first); err != nil {
		return "", 0, nil //nolint:nilerr // the source keeps the error; the end is none
	}
	part = rand.Text()
	n, err = h.uploads.Write(ctx, upload.ID, part, io.MultiReader(bytes.NewReader(first), body))
	return part, n, err
}

// detachContext returns a context that outlives the request by lateLimit, so that bytes from a
// broken connection can still be stored.
func detachContext(ctx context.Context) (context.Context, context.CancelFunc) {
	detached, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(lateLimit, cancel) })
	return detached, func() {
		stop()
		cancel()
	}
}

// source presents a body that ends with an error as one that ends normally, so that the bytes
// before the error can be stored. readFailure returns the error afterwards.
type source struct {
	reader io.Reader
	room   int64 // bytes that may still arrive
	err    error
}

// Read implements io.Reader. The only error that it returns is io.EOF.
func (s *source) Read(p []byte) (int, error) {
	if s.err != nil {
		return 0, io.EOF
	}
	if s.room <= 0 {
		return s.readBeyond()
	}
	n, err := s.reader.Read(p[:min(int64(len(p)), s.room)])
	s.room -= int64(n)
	if err != nil {
		s.err = err
		if n > 0 {
			return n, nil
		}
		return 0, io.EOF
	}
	return n, nil
}

// readBeyond is called when the limit is reached: a body that continues is too large.
func (s *source) readBeyond() (int, error) {
	n, err := io.ReadFull(s.reader, make([]byte, 1))
	s.err = cmp.Or(err, io.EOF)
	if n > 0 {
		s.err = ErrTooLarge
	}
	return 0, io.EOF
}

// readFailure returns why the body ended early, or nil if it did not. If the client was too slow or
// has gone, the rest may still arrive, so the connection cannot be reused.
func (s *source) readFailure() error {
	_, limited := errors.AsType[*http.MaxBytesError](s.err)
	switch {
	case s.err == nil, errors.Is(s.err, io.EOF) && !errors.Is(s.err, io.ErrUnexpectedEOF):
		return nil
	case limited, errors.Is(s.err, ErrTooLarge):
		return s.err
	}
	late := &problem.Problem{Code: problem.RequestTimeout, Detail: "The bytes did not arrive completely. Read the offset with HEAD, and continue from there.", Cause: s.err}
	return late.With("Connection", "close")
}

func (h *Handler) tooLarge() error {
	return problem.New(problem.PayloadTooLarge, "An upload can have at most "+strconv.FormatInt(h.options.MaxSize, 10)+" bytes.")
}

// problemFor converts errors of Uploads to problems.
func (h *Handler) problemFor(err error) error {
	switch {
	case errors.Is(err, ErrOffset):
		return problem.New(problem.Conflict, "The upload is at a different offset. Read it with HEAD, and continue from there.")
	case errors.Is(err, ErrLength):
		return invalidHeader(headerLength, "Differs from the length given before, or is less than the bytes that have arrived.")
	case errors.Is(err, ErrTooLarge):
		return problem.New(problem.PayloadTooLarge, fmt.Sprintf("The body has more bytes than the upload has room for. An upload can have its length and at most %d bytes, a body with a checksum at most %d.",
			h.options.MaxSize, h.options.PartSize))
	}
	return err
}
