// Package media serves recordings at addresses that carry their own permission.
//
// An address contains an interview, the version of its media, an expiry time, its scope, and a
// signature of these. Players append the names of the playlist's files, so that one signature
// opens a whole recording and nothing else. Each request also reads the interview's row: a
// recording that is deleted, purged, replaced or no longer shared is refused at once, even if the
// address is still valid.
package media
