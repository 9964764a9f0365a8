package response

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strings"

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

// tagBytes bytes of a hash distinguish the representations of an object.
const tagBytes = 16

// EntityTag returns the strong entity tag of a representation: a hash of its text, so that it
// changes exactly if the text does, and is the same in every process.
func EntityTag(body []byte) string {
	sum := sha256.Sum256(body)
	return SumTag(sum[:])
}

// SumTag returns the tag of a text with the SHA-256.
func SumTag(sum []byte) string {
	return `"` + base64.RawURLEncoding.EncodeToString(sum[:tagBytes]) + `"`
}

// stated is a representation with a part that does not matter for changes, because it only
// reflects the use of the object.
type stated interface {
	// State returns the representation without that part.
	State() any
}

// Representation is an object in the form of a response.
type Representation struct {
	Body []byte // nil if it is not held completely in memory, and then it is not compressed
	Tag  string
	// state is the common prefix of the tags of all representations that a change treats as
	// equal. If it is empty, only this representation matches.
	state string
}

// encodeItem encodes an object. The tag of a stated object has two parts, and If-Match compares
// only the first: a change succeeds even if the object was used since it was read, while a GET
// still shows the use.
func encodeItem(v any) (Representation, error) {
	body, err := EncodeJSON(v)
	if err != nil {
		return Representation{}, err
	}
	p := Representation{Body: body, Tag: EntityTag(body)}
	if s, ok := v.(stated); ok {
		state, err := EncodeJSON(s.State())
		if err != nil {
			return Representation{}, err
		}
		p.state = strings.TrimSuffix(EntityTag(state), `"`) + "."
		p.Tag = p.state + strings.TrimPrefix(p.Tag, `"`)
	}
	return p, nil
}

// conditions holds the conditions that a request sets on the current representation. nil means
// none. If-Modified-Since and If-Unmodified-Since are ignored, as required if representations
// have no date (RFC 9110, 13.1.3 and 13.1.4).
type conditions struct {
	match     *decode.Tags
	noneMatch *decode.Tags
}

// readConditions reads If-Match and If-None-Match. A malformed header is a 400 problem, because
// serving the request anyway might do what its sender wanted to prevent.
func readConditions(r *http.Request) (conditions, error) {
	faults := new(decode.Faults)
	c := conditionsOf(faults, r.Header)
	return c, faults.HeaderErr()
}

// NoteConditions notes what is wrong with the conditions of a request.
func NoteConditions(faults *decode.Faults, h http.Header) { conditionsOf(faults, h) }

func conditionsOf(faults *decode.Faults, h http.Header) conditions {
	return conditions{faults.EntityTags(h, headerIfMatch), faults.EntityTags(h, headerIfNoneMatch)}
}

// passesIfMatch reports whether the request satisfies If-Match.
func (c conditions) passesIfMatch(p Representation) bool {
	return c.match == nil || c.match.Strong(p.Tag) || c.match.Strong(coding.Tag(p.Tag)) || p.state != "" && c.match.StrongPart(p.state)
}

// passesIfNoneMatch reports whether the request satisfies If-None-Match: the client does not have
// the representation.
func (c conditions) passesIfNoneMatch(tag string) bool {
	return c.noneMatch == nil || !c.noneMatch.Weak(tag)
}

// AnswerItem answers a GET of one object with its representation and tag, or with 304 if the
// client already has it.
func AnswerItem(w http.ResponseWriter, r *http.Request, v any) error {
	p, err := encodeItem(v)
	if err != nil {
		return err
	}
	return AnswerRepresentation(w, r, p)
}

// AnswerRepresentation is like AnswerItem for an encoded object.
func AnswerRepresentation(w http.ResponseWriter, r *http.Request, p Representation) error {
	return AnswerTagged(w, r, p, func() error {
		WriteBody(w, http.StatusOK, MediaJSON, p.Body)
		return nil
	})
}

// AnswerTagged sends a representation, unless the client already has it or requires another one.
func AnswerTagged(w http.ResponseWriter, r *http.Request, p Representation, send func() error) error {
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

// IfMatch returns a function that checks the condition of a change against the current object,
// which render converts to its representation. It returns nil if there is no condition. The
// function returns a 412 problem if the representation is not the one that the request is meant
// for. The store calls it when nobody else can change the object any more. A change that takes
// long also calls it beforehand. The error is a 400 problem for a malformed header.
func IfMatch[T, Body any](r *http.Request, render func(T) Body) (func(T) error, error) {
	c, err := readConditions(r)
	if err != nil || c == (conditions{}) {
		return nil, err
	}
	return func(object T) error {
		p, err := encodeItem(render(object))
		if err != nil {
			return err
		}
		if !c.passesIfMatch(p) || !c.passesIfNoneMatch(p.Tag) || !c.passesIfNoneMatch(coding.Tag(p.Tag)) {
			return problem.New(problem.PreconditionFailed, "")
		}
		return nil
	}, nil
}
