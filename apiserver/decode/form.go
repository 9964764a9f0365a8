package decode

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"os"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/assayhq/assay/apiserver/openapi"
	"github.com/assayhq/assay/apiserver/problem"
)

// Media types of bodies other than JSON.
const (
	MediaForm = "multipart/form-data"
	MediaCSV  = "text/csv"
)

// Limits of a form, in addition to that of the whole body.
const (
	maxFormParts = 20
	maxFormText  = 4 << 10 // bytes of a part that is not a file
)

// File is a file of a form, on disk. It has no name there, so it disappears when the process
// ends, however that happens.
type File struct {
	*os.File
	Name   string // as named by the sender; may be empty
	Size   int64
	SHA256 [sha256.Size]byte

	asked bool // the handler has read it as a file
}

// Form is a body of the type multipart/form-data. Its parts are the members of an Object: texts
// are strings, and files are read with Object.File.
type Form struct {
	*Object
	// Sum identifies what was sent: the parts, but not the boundary between them, which clients
	// choose again for each request.
	Sum [sha256.Size]byte
	sum hash.Hash
}

// Close removes the form's files.
func (f *Form) Close() {
	for _, files := range f.files {
		for _, file := range files {
			_ = file.Close()
		}
	}
}

// ReadForm reads a form completely. Parts with a file name are files, which are written to the
// files that open returns. All others are texts. It returns a 415 problem for another media type,
// 413 file_too_large for a body over the limit, 408 for one that does not arrive in time, 400
// invalid_form for a malformed form, and 503 if the disk is full. The caller closes the form.
func ReadForm(r *http.Request, open func() (*os.File, error)) (*Form, error) {
	media, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || media != MediaForm || params["boundary"] == "" || !isPlain(r.Header) {
		return nil, problem.New(problem.UnsupportedMediaType, "Send the body as multipart/form-data, without Content-Encoding.").With("Accept", MediaForm)
	}
	form := &Form{Object: newObject(problem.Pointer{}, new(Faults), jsontext.Value("{}")), sum: sha256.New()}
	form.files = make(map[string][]*File)
	if err := form.readParts(multipart.NewReader(r.Body, params["boundary"]), open); err != nil {
		form.Close()
		return nil, formProblem(err)
	}
	// Anything after the last boundary is not a part, but it must be read to its end as well.
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		form.Close()
		return nil, formProblem(err)
	}
	form.sum.Sum(form.Sum[:0])
	return form, nil
}

// isPlain reports whether the body has no content coding.
func isPlain(h http.Header) bool {
	coding := h.Get("Content-Encoding")
	return coding == "" || strings.EqualFold(coding, "identity")
}

// diskError is a failure to write request data to disk.
type diskError struct{ error }

// Unwrap returns the cause.
func (e diskError) Unwrap() error { return e.error }

var errFormParts = fmt.Errorf("more than %d parts", maxFormParts)

func (f *Form) readParts(parts *multipart.Reader, open func() (*os.File, error)) error {
	for n := 0; ; n++ {
		part, err := parts.NextRawPart()
		switch {
		case err == io.EOF: //nolint:errorlint // one that is wrapped is an end in the middle
			return nil
		case err != nil:
			return err
		case n == maxFormParts:
			return errFormParts
		}
		if part.FileName() == "" {
			err = f.readText(part)
		} else {
			err = f.readFile(part, open)
		}
		if err != nil {
			return err
		}
	}
}

func (f *Form) readText(part *multipart.Part) error {
	text, err := io.ReadAll(io.LimitReader(part, maxFormText+1))
	if err != nil {
		return err
	}
	name := part.FormName()
	f.addToSum("text", name, string(text))
	if len(text) > maxFormText {
		f.known[name] = true
		f.Fault(name, problem.TooLong, fmt.Sprintf("At most %d bytes.", maxFormText))
		_, err := io.Copy(io.Discard, part)
		return err
	}
	value, err := jsontext.AppendQuote(nil, text)
	if err != nil { // not UTF-8
		f.known[name] = true
		f.Fault(name, problem.InvalidFormat, "Must be UTF-8.")
		return nil //nolint:nilerr // the fault says so
	}
	if _, twice := f.members[name]; twice {
		f.Fault(name, problem.InvalidFormat, "Must be sent once.")
		return nil
	}
	f.names = append(f.names, name)
	f.members[name] = value
	return nil
}

func (f *Form) readFile(part *multipart.Part, open func() (*os.File, error)) error {
	name := part.FormName()
	if len(f.files) > 0 { // the rest need not be written to disk
		if f.files[name] == nil {
			f.names = append(f.names, name)
		}
		f.files[name] = append(f.files[name], &File{Name: part.FileName()})
		_, err := io.Copy(io.Discard, part)
		return err
	}
	to, err := open()
	if err != nil {
		return diskError{err}
	}
	file := &File{File: to, Name: part.FileName()}
	f.names = append(f.names, name)
	f.files[name] = append(f.files[name], file)
	sum := sha256.New()
	file.Size, err = io.Copy(io.MultiWriter(diskWriter{to}, hashWriter{sum}), part)
	sum.Sum(file.SHA256[:0])
	f.addToSum("file", name, file.Name, string(file.SHA256[:]))
	return err
}

// addToSum adds a part to the sum, each text with its length.
func (f *Form) addToSum(texts ...string) {
	for _, text := range texts {
		f.sum.Write(binary.BigEndian.AppendUint64(nil, uint64(len(text))))
		f.sum.Write([]byte(text))
	}
}

// hashWriter hides all methods of a hash except Write.
type hashWriter struct{ hash.Hash }

// diskWriter marks errors of writing to a file.
type diskWriter struct{ file *os.File }

// Write implements io.Writer.
func (w diskWriter) Write(p []byte) (int, error) {
	n, err := w.file.Write(p)
	if err != nil {
		return n, diskError{err}
	}
	return n, nil
}

// formProblem explains why a form could not be read.
func formProblem(err error) error {
	var disk diskError
	if errors.As(err, &disk) {
		return problem.NotStored(err)
	}
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return problem.New(problem.FileTooLarge, "")
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		late := &problem.Problem{Code: problem.RequestTimeout, Cause: err}
		return late.With("Connection", "close")
	}
	p := &problem.Problem{Code: problem.InvalidForm, Cause: err}
	switch {
	case errors.Is(err, errFormParts):
		p.Detail = fmt.Sprintf("The form has more than %d parts.", maxFormParts)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		p.Detail = "The form ends before its last part is complete."
	}
	return p
}

// File returns the file with the name, or nil if there is none. If the member is not exactly one
// file, it notes a fault.
func (o *Object) File(name string) *File {
	if o.describeMember(name, openapi.Binary) {
		o.describeNotNull(name)
		return nil
	}
	o.known[name] = true
	if _, text := o.members[name]; text {
		o.Fault(name, problem.WrongType, "Must be a file, which is a part with a file name.")
		return nil
	}
	switch files := o.files[name]; {
	case len(files) == 0:
		return nil
	case len(files) > 1 || files[0].File == nil:
		o.Fault(name, problem.InvalidFormat, "Send only one file.")
		return nil
	default:
		files[0].asked = true
		return files[0]
	}
}

// noteMisplaced notes faults for files that were requested as texts.
func (o *Object) noteMisplaced() {
	for _, name := range o.names {
		if files := o.files[name]; len(files) == 1 && o.known[name] && !files[0].asked {
			o.Fault(name, problem.WrongType, "Must be text, which is a part without a file name.")
		}
	}
}

// Text reads the whole body as a text in UTF-8 of a media type. Its problems are those of Body,
// except those about JSON.
func Text(r *http.Request, media string) ([]byte, error) {
	given, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	charset, charsetGiven := params["charset"]
	if err != nil || given != media || !isPlain(r.Header) || charsetGiven && !strings.EqualFold(charset, "utf-8") {
		return nil, problem.New(problem.UnsupportedMediaType, "Send the body as "+media+" in UTF-8, without Content-Encoding.").With("Accept", media)
	}
	return readBody(r)
}
