package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// declared finds the variables that a sample declares outside of a loop.
var declared = regexp.MustCompile(`(?m)^(\w+(?:, \w+)*) :?= (?:client|os)\.`)

// TestSamplesCompile compiles the samples that the reference shows, as they are committed.
func TestSamplesCompile(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "apiserver", "docs", "samples.json"))
	if err != nil {
		t.Fatal(err)
	}
	var samples map[string]string
	if err := json.Unmarshal(text, &samples); err != nil || len(samples) < 100 {
		t.Fatalf("%d samples, %v", len(samples), err)
	}
	var program strings.Builder
	program.WriteString("package compiled\n\nimport (\n\"context\"\n\"fmt\"\n\"os\"\n\"time\"\n\n" +
		"assay \"github.com/assayhq/assay/client/go\"\n)\n\nvar _, _, _ = fmt.Println, os.Open, time.UTC\n")
	for id, sample := range samples {
		var used []string
		for _, names := range declared.FindAllStringSubmatch(sample, -1) {
			for name := range strings.SplitSeq(names[1], ", ") {
				used = append(used, "_ = "+name)
			}
		}
		program.WriteString("\nfunc _" + id + "(ctx context.Context, client *assay.Client, id, noteID, duplicateID, fileID, commentID, segmentID, claimID, deliveryID string) error {\n" +
			sample + "\n" + strings.Join(used, "\n") + "\nreturn nil\n}\n")
	}
	dir := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	replaced, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(here, "compiled", "samples.go"): write("samples.go", program.String())}})
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), "go", "build", "-overlay", write("overlay.json", string(replaced)), "./compiled").CombinedOutput()
	if err != nil {
		t.Errorf("the samples do not compile: %v\n%s", err, out)
	}
}
