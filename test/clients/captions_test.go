package clients_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// captions are files that are compared with what assay writes by the tests beside
// them.
const captions = "../../internal/interview/media/caption/testdata/*.vtt"

// TestCaptions has a published parser of WebVTT read the captions that assay
// writes.
func TestCaptions(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(captions)
	check(t, err)
	if len(files) < 5 {
		t.Fatalf("%d files of captions", len(files))
	}
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
		want := regexp.MustCompile(`(?m)^\d\d:\d\d:\d\d\.\d{3} --> `).FindAll(text, -1)
		if fields := strings.Fields(line); len(fields) != 2 || fields[0] != filepath.Base(files[i]) || fields[1] != strconv.Itoa(len(want)) {
			t.Errorf("%s, want %d captions", line, len(want))
		}
	}
}
