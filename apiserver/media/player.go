package media

import (
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/apiserver/problem"
)

// Captions is the name of the file of captions beside a playlist.
const Captions = "subtitles.vtt"

// HLS is the media type of playlists.
const HLS = "application/vnd.apple.mpegurl"

// Player makes the addresses that recordings are played under.
type Player struct {
	Keys   Keys
	Origin string // of the server that Handler serves at
}

// Base is what the addresses of a version's files begin with, the playlist's
// among them, until expires, which counts to the second. A problem
// service_unavailable when there is no key to sign with.
func (p *Player) Base(interview uuid.UUID, version int, scope Scope, expires time.Time) (string, error) {
	path, err := Sign(p.Keys, Grant{Interview: interview, Version: version, Scope: scope, Expires: expires})
	if err != nil {
		return "", problem.Unavailable("This server has no key to sign addresses with.", retrySigning, err)
	}
	return strings.TrimRight(p.Origin, "/") + path, nil
}

// retrySigning is what callers are asked to wait until somebody has mended it.
const retrySigning = time.Minute
