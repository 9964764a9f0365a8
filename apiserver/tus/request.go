package tus

import (
	"crypto/md5"  //nolint:gosec // one of the protocol's checksums, against faults and not against people
	"crypto/sha1" //nolint:gosec // the checksum that every server of the protocol has
	"crypto/sha256"
	"encoding/base64"
	"hash"
	"net/http"
	"strconv"
	"strings"

	"github.com/assayhq/assay/apiserver/problem"
)

// newChecksum returns a hash of an algorithm that a PATCH may name, or nil for an unknown name.
func newChecksum(name string) hash.Hash {
	switch name {
	case "sha1":
		return sha1.New() //nolint:gosec // see the import
	case "sha256":
		return sha256.New()
	case "md5":
		return md5.New() //nolint:gosec // see the import
	}
	return nil
}

const checksumNames = "sha1,sha256,md5"

// maxMetadata limits the metadata header, in bytes.
const maxMetadata = 4096

func invalidHeader(header, detail string) error {
	return &problem.Problem{Code: problem.InvalidHeader, Faults: []problem.Fault{{Header: header, Code: problem.InvalidFormat, Detail: detail}}}
}

// checkVersion refuses clients of another protocol version.
func checkVersion(r *http.Request) error {
	if r.Header.Get(headerResumable) == version {
		return nil
	}
	return problem.New(problem.PreconditionFailed, "The header Tus-Resumable must be "+version+".").With(headerVersion, version)
}

// readNumber reads a header with a whole number. It returns nil if the header is absent.
func readNumber(r *http.Request, header string) (*int64, error) {
	text := r.Header.Get(header)
	if text == "" {
		return nil, nil //nolint:nilnil // nil is absent
	}
	n, err := strconv.ParseUint(text, 10, 63)
	if err != nil {
		return nil, invalidHeader(header, "Must be a whole number.")
	}
	length := int64(n)
	return &length, nil
}

// announcedLength reads the length of a new upload, which exactly one of the two headers must
// state.
func announcedLength(r *http.Request) (*int64, error) {
	length, err := readNumber(r, headerLength)
	if err != nil {
		return nil, err
	}
	deferred := r.Header.Get(headerDeferLength)
	switch {
	case deferred != "" && deferred != "1":
		return nil, invalidHeader(headerDeferLength, "Must be 1.")
	case (deferred == "") == (length == nil):
		return nil, invalidHeader(headerLength, "Send either Upload-Length or Upload-Defer-Length.")
	}
	return length, nil
}

// readMetadata reads the client's name-value pairs.
func readMetadata(r *http.Request) (pairs map[string]string, raw string, err error) {
	raw = strings.Join(r.Header.Values(headerMetadata), ",")
	if len(raw) > maxMetadata {
		return nil, "", invalidHeader(headerMetadata, "Is too long.")
	}
	pairs = make(map[string]string)
	if strings.TrimSpace(raw) == "" {
		return pairs, raw, nil
	}
	for pair := range strings.SplitSeq(raw, ",") {
		name, encoded, _ := strings.Cut(strings.TrimSpace(pair), " ")
		value, err := base64.StdEncoding.DecodeString(strings.TrimSpace(encoded))
		if _, taken := pairs[name]; err != nil || name == "" || taken {
			return nil, "", invalidHeader(headerMetadata, "Must be pairs of a name and a base64 value, separated by commas, with each name once.")
		}
		pairs[name] = string(value)
	}
	return pairs, raw, nil
}

// expected is the checksum that a body must have.
type expected struct {
	hash hash.Hash
	sum  []byte
}

// readChecksum reads the checksum of a body. It returns nil if the client sends none.
func readChecksum(r *http.Request) (*expected, error) {
	text := r.Header.Get(headerChecksum)
	if text == "" {
		return nil, nil //nolint:nilnil // nil is absent
	}
	name, encoded, _ := strings.Cut(text, " ")
	made := newChecksum(name)
	sum, err := base64.StdEncoding.DecodeString(encoded)
	if made == nil || err != nil || len(sum) != made.Size() {
		return nil, invalidHeader(headerChecksum, "Must be one of "+checksumNames+" and a base64 sum.")
	}
	return &expected{made, sum}, nil
}
