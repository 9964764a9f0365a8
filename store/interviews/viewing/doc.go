// Package viewing is for whoever watches an interview: share links, playback, captions, and the
// record of who has watched.
package viewing
