package web_test

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/apiserver/web"
)

// maxFirstView limits the compressed scripts of the dashboard's first view, in bytes.
const maxFirstView = 150_000

var (
	pageScript   = regexp.MustCompile(`(?:src|href)="/assets/([^"]+\.js)"`)
	staticImport = regexp.MustCompile(`(?:from|import)\s*"\./([^"]+\.js)"`)
	rowPath      = regexp.MustCompile(`(?m)^\s*(?:\{ )?path: "([^"]+)"`)
)

func read(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestFirstViewIsSmall adds up what a browser loads until it shows the first page: the scripts of
// the page, their imports, and the first page's own scripts.
func TestFirstViewIsSmall(t *testing.T) {
	t.Parallel()
	var files []string
	for _, match := range pageScript.FindAllSubmatch(read(t, "dist/dashboard.html"), -1) {
		files = append(files, string(match[1]))
	}
	home, err := filepath.Glob("dist/assets/Home-*.js")
	if err != nil || len(home) != 1 || len(files) == 0 {
		t.Fatalf("scripts %v, first page %v, %v", files, home, err)
	}
	files = append(files, filepath.Base(home[0]))
	total := 0
	for i := 0; i < len(files); i++ { // grows during the loop
		text := read(t, filepath.Join("dist/assets", files[i]))
		var zipped bytes.Buffer
		w := gzip.NewWriter(&zipped)
		_, err := w.Write(text)
		if err != nil || w.Close() != nil {
			t.Fatal(err)
		}
		total += zipped.Len()
		t.Logf("%7d bytes of %s", zipped.Len(), files[i])
		for _, match := range staticImport.FindAllSubmatch(text, -1) {
			if name := string(match[1]); !slices.Contains(files, name) {
				files = append(files, name)
			}
		}
	}
	t.Logf("%7d bytes", total)
	if total > maxFirstView {
		t.Errorf("the first view takes %d bytes of compressed script, more than %d", total, maxFirstView)
	}
}

// TestPagesHaveAddresses checks that the server answers with the dashboard at the addresses of
// its pages and of the sign-in page, and nowhere else.
func TestPagesHaveAddresses(t *testing.T) {
	t.Parallel()
	pages := []string{"/sign-in"} // which the shell shows itself
	for _, row := range rowPath.FindAllSubmatch(read(t, "src/dashboard/routes.ts"), -1) {
		pages = append(pages, string(row[1]))
	}
	slices.Sort(pages)
	if diff := cmp.Diff(pages, slices.Sorted(slices.Values(web.Addresses()))); diff != "" {
		t.Errorf("addresses that the server knows (-the pages +web.Addresses):\n%s", diff)
	}
}

// TestPreloads checks that the answer at each address names the files of its page, which are there, and none that
// the HTML names too.
func TestPreloads(t *testing.T) {
	t.Parallel()
	pages, err := web.New()
	if err != nil {
		t.Fatal(err)
	}
	html := string(read(t, "dist/dashboard.html"))
	named := regexp.MustCompile(`</assets/([^>]+)>; rel=(modulepreload|preload; as=style); crossorigin`)
	for _, address := range web.Addresses() {
		w := httptest.NewRecorder()
		if err := pages.Dashboard(w, http.StatusOK, address); err != nil {
			t.Fatal(err)
		}
		files := named.FindAllStringSubmatch(w.Header().Get("Link"), -1)
		if len(files) == 0 && address != "/sign-in" { // which the shell shows itself
			t.Errorf("%s: the header Link is %q", address, w.Header().Get("Link"))
		}
		for _, file := range files {
			if _, err := os.Stat(filepath.Join("dist/assets", file[1])); err != nil {
				t.Errorf("%s: %v", address, err)
			}
			if strings.Contains(html, file[1]) {
				t.Errorf("%s: the HTML names %s too", address, file[1])
			}
		}
	}
}
