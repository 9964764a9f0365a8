package clients_test

import (
	"fmt"
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// The reference's pages, the operations on them, and the code of these.
var (
	sectionLink  = regexp.MustCompile(`<li><a href="(/docs/[a-z-]+)"[^>]*>Overview</a>`)
	documented   = regexp.MustCompile(`(?s)<section class="operation" id="(\w+)".*?</section>`)
	documentCode = `(?s)<figure data-language="%s">.*?<code>(.*?)</code>`
)

// readSamples reads how the reference calls each operation in a language, by its id.
func readSamples(t *testing.T, a api, language string) map[string]string {
	t.Helper()
	read := func(path string) string {
		status, text := get(t, a.url+path, "")
		if status != http.StatusOK {
			t.Fatalf("%s: %d", path, status)
		}
		return text
	}
	code := regexp.MustCompile(fmt.Sprintf(documentCode, language))
	samples := map[string]string{}
	for _, link := range sectionLink.FindAllStringSubmatch(read("/docs"), -1) {
		for _, section := range documented.FindAllStringSubmatch(read(link[1]), -1) {
			if found := code.FindStringSubmatch(section[0]); found != nil {
				samples[section[1]] = html.UnescapeString(found[1])
			}
		}
	}
	if len(samples) < 100 {
		t.Errorf("%d samples in %s", len(samples), language)
	}
	return samples
}

// typeScriptSamples is a program with the samples of the reference, each in a function of its own.
func typeScriptSamples(t *testing.T, a api) []byte {
	t.Helper()
	text := `import { readFile } from "node:fs/promises";
import type { Assay } from "@assay/client";
declare const assay: Assay;
declare const id: string, noteId: string, duplicateId: string, fileId: string, commentId: string, segmentId: string, claimId: string, deliveryId: string;
void readFile;
`
	for name, sample := range readSamples(t, a, "ts") {
		if strings.Contains(sample, "const answer") {
			sample += "\nreturn answer;"
		}
		text += "export async function " + name + "() {\n" + sample + "\n}\n"
	}
	return []byte(text)
}

// pythonSamples is the same for Python.
func pythonSamples(t *testing.T, a api) []byte {
	t.Helper()
	text := "# pyright: basic\nfrom assay import Client, Upload\n\n_ = Upload\n"
	for name, sample := range readSamples(t, a, "python") {
		text += "\n\ndef " + name + "(client: Client, id: str, note_id: str, duplicate_id: str, file_id: str, comment_id: str, segment_id: str, claim_id: str, delivery_id: str):\n    " +
			strings.ReplaceAll(sample, "\n", "\n    ") + "\n"
	}
	return []byte(text)
}
