// Package media turns the takes of an interview into what is played and heard:
// one HLS presentation over all answers, a poster, a sound file for each answer,
// the place of each answer on the common timeline, and observations on what the
// camera and the microphone gave.
//
// ffmpeg does the work. Takes come from strangers, so ffmpeg is told which
// container to expect, by the first bytes of the take: a playlist or a script that
// is uploaded as a recording is then not a file of a known kind. ffmpeg may use no
// protocol but "file", and none of its arguments is chosen by a person.
package media
