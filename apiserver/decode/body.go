package decode

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/assayhq/assay/apiserver/problem"
)

// maxDepth bounds the nesting of a body; no route needs more than four levels.
const maxDepth = 32

// Body reads a request's body, which must be one JSON object. It returns a 415 problem for
// another media type, 413 for a body over the limit, 408 for one that does not arrive within the
// server's time limit, 400 for text that is not JSON (which includes duplicate members, invalid
// UTF-8 and lone surrogates) and 422 for a value other than an object. Faults of the members are
// noted on the object.
func Body(r *http.Request) (*Object, error) {
	if err := checkMediaType(r); err != nil {
		return nil, err
	}
	text, err := readBody(r)
	if err != nil {
		return nil, err
	}
	return parseObject(text)
}

// BodyOf reads a request's whole body with one of the functions that read bodies.
func BodyOf[T any](r *http.Request, read func(*Object) T) (v T, err error) {
	o, err := Body(r)
	if err != nil {
		return v, err
	}
	v = read(o)
	return v, o.Finish()
}

// OptionalBodyOf is like BodyOf for a request that may omit the body.
func OptionalBodyOf[T any](r *http.Request, read func(*Object) T) (v T, err error) {
	o, err := optionalBody(r)
	if err != nil {
		return v, err
	}
	v = read(o)
	return v, o.Finish()
}

// NoBody reads the body of a request that needs none: it may be absent, empty or an empty object.
// Its problems are those of Body, and 422 if there are members.
func NoBody(r *http.Request) error {
	text, err := readBody(r)
	if err != nil || len(bytes.TrimSpace(text)) == 0 {
		return err
	}
	if err := checkMediaType(r); err != nil {
		return err
	}
	object, err := parseObject(text)
	if err != nil {
		return err
	}
	return object.Finish()
}

// optionalBody is like Body for a request that may omit the body: an absent or empty body is an
// object without members.
func optionalBody(r *http.Request) (*Object, error) {
	text, err := readBody(r)
	if err != nil {
		return nil, err
	}
	if len(bytes.TrimSpace(text)) == 0 {
		return parseObject([]byte("{}"))
	}
	if err := checkMediaType(r); err != nil {
		return nil, err
	}
	return parseObject(text)
}

func parseObject(text []byte) (*Object, error) {
	if err := checkText(text); err != nil {
		return nil, err
	}
	faults := new(Faults)
	object := newObject(problem.Pointer{}, faults, jsontext.Value(text))
	if object == nil {
		faults.At(problem.Pointer{}, problem.WrongType, "The body must be an object.")
		return nil, faults.Err()
	}
	return object, nil
}

func readBody(r *http.Request) ([]byte, error) {
	if r.Body == nil {
		return nil, nil
	}
	text, err := io.ReadAll(r.Body)
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return nil, problem.New(problem.PayloadTooLarge, "")
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		// The rest may still arrive, so the connection cannot be reused.
		late := &problem.Problem{Code: problem.RequestTimeout, Cause: err}
		return nil, late.With("Connection", "close")
	}
	if err != nil {
		return nil, &problem.Problem{Code: problem.InvalidJSON, Detail: "The body could not be read completely.", Cause: err}
	}
	return text, nil
}

// checkMediaType refuses everything but JSON in UTF-8 without a content coding.
func checkMediaType(r *http.Request) error {
	refused := problem.New(problem.UnsupportedMediaType, "").With("Accept", "application/json")
	if coding := r.Header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return refused
	}
	types := r.Header.Values("Content-Type")
	if len(types) != 1 { // if there are several, a proxy may use another one
		return refused
	}
	media, params, err := mime.ParseMediaType(types[0])
	if err != nil || media != "application/json" {
		return refused
	}
	if charset, given := params["charset"]; given && !strings.EqualFold(charset, "utf-8") {
		return refused
	}
	return nil
}

// checkText reads all tokens of a JSON text, which checks its grammar, encoding and depth.
func checkText(text []byte) error {
	if len(bytes.TrimSpace(text)) == 0 {
		return problem.New(problem.InvalidJSON, "The body is empty.")
	}
	// Editors on Windows write marks that nobody sees.
	for _, mark := range []string{"\ufeff", "\xff\xfe", "\xfe\xff"} { // UTF-8, UTF-16
		if bytes.HasPrefix(text, []byte(mark)) {
			return problem.New(problem.InvalidJSON, "The body begins with a byte order mark. Send it in UTF-8 without one.")
		}
	}
	decoder := jsontext.NewDecoder(bytes.NewReader(text))
	for {
		_, err := decoder.ReadToken()
		switch {
		case err != nil:
			return invalidJSON(err)
		case decoder.StackDepth() > maxDepth:
			return problem.New(problem.InvalidJSON, fmt.Sprintf("The body is nested more than %d levels deep.", maxDepth))
		case decoder.StackDepth() == 0:
			return checkEnd(decoder)
		}
	}
}

// checkEnd reports anything after the single value that a body may hold.
func checkEnd(decoder *jsontext.Decoder) error {
	offset := decoder.InputOffset()
	if _, err := decoder.ReadToken(); !errors.Is(err, io.EOF) {
		return problem.New(problem.InvalidJSON, fmt.Sprintf("The body has more text after its JSON value, at byte %d.", offset))
	}
	return nil
}

func invalidJSON(err error) error {
	p := &problem.Problem{Code: problem.InvalidJSON, Detail: "The body ends before its JSON value does."}
	syntactic, ok := errors.AsType[*jsontext.SyntacticError](err)
	if !ok || errors.Is(err, io.ErrUnexpectedEOF) {
		return p
	}
	p.Detail = fmt.Sprintf("The body is not valid JSON at byte %d.", syntactic.ByteOffset)
	if errors.Is(err, jsontext.ErrDuplicateName) {
		p.Detail = fmt.Sprintf("The body has an object with two fields of the same name, at byte %d.", syntactic.ByteOffset)
	}
	return p
}
