package clients_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/asticode/go-astisub"
	"github.com/google/go-cmp/cmp"
)

// captions are files that are compared with what assay writes by the tests beside
// them.
const captions = "../../internal/interview/media/caption/testdata/*.vtt"

// captionFiles are the paths of the files.
func captionFiles(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(captions)
	check(t, err)
	if len(files) < 5 {
		t.Fatalf("%d files of captions", len(files))
	}
	return files
}

// captionTimes are when a caption is shown.
var captionTimes = regexp.MustCompile(`(?m)^(\d\d:\d\d:\d\d\.\d{3}) --> (\d\d:\d\d:\d\d\.\d{3})`)

// TestCaptionsInGo has a published parser for Go find the captions that assay
// writes, at their times and with their speaker.
func TestCaptionsInGo(t *testing.T) {
	t.Parallel()
	for _, file := range captionFiles(t) {
		text, err := os.ReadFile(file)
		check(t, err)
		parsed, err := astisub.ReadFromWebVTT(bytes.NewReader(text))
		check(t, err)
		var got, want []string
		for _, item := range parsed.Items {
			for _, line := range item.Lines {
				if line.VoiceName != "" && line.VoiceName != "Trader" {
					t.Errorf("%s: speaker %q", file, line.VoiceName)
				}
			}
			clock := func(d time.Duration) string { return time.Time{}.Add(d).Format("15:04:05.000") }
			got = append(got, clock(item.StartAt)+" "+clock(item.EndAt))
		}
		for _, found := range captionTimes.FindAllStringSubmatch(string(text), -1) {
			want = append(want, found[1]+" "+found[2])
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", file, diff)
		}
	}
}

// TestCaptions has a published parser of browsers' rules read the captions that
// assay writes.
func TestCaptions(t *testing.T) {
	t.Parallel()
	files := captionFiles(t)
	var err error
	for i, file := range files {
		files[i], err = filepath.Abs(file)
		check(t, err)
	}
	out, ok := node(t, workspace(t, "captions.mjs"), nil, append([]string{"captions.mjs"}, files...)...)
	if !ok {
		t.Fatal(out)
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if len(lines) != len(files) {
		t.Errorf("%d of %d files were read:\n%s", len(lines), len(files), out)
	}
	for i, line := range lines {
		text, err := os.ReadFile(files[i])
		check(t, err)
		want := captionTimes.FindAll(text, -1)
		if fields := strings.Fields(line); len(fields) != 2 || fields[0] != filepath.Base(files[i]) || fields[1] != strconv.Itoa(len(want)) {
			t.Errorf("%s, want %d captions", line, len(want))
		}
	}
}
