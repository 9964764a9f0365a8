// Package media serves recordings at addresses that carry their own permission.
//
// An address names an interview, the version of its media, when it expires, what
// it was made for, and a signature of all that. Players add the names of the
// playlist's files to it, so that one signature opens a whole recording and
// nothing else. Each request also looks at the interview's row: what is deleted,
// purged, made anew or no longer shared is cut off at once, whatever the address
// says.
package media
