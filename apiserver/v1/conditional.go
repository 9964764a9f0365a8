package v1

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strings"

	"github.com/google/uuid"

	"github.com/assayhq/assay/apiserver/coding"
	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/problem"
)

// Headers of conditional requests (RFC 9110, 13).
const (
	headerETag        = "ETag"
	headerIfMatch     = "If-Match"
	headerIfNoneMatch = "If-None-Match"
)

// tagBytes of a hash tell the representations of one object apart.
const tagBytes = 16

// entityTag returns the strong entity tag of a representation: a hash of its
// text, so that it changes exactly when the text does, on every process alike.
func entityTag(body []byte) string {
	sum := sha256.Sum256(body)
	return sumTag(sum[:])
}

// sumTag is the tag of a text with the SHA-256.
func sumTag(sum []byte) string {
	return `"` + base64.RawURLEncoding.EncodeToString(sum[:tagBytes]) + `"`
}

// stated is a representation of which a part is no concern of changes: what
// happens to the object by its use.
type stated interface {
	// state returns the representation without that part.
	state() any
}

// representation is an object as it is answered.
type representation struct {
	body []byte // nil: it is not held whole, and not compressed
	tag  string
	// state is how the tags begin of all representations that a change takes for
	// the same; empty: only this one.
	state string
}

// encodeItem encodes an object. The tag of one that is stated has two parts, of
// which If-Match compares the first: it lets a change pass although the object
// was used since it was read, and a GET shows that all the same.
func encodeItem(v any) (representation, error) {
	body, err := encodeJSON(v)
	if err != nil {
		return representation{}, err
	}
	p := representation{body: body, tag: entityTag(body)}
	if s, ok := v.(stated); ok {
		state, err := encodeJSON(s.state())
		if err != nil {
			return representation{}, err
		}
		p.state = strings.TrimSuffix(entityTag(state), `"`) + "."
		p.tag = p.state + strings.TrimPrefix(p.tag, `"`)
	}
	return p, nil
}

// conditions is what a request asks of the representation that is there; nil
// is nothing. If-Modified-Since and If-Unmodified-Since are ignored, as they
// must be where no representation has a date (RFC 9110, 13.1.3 and 13.1.4).
type conditions struct {
	match     *decode.Tags
	noneMatch *decode.Tags
}

// readConditions reads If-Match and If-None-Match. A header that cannot be
// understood is a 400 problem: to serve the request all the same might do what
// its sender wanted to prevent.
func readConditions(r *http.Request) (conditions, error) {
	faults := new(decode.Faults)
	c := conditionsOf(faults, r.Header)
	return c, faults.HeaderErr()
}

func conditionsOf(faults *decode.Faults, h http.Header) conditions {
	return conditions{faults.EntityTags(h, headerIfMatch), faults.EntityTags(h, headerIfNoneMatch)}
}

// passesIfMatch reports whether If-Match lets the request pass.
func (c conditions) passesIfMatch(p representation) bool {
	return c.match == nil || c.match.Strong(p.tag) || c.match.Strong(coding.Tag(p.tag)) || p.state != "" && c.match.StrongPart(p.state)
}

// passesIfNoneMatch reports whether If-None-Match lets the request pass: the
// client does not have the representation.
func (c conditions) passesIfNoneMatch(tag string) bool {
	return c.noneMatch == nil || !c.noneMatch.Weak(tag)
}

// answerItem answers a GET of one object with its representation and the tag
// of that, or with 304 when the client has it already.
func answerItem(w http.ResponseWriter, r *http.Request, v any) error {
	p, err := encodeItem(v)
	if err != nil {
		return err
	}
	return answerRepresentation(w, r, p)
}

// answerRepresentation is answerItem for what is encoded already.
func answerRepresentation(w http.ResponseWriter, r *http.Request, p representation) error {
	return answerTagged(w, r, p, func() error {
		writeBody(w, http.StatusOK, mediaJSON, p.body)
		return nil
	})
}

// answerTagged has a representation sent, unless the client has it already or
// wants another.
func answerTagged(w http.ResponseWriter, r *http.Request, p representation, send func() error) error {
	c, err := readConditions(r)
	if err != nil {
		return err
	}
	if !c.passesIfMatch(p) {
		return problem.New(problem.PreconditionFailed, "")
	}
	tag := p.tagFor(w)
	w.Header().Set(headerETag, tag)
	if !c.passesIfNoneMatch(tag) {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	return send()
}

// ifMatch returns what a change has to ask of the object as it is, which
// render turns into its representation: nil for nothing, otherwise a function
// that returns a 412 problem when the representation is not the one that the
// request is meant for. The store calls it when nobody else can change the
// object any more; a change that takes long calls it beforehand as well. The
// error is a 400 problem for a header that cannot be understood.
func ifMatch[T, Body any](r *http.Request, render func(T) Body) (func(T) error, error) {
	c, err := readConditions(r)
	if err != nil || c == (conditions{}) {
		return nil, err
	}
	return func(object T) error {
		p, err := encodeItem(render(object))
		if err != nil {
			return err
		}
		if !c.passesIfMatch(p) || !c.passesIfNoneMatch(p.tag) || !c.passesIfNoneMatch(coding.Tag(p.tag)) {
			return problem.New(problem.PreconditionFailed, "")
		}
		return nil
	}, nil
}

// objectIfMatch reads the path of a change of an object, and ifMatch's condition
// of it.
func objectIfMatch[T, Body any](r *http.Request, render func(T) Body) (id uuid.UUID, condition func(T) error, err error) {
	if id, err = objectID(r); err != nil {
		return id, nil, err
	}
	condition, err = ifMatch(r, render)
	return id, condition, err
}
