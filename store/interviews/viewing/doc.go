// Package viewing serves those who watch an interview: share links, playback, captions, and the
// record of who has watched.
package viewing
