// Package media turns the takes of an interview into what is played and heard:
// one HLS presentation over all answers, a poster, a sound file for each answer,
// the place of each answer on the common timeline, and observations on what the
// camera and the microphone gave.
//
// The work is ffmpeg's. Takes come from strangers: their container is told from
// their first bytes and forced on ffmpeg, so that a playlist or a script that is
// uploaded as a recording is no file of a known kind; no protocol but "file" is
// open; and no argument holds anything that a person chose.
package media
