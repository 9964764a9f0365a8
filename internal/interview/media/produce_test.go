package media_test

import (
	"bytes"
	"errors"
	"fmt"
	"image/jpeg"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/internal/interview/media"
	"github.com/assayhq/assay/internal/sample"
	"github.com/assayhq/assay/store/mediatest"
)

// Takes of all sorts become one presentation, and each is where the timeline
// says.
func TestTakesBecomeOnePresentation(t *testing.T) {
	if testing.Short() {
		t.Skip("encodes video")
	}
	t.Parallel()
	b := setup(t)
	made := b.produce(t,
		b.take(t, "0.webm", mediatest.Recording{Text: "I trade the euro against the dollar, mostly in the morning.", Size: "1280x720"}),
		b.take(t, "1.webm", mediatest.Recording{Pattern: "none", Text: "This answer is spoken without a camera."}),
		b.take(t, "2.webm", mediatest.Recording{Sound: "none", Seconds: 3, Size: "480x640"}),
		b.take(t, "3.mp4", mediatest.Recording{MP4: true, Seconds: 5}),
		b.take(t, "4.webm", mediatest.Recording{Seconds: 1}),
	)
	if !made.Video || made.Width != 854 || made.Height != 480 {
		t.Errorf("pictures %v of %d×%d, want 854×480", made.Video, made.Width, made.Height)
	}
	for i, seconds := range map[int]float64{2: 3, 3: 5, 4: 1} {
		near(t, fmt.Sprintf("answer %d", i), made.Answers[i].End-made.Answers[i].Start, time.Duration(seconds*float64(time.Second)), 150*time.Millisecond)
	}
	previous := time.Duration(0)
	for i, a := range made.Answers {
		if a.Start != previous || a.End <= a.Start || a.End%(40*time.Millisecond) != 0 {
			t.Errorf("answer %d lasts from %s to %s, the one before ends at %s", i, a.Start, a.End, previous)
		}
		previous = a.End
	}
	var observed [][]string
	for _, a := range made.Answers {
		observed = append(observed, kinds(a))
	}
	if diff := cmp.Diff([][]string{{}, {}, {"microphone_lost"}, {}, {}}, observed); diff != "" {
		t.Errorf("observed (-want +got):\n%s", diff)
	}
	wantPoster(t, filepath.Join(b.dir, made.Folder, made.Poster))
	wantPlaces(t, b, made)
}

// wantPlaces looks at the middle of each answer: sound where there was some,
// black where there was no picture.
func wantPlaces(t *testing.T, b *producer, made *media.Presentation) {
	t.Helper()
	playlist := filepath.Join(b.dir, made.Folder, made.Playlist)
	for i, a := range made.Answers {
		middle := (a.Start + a.End) / 2
		raw := filepath.Join(t.TempDir(), "sound.raw")
		mediatest.FFmpeg(t, "-i", playlist, "-ss", fmt.Sprint((middle - 300*time.Millisecond).Seconds()), "-t", "0.6", "-vn", "-ac", "1", "-f", "s16le", raw)
		sound, err := os.ReadFile(raw)
		if err != nil {
			t.Fatal(err)
		}
		if loud := loudest(sound); (loud > 500) != a.Audio {
			t.Errorf("answer %d: the largest sample around its middle is %d, and it has sound: %v", i, loud, a.Audio)
		}
		picture := filepath.Join(t.TempDir(), "picture.gray")
		mediatest.FFmpeg(t, "-i", playlist, "-ss", fmt.Sprint(middle.Seconds()), "-frames:v", "1", "-an", "-vf", "scale=80:60,format=gray", "-f", "rawvideo", picture)
		gray, err := os.ReadFile(picture)
		if err != nil {
			t.Fatal(err)
		}
		if black := len(bytes.TrimFunc(gray, func(r rune) bool { return r < 24 })) == 0; black == a.Video {
			t.Errorf("answer %d: its middle is black: %v, and it has a picture: %v", i, black, a.Video)
		}
	}
}

func loudest(samples []byte) int {
	most := 0
	for i := 0; i+1 < len(samples); i += 2 {
		size := int(int16(uint16(samples[i]) | uint16(samples[i+1])<<8))
		most = max(most, size, -size)
	}
	return most
}

func wantPoster(t *testing.T, path string) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	picture, err := jpeg.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	if size := picture.Bounds().Size(); size.X > 854 || size.Y > 480 || size.X < 100 {
		t.Errorf("poster is %v", size)
	}
}

// Every segment but the last takes four seconds and begins with a key frame, so that players can
// jump to it.
func TestSegments(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := b.produce(t, b.take(t, "a.webm", mediatest.Recording{Seconds: 7.3}), b.take(t, "b.webm", mediatest.Recording{Seconds: 5.1, Rate: 12}))
	list, err := os.ReadFile(filepath.Join(b.dir, made.Folder, made.Playlist))
	if err != nil {
		t.Fatal(err)
	}
	var lengths []string
	for line := range strings.Lines(string(list)) {
		if text, ok := strings.CutPrefix(strings.TrimSpace(line), "#EXTINF:"); ok {
			lengths = append(lengths, text)
		}
	}
	if want := []string{"4.000000,", "4.000000,", "4.000000,"}; len(lengths) != 4 || !cmp.Equal(want, lengths[:3]) {
		t.Errorf("segments last %v, want three of four seconds and a rest", lengths)
	}
	keys := mediatest.Probe(t, filepath.Join(b.dir, made.Folder, made.Playlist), "-select_streams", "v", "-skip_frame", "nokey", "-show_entries", "frame=pts_time")
	for i, want := range []time.Duration{0, 4 * time.Second, 8 * time.Second, 12 * time.Second} {
		if i >= len(keys) {
			t.Fatalf("pictures that stand alone are at %v, want four", keys)
		}
		// The coder of sound needs a moment before the first sample.
		near(t, "a picture that stands alone", time.Duration(number(t, keys[i:])*float64(time.Second)), want, 40*time.Millisecond)
	}
}

func TestSoundAlone(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := b.produce(t,
		b.take(t, "0.webm", mediatest.Recording{Pattern: "none", Seconds: 6}),
		b.take(t, "1.webm", mediatest.Recording{Pattern: "none", Seconds: 3}))
	if made.Video || made.Width != 0 || made.Height != 0 || made.Poster != "" {
		t.Errorf("%+v: want no picture", made)
	}
	near(t, "length", made.Length, 9*time.Second, 200*time.Millisecond)
}

// What the camera and the microphone gave is measured, not guessed.
func TestObservations(t *testing.T) {
	if testing.Short() {
		t.Skip("encodes video")
	}
	t.Parallel()
	b := setup(t)
	for _, tc := range []struct {
		name string
		r    mediatest.Recording
		want []string
	}{
		{"sound and picture", mediatest.Recording{Seconds: 7}, []string{}},
		{"dark", mediatest.Recording{Pattern: "color=black", Seconds: 7}, []string{"camera_dark"}},
		{"dark for a moment", mediatest.Recording{Pattern: "color=black", Seconds: 4}, []string{}},
		{"dim, but to be seen", mediatest.Recording{Pattern: "color=0x303030", Seconds: 7}, []string{}},
		{"silent", mediatest.Recording{Sound: "anullsrc=sample_rate=48000:channel_layout=mono", Seconds: 4}, []string{"audio_silent"}},
		{"quiet", mediatest.Recording{Sound: "sine=sample_rate=48000,volume=-30dB", Seconds: 4}, []string{}},
		{"silent for less than half", mediatest.Recording{Sound: "sine=sample_rate=48000:duration=3,apad", Seconds: 5}, []string{}},
		{"silent for more than half", mediatest.Recording{Sound: "sine=sample_rate=48000:duration=2,apad", Seconds: 5}, []string{"audio_silent"}},
		{"clipping", mediatest.Recording{Sound: "sine=sample_rate=48000,volume=40dB", Seconds: 4}, []string{"audio_clipping"}},
		{"no microphone", mediatest.Recording{Sound: "none", Seconds: 2}, []string{"microphone_lost"}},
		{"neither", mediatest.Recording{Sound: "none", Pattern: "color=black", Seconds: 6}, []string{"microphone_lost", "camera_dark"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			a := b.produce(t, b.take(t, "take", tc.r)).Answers[0]
			if diff := cmp.Diff(tc.want, kinds(a)); diff != "" {
				t.Errorf("observed (-want +got):\n%s\n%+v", diff, a.Observations)
			}
			for _, o := range a.Observations {
				if o.Length <= 0 || o.Length > a.End || len(o.Data) == 0 {
					t.Errorf("%+v: want how long it lasted and what was measured", o)
				}
			}
		})
	}
	take := b.take(t, "spoken", mediatest.Recording{Pattern: "none", Seconds: 2})
	take.Video = true
	if got := kinds(b.produce(t, take).Answers[0]); !cmp.Equal(got, []string{"camera_lost"}) {
		t.Errorf("a film without pictures: %v, want camera_lost", got)
	}
}

// A recording that breaks off is used as far as it can be decoded, and is reported
// as unreadable if no part of it can.
func TestCutAnywhere(t *testing.T) {
	if testing.Short() {
		t.Skip("encodes video")
	}
	t.Parallel()
	whole, err := os.ReadFile(mediatest.Make(t, mediatest.Recording{Seconds: 3, Size: "160x120"}))
	if err != nil {
		t.Fatal(err)
	}
	at := []int{0, 1, 3, 4, 5, 40, 100, 200, 300, 500, len(whole) - 1, len(whole)}
	for i := 1; i < 8; i++ {
		at = append(at, len(whole)*i/8+i)
	}
	for _, n := range at {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			path := filepath.Join(t.TempDir(), "cut")
			if err := os.WriteFile(path, whole[:n], 0o600); err != nil {
				t.Fatal(err)
			}
			cut := b.put(t, "cut", path, true)
			made, err := b.Produce(t.Context(), b.dir, []media.Take{cut})
			if errors.Is(err, media.ErrUnreadable) {
				if n > len(whole)/4 {
					t.Errorf("%d of %d bytes are unreadable: %v", n, len(whole), err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			b.wantPlayable(t, made)
			near(t, "length", made.Length, time.Duration(float64(3*time.Second)*float64(n)/float64(len(whole))), 900*time.Millisecond)
		})
	}
}

// One take that can't be read does not take the others with it.
func TestUnreadableAmongOthers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path := filepath.Join(t.TempDir(), "noise")
	if err := os.WriteFile(path, bytes.Repeat([]byte("noise"), 10_000), 0o600); err != nil {
		t.Fatal(err)
	}
	made := b.produce(t, b.put(t, "0", path, true), b.take(t, "1", mediatest.Recording{Seconds: 2}))
	if a := made.Answers[0]; a.Unreadable == "" || a.Start != 0 || a.End != 0 || strings.Contains(a.Unreadable, b.dir) {
		t.Errorf("%+v: want no length, and why", a)
	}
	near(t, "second answer", made.Answers[1].End, 2*time.Second, 200*time.Millisecond)
}

// A track of which nothing can be decoded does not take the other one with it.
func TestUnreadableTrack(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, filter string // of packets
		mp4          bool
		video, audio bool
	}{
		{"no picture in WebM", "-bsf:v", false, false, true},
		{"no picture in MP4", "-bsf:v", true, false, true},
		{"no sound in WebM", "-bsf:a", false, true, false},
		{"no sound in MP4", "-bsf:a", true, true, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			whole := mediatest.Make(t, mediatest.Recording{Seconds: 2, MP4: tc.mp4})
			partial := filepath.Join(t.TempDir(), "partial"+filepath.Ext(whole))
			mediatest.FFmpeg(t, "-i", whole, "-c", "copy", tc.filter, "noise=drop=1", "-movflags", "frag_keyframe+empty_moov+default_base_moof", partial)
			a := b.produce(t, b.put(t, "take", partial, true)).Answers[0]
			if a.Video != tc.video || a.Audio != tc.audio || (a.Sound != "") != tc.audio || a.Unreadable != "" {
				t.Errorf("%+v: want a picture %t, sound %t", a, tc.video, tc.audio)
			}
			near(t, "length", a.End, 2*time.Second, 200*time.Millisecond)
		})
	}
}

// Files that would make ffmpeg read or call something else are not taken for
// recordings.
func TestHostileFiles(t *testing.T) {
	t.Parallel()
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("#EXTM3U\nnobody's business"), 0o600); err != nil {
		t.Fatal(err)
	}
	ebml := "\x1a\x45\xdf\xa3"
	tests := []struct{ name, content string }{
		{"empty", ""},
		{"a playlist that names a file", "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\nfile://" + secret + "\n#EXT-X-ENDLIST\n"},
		{"a playlist that names a server", "#EXTM3U\n#EXT-X-MEDIA-SEQUENCE:0\n#EXTINF:10,\nhttp://127.0.0.1:9/\n#EXT-X-ENDLIST\n"},
		{"a script of files", "ffconcat version 1.0\nfile '" + secret + "'\n"},
		{"a picture", "\x89PNG\r\n\x1a\n" + strings.Repeat("x", 1000)},
		{"WebM's first bytes and no more", ebml},
		{"WebM's first bytes and noise", ebml + strings.Repeat("\x42\x86\x81\x01\x18\x53\x80\x67\xff", 500)},
		{"MP4's first bytes and noise", "\x00\x00\x00\x20ftypisom" + strings.Repeat("moov", 500)},
	}
	for _, tc := range sample.Cases(tests, 4) {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			path := filepath.Join(t.TempDir(), "hostile")
			if err := os.WriteFile(path, []byte(tc.content), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := b.Produce(t.Context(), b.dir, []media.Take{b.put(t, "take", path, true)})
			if !errors.Is(err, media.ErrUnreadable) {
				t.Errorf("got %v, want ErrUnreadable", err)
			}
		})
	}
}

// A phone that is turned changes the picture's size within one recording.
func TestSizeChangesInTheMiddle(t *testing.T) {
	if testing.Short() {
		t.Skip("encodes video")
	}
	t.Parallel()
	b := setup(t)
	dir := t.TempDir()
	upright := mediatest.Make(t, mediatest.Recording{Pattern: "color=c=white", Size: "240x320", Seconds: 3})
	across := mediatest.Make(t, mediatest.Recording{Pattern: "color=c=white", Size: "320x240", Seconds: 3})
	list := filepath.Join(dir, "list")
	if err := os.WriteFile(list, fmt.Appendf(nil, "file '%s'\nfile '%s'\n", upright, across), 0o600); err != nil {
		t.Fatal(err)
	}
	turned := filepath.Join(dir, "turned.webm")
	mediatest.FFmpeg(t, "-f", "concat", "-safe", "0", "-i", list, "-c", "copy", "-f", "webm", "-live", "1", turned)
	made := b.produce(t, b.take(t, "0", mediatest.Recording{Seconds: 2}), b.put(t, "1", turned, true), b.take(t, "2", mediatest.Recording{Seconds: 2}))
	near(t, "turned answer", made.Answers[1].End-made.Answers[1].Start, 6*time.Second, 300*time.Millisecond)
	wantPlaces(t, b, made)
	// Each half keeps its shape: only the upright one has black at its sides.
	for after, fills := range map[time.Duration]bool{1500 * time.Millisecond: false, 4500 * time.Millisecond: true} {
		side := filepath.Join(dir, "side.gray")
		mediatest.FFmpeg(t, "-i", filepath.Join(b.dir, made.Folder, made.Playlist), "-ss", fmt.Sprint((made.Answers[1].Start + after).Seconds()), "-frames:v", "1", "-an",
			"-vf", "crop=32:ih:8:0,scale=1:1,format=gray", "-f", "rawvideo", side)
		gray, err := os.ReadFile(side)
		if err != nil {
			t.Fatal(err)
		}
		if light := gray[0] > 128; light != fills {
			t.Errorf("after %s of the turned answer its picture reaches the side: %v, want %v", after, light, fills)
		}
	}
}

// Sixteen minutes are as exact as one, and most of an hour's work is bounded by
// the recording's length, not by its bytes.
func TestSixteenMinutes(t *testing.T) {
	if testing.Short() {
		t.Skip("encodes sixteen minutes of video")
	}
	t.Parallel()
	b := setup(t)
	made := b.produce(t, b.take(t, "long", mediatest.Recording{Seconds: 16 * 60, Size: "64x48", Rate: 2}))
	near(t, "length", made.Length, 16*time.Minute, 600*time.Millisecond)
	if a := made.Answers[0]; a.Cut || len(a.Observations) > 0 {
		t.Errorf("%+v: want all of it, and nothing observed", a)
	}
}

func TestLongerThanIsUsed(t *testing.T) {
	if testing.Short() {
		t.Skip("encodes minutes of video")
	}
	t.Parallel()
	b := setup(t)
	b.Longest = 3 * time.Second
	made := b.produce(t, b.take(t, "long", mediatest.Recording{Seconds: 5}))
	if a := made.Answers[0]; !a.Cut || a.End != b.Longest {
		t.Errorf("%+v: want the first %s", a, b.Longest)
	}
}
