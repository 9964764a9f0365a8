package decode_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/problem"
)

// formOf reads a form from a body with the boundary b. Its files are closed at the end of the
// test.
func formOf(t testing.TB, body string) (*decode.Form, error) {
	t.Helper()
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
	r.Header.Set("Content-Type", "multipart/form-data; boundary=b")
	form, err := decode.ReadForm(r, func() (*os.File, error) { return os.CreateTemp(t.TempDir(), "") })
	if form != nil {
		t.Cleanup(form.Close)
	}
	return form, err
}

// lines joins the lines of a body with CRLF.
func lines(all ...string) string { return strings.Join(all, "\r\n") }

const (
	textPart = "--b\r\nContent-Disposition: form-data; name=\"zone\"\r\n\r\nUTC"
	filePart = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.csv\"\r\nContent-Type: text/csv\r\n\r\n1,2\r\n3,4\r\n"
)

func TestForm(t *testing.T) {
	t.Parallel()
	form, err := formOf(t, lines(textPart, filePart, "--b--", "what nobody reads"))
	if err != nil {
		t.Fatal(err)
	}
	zone, file := form.Text("zone", 10), form.File("file")
	if err := form.Finish(); err != nil {
		t.Error(err)
	}
	content, err := io.ReadAll(io.NewSectionReader(file, 0, file.Size))
	if err != nil {
		t.Fatal(err)
	}
	if zone.Value != "UTC" || file.Name != "a.csv" || string(content) != "1,2\r\n3,4\r\n" || file.SHA256 != sha256.Sum256(content) {
		t.Errorf("zone %q, file %q with %q", zone.Value, file.Name, content)
	}
	if form.File("other") != nil {
		t.Error("there is a file that was not sent")
	}
}

func TestFormFaults(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, body string
		want       string // pointers and codes
	}{
		{"nothing", lines("--b--", ""), ""},
		{"unknown text", lines(strings.Replace(textPart, "zone", "colour", 1), "--b--", ""), "#/colour unknown_field"},
		{"unknown file", lines(strings.Replace(filePart, "file\"", "picture\"", 1), "--b--", ""), "#/picture unknown_field"},
		{"text for a file", lines(strings.Replace(textPart, "zone", "file", 1), "--b--", ""), "#/file wrong_type"},
		{"file for a text", lines(strings.Replace(filePart, "file\"", "zone\"", 1), "--b--", ""), "#/zone wrong_type"},
		{"text twice", lines(textPart, textPart, "--b--", ""), "#/zone invalid_format"},
		{"file twice", lines(filePart, filePart, "--b--", ""), "#/file invalid_format"},
		{"two files", lines(filePart, strings.Replace(filePart, "file\"", "other\"", 1), "--b--", ""), "#/other unknown_field"},
		{"long text", lines(textPart+strings.Repeat("x", 5000), "--b--", ""), "#/zone too_long"},
		{"no UTF-8", lines(textPart+"\xff", "--b--", ""), "#/zone invalid_format"},
		{"no name", lines("--b", "", "x", "--b--", ""), "#/ unknown_field"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			form, err := formOf(t, tt.body)
			if err != nil {
				t.Fatal(err)
			}
			form.Text("zone", 10)
			form.File("file")
			var got []string
			if p, ok := errors.AsType[*problem.Problem](form.Finish()); ok {
				for _, f := range p.Faults {
					got = append(got, fmt.Sprint(f.Pointer, " ", f.Code))
				}
			}
			if diff := cmp.Diff(tt.want, strings.Join(got, ", ")); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
		})
	}
}

func TestFormsThatAreNone(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"empty": "", "text": "hello", "JSON": "{}", "another boundary": strings.ReplaceAll(lines(textPart, "--b--"), "--b", "--c"),
		"cut in a header": "--b\r\nContent-Disp", "cut in a part": textPart, "cut before the end": lines(textPart, "--b"),
	} {
		if _, err := formOf(t, body); refusal(t, err) != problem.InvalidForm {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestFormMediaType(t *testing.T) {
	t.Parallel()
	body := lines(textPart, "--b--", "")
	for media, want := range map[string]problem.Code{
		"multipart/form-data; boundary=b": "", `Multipart/Form-Data; boundary="b"`: "",
		"": problem.UnsupportedMediaType, "multipart/form-data": problem.UnsupportedMediaType, "multipart/mixed; boundary=b": problem.UnsupportedMediaType,
		"application/json": problem.UnsupportedMediaType, "multipart/form-data; boundary=": problem.UnsupportedMediaType,
	} {
		r := post(body, http.Header{"Content-Type": {media}})
		if _, err := decode.ReadForm(r, nil); refusal(t, err) != want {
			t.Errorf("%q: %v, want %q", media, err, want)
		}
	}
	r := post(body, http.Header{"Content-Type": {"multipart/form-data; boundary=b"}, "Content-Encoding": {"gzip"}})
	if _, err := decode.ReadForm(r, nil); refusal(t, err) != problem.UnsupportedMediaType {
		t.Errorf("compressed: %v", err)
	}
}

// TestFormSum checks that the sum depends on what was sent, but not on its encoding.
func TestFormSum(t *testing.T) {
	t.Parallel()
	sum := func(body string) [sha256.Size]byte {
		t.Helper()
		form, err := formOf(t, body)
		if err != nil {
			t.Fatal(err)
		}
		return form.Sum
	}
	first := sum(lines(textPart, filePart, "--b--", ""))
	if sum(lines("a preamble", textPart, filePart, "--b--", "an epilogue")) != first {
		t.Error("what lies around the parts counts")
	}
	for name, body := range map[string]string{
		"another text": lines(textPart+"x", filePart, "--b--", ""), "another name": lines(strings.Replace(textPart, "zone", "z", 1), filePart, "--b--", ""),
		"another file": lines(textPart, filePart+"x", "--b--", ""), "another file's name": lines(textPart, strings.Replace(filePart, "a.csv", "b.csv", 1), "--b--", ""),
		"fewer parts": lines(textPart, "--b--", ""), "no file": lines(textPart, strings.Replace(filePart, `; filename="a.csv"`, "", 1), "--b--", ""),
	} {
		if sum(body) == first {
			t.Errorf("%s makes no difference", name)
		}
	}
}

func TestText(t *testing.T) {
	t.Parallel()
	for media, want := range map[string]problem.Code{
		"text/csv": "", "text/csv; charset=UTF-8": "", "text/csv; header=present": "",
		"text/csv; charset=latin1": problem.UnsupportedMediaType, "text/plain": problem.UnsupportedMediaType, "": problem.UnsupportedMediaType,
	} {
		text, err := decode.Text(post("a,b\n", http.Header{"Content-Type": {media}}), decode.MediaCSV)
		if refusal(t, err) != want || want == "" && string(text) != "a,b\n" {
			t.Errorf("%q: %q, %v", media, text, err)
		}
	}
}

// FuzzForm checks that any body is either refused, or a form in which a second reader finds the
// same parts.
func FuzzForm(f *testing.F) {
	for _, seed := range []string{"", lines(textPart, filePart, "--b--", ""), textPart, lines(filePart, filePart, "--b--"), "--b\r\n\r\n\r\n--b--", "--b--"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		form, err := formOf(t, string(body))
		if err != nil {
			if p, ok := errors.AsType[*problem.Problem](err); !ok || p.Status() >= 500 {
				t.Fatalf("%q: %v", body, err)
			}
			return
		}
		file := form.File("file")
		if file == nil {
			return
		}
		for parts := multipart.NewReader(bytes.NewReader(body), "b"); ; {
			part, err := parts.NextRawPart()
			if err != nil {
				t.Fatalf("%q: the file is found by nobody else: %v", body, err)
			}
			if part.FormName() != "file" || part.FileName() == "" {
				continue
			}
			want, _ := io.ReadAll(part)
			if sha256.Sum256(want) != file.SHA256 || int64(len(want)) != file.Size {
				t.Fatalf("%q: the file has %d bytes, want %q", body, file.Size, want)
			}
			return
		}
	})
}
