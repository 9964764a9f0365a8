package media

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/assayhq/assay/internal/interview/media/program"
)

// The format of the presentation: 480p, which shows a face and a screen well enough
// and keeps an interview small, in segments of four seconds, so that jumping is
// quick.
const (
	segmentSeconds = 4
	longSide       = 854 // of 480p
	shortSide      = 480
	playbackRate   = 48000 // samples a second

	playlistName = "index.m3u8"
	posterName   = "poster.jpg"
	initName     = "init.mp4"
	segmentNames = "seg_%05d.m4s"
)

// canvas is the size of the output pictures. It is zero if there are none.
type canvas struct{ width, height int }

// canvasOf is the first picture's size, brought down to 480p.
func canvasOf(all []examined) canvas {
	for i := range all {
		if e := &all[i]; e.video {
			long, short := max(e.width, e.height), min(e.width, e.height)
			scale := min(1, float64(longSide)/float64(long), float64(shortSide)/float64(short))
			return canvas{roundEven(float64(e.width) * scale), roundEven(float64(e.height) * scale)}
		}
	}
	return canvas{}
}

// roundEven returns the nearest even number of pixels, which the encoder wants.
func roundEven(pixels float64) int { return max(2, 2*int(math.Round(pixels/2))) }

// encodePresentation makes one presentation of the answers, in order, in dir.
func (p *Producer) encodePresentation(ctx context.Context, dir, out string, files []string, all []examined) error {
	c := canvasOf(all)
	args := []string{"-hide_banner", "-nostdin", "-y", "-v", "error"}
	var total time.Duration
	for i := range all {
		args = append(args, p.inputArgs(all[i].tracks, files[i])...)
		total += all[i].length
	}
	args = append(args, "-filter_complex", filterGraph(all, c))
	if c.width > 0 {
		args = append(args, "-map", "[v]", "-c:v", "libx264", "-preset", "veryfast", "-profile:v", "main", "-crf", "26", "-maxrate", "900k", "-bufsize", "1800k",
			"-pix_fmt", "yuv420p", "-bf", "0", "-sc_threshold", "0", "-g", fmt.Sprint(segmentSeconds*frameRate), "-force_key_frames", fmt.Sprintf("expr:gte(t,n_forced*%d)", segmentSeconds))
	}
	args = append(args, "-map", "[a]", "-c:a", "aac", "-b:a", "64k", "-map_metadata", "-1", "-fflags", "+bitexact",
		"-f", "hls", "-hls_time", fmt.Sprint(segmentSeconds), "-hls_playlist_type", "vod", "-hls_flags", "independent_segments",
		"-hls_segment_type", "fmp4", "-hls_fmp4_init_filename", initName, "-hls_segment_filename", out+"/"+segmentNames, out+"/"+playlistName)
	return p.Tools.ffmpeg.Run(ctx, dir, program.Limits{Timeout: p.Patience + 4*total}, nil, args...)
}

// filterGraph concatenates the answers. It fills in missing sound or pictures, also
// at an answer's end, so that each answer is exactly as long as it was measured and
// the timeline is their sum.
func filterGraph(all []examined, c canvas) string {
	var b strings.Builder
	for i := range all {
		e := &all[i]
		length := formatSeconds(e.length)
		if c.width > 0 {
			fmt.Fprintf(&b, "%s,trim=duration=%s,setpts=PTS-STARTPTS[v%d];", pictureFilter(i, e, c), length, i)
		}
		if e.audio {
			fmt.Fprintf(&b, "[%d:a:0]aresample=%d:async=1:first_pts=0,aformat=sample_fmts=fltp:channel_layouts=mono,apad", i, playbackRate)
		} else {
			fmt.Fprintf(&b, "anullsrc=channel_layout=mono:sample_rate=%d,aformat=sample_fmts=fltp", playbackRate)
		}
		fmt.Fprintf(&b, ",atrim=duration=%s,asetpts=PTS-STARTPTS[a%d];", length, i)
	}
	for i := range all {
		if c.width > 0 {
			fmt.Fprintf(&b, "[v%d]", i)
		}
		fmt.Fprintf(&b, "[a%d]", i)
	}
	if c.width > 0 {
		fmt.Fprintf(&b, "concat=n=%d:v=1:a=1[v][a]", len(all))
	} else {
		fmt.Fprintf(&b, "concat=n=%d:v=0:a=1[a]", len(all))
	}
	return b.String()
}

// pictureFilter puts an answer's picture in the middle of the canvas, without an
// end, or black for an answer that has no picture. The picture keeps its shape when
// that changes, because a phone is turned.
func pictureFilter(i int, e *examined, c canvas) string {
	if !e.video {
		return fmt.Sprintf("color=black:size=%dx%d:rate=%d,format=yuv420p,setsar=1", c.width, c.height, frameRate)
	}
	fit := fmt.Sprintf("min(%d/iw,%d/ih)", c.width, c.height)
	return fmt.Sprintf("[%d:v:0]scale=w='min(%d,max(2,2*round(iw*%s/2)))':h='min(%d,max(2,2*round(ih*%s/2)))':eval=frame:out_range=tv,setsar=1,"+
		"pad=%d:%d:(ow-iw)/2:(oh-ih)/2:eval=frame,format=yuv420p,fps=%d:start_time=0,tpad=stop=-1:stop_mode=clone",
		i, c.width, fit, c.height, fit, c.width, c.height, frameRate)
}

// makePoster makes a picture of the first answer that has one, of a moment that
// looks like those around it.
func (p *Producer) makePoster(ctx context.Context, dir, out string, files []string, all []examined) (name string, err error) {
	c := canvasOf(all) // that answer's size
	for i := range all {
		e := &all[i]
		if !e.video {
			continue
		}
		args := append([]string{"-hide_banner", "-nostdin", "-y", "-v", "error"}, p.inputArgs(e.tracks, files[i])...)
		args = append(args, "-map", "0:v:0", "-frames:v", "1", "-map_metadata", "-1", "-q:v", "4",
			"-vf", fmt.Sprintf("scale=%d:%d,setsar=1,thumbnail=n=75", c.width, c.height), "-f", "image2", "-update", "1", out+"/"+posterName)
		return posterName, p.Tools.ffmpeg.Run(ctx, dir, program.Limits{Timeout: p.Patience + e.length}, nil, args...)
	}
	return "", nil
}
