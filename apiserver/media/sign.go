package media

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
)

// Path is the prefix of all addresses.
const Path = "/media/v1/"

// purpose distinguishes these signatures from others made with the same keys.
const purpose = "addresses of recordings"

// Errors of an address.
var (
	// errSignature means that the address was not made by this installation.
	errSignature = errors.New("address of a recording is not signed by us")
	// errExpired means that the address was valid but has expired.
	errExpired = errors.New("address of a recording has expired")
)

// Grant is what an address permits.
type Grant struct {
	Interview uuid.UUID
	Version   int
	// Share is the link whose page plays the recording: the address ends with it. It is zero if the
	// organization's people and keys play.
	Share   uuid.UUID
	Expires time.Time // to the second
}

// ofPeople stands for an address without a link.
const ofPeople = "play"

// formatScope says who may play, in an address.
func (g Grant) formatScope() string {
	if g.Share == uuid.Nil {
		return ofPeople
	}
	return g.Share.String()
}

// Keys signs and verifies. *store.DB is one.
type Keys interface {
	// SignFor also returns the id of the signing key.
	SignFor(purpose string, message []byte) (id string, mac []byte, err error)
	// VerifyFor compares in constant time, with the key that has the id, if it is still in the
	// keyring.
	VerifyFor(purpose, id string, message, mac []byte) bool
}

// Sign returns the path of a grant. It ends in a slash, which file names are appended to.
func Sign(keys Keys, g Grant) (string, error) {
	id, mac, err := keys.SignFor(purpose, g.signedMessage())
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s%s/%d/%d.%s.%s.%s/", Path, g.Interview, g.Version, g.Expires.Unix(), g.formatScope(), id, base64.RawURLEncoding.EncodeToString(mac)), nil
}

// signedMessage returns what is signed.
func (g Grant) signedMessage() []byte {
	return fmt.Appendf(nil, "GET|%s|%d|%d|%s", g.Interview, g.Version, g.Expires.Unix(), g.formatScope())
}

// Verify parses an address, which must be written exactly as Sign writes it. It returns
// errSignature or errExpired.
func Verify(keys Keys, interview, version, permit string, now time.Time) (Grant, error) {
	g, id, mac, err := parseGrant(interview, version, permit)
	if err != nil || !keys.VerifyFor(purpose, id, g.signedMessage(), mac) {
		return Grant{}, errSignature
	}
	if !now.Before(g.Expires) {
		return Grant{}, errExpired
	}
	return g, nil
}

func parseGrant(interview, version, permit string) (g Grant, id string, mac []byte, err error) {
	parts := strings.Split(permit, ".")
	if len(parts) != 4 || len(permit) > 200 || len(interview) != 36 || len(version) > 9 {
		return g, "", nil, errSignature
	}
	n, err1 := strconv.ParseInt(parts[0], 10, 64)
	v, err2 := strconv.Atoi(version)
	g.Interview, err = uuid.Parse(interview)
	mac, err3 := base64.RawURLEncoding.Strict().DecodeString(parts[3])
	var err4 error
	if parts[1] != ofPeople {
		g.Share, err4 = uuid.Parse(parts[1])
	}
	if err = errors.Join(err, err1, err2, err3, err4); err != nil {
		return g, "", nil, err
	}
	g.Version, g.Expires = v, time.Unix(n, 0).UTC()
	// 7 must not be written as 007, nor a UUID in capitals.
	if strconv.Itoa(v) != version || strconv.FormatInt(n, 10) != parts[0] || g.Interview.String() != interview || g.formatScope() != parts[1] {
		return g, "", nil, errSignature
	}
	return g, parts[2], mac, nil
}
