package attack_test

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/assayhq/assay/test/deploytest"
)

// bomb is a body that becomes large or deep when it is read.
type bomb struct {
	name, path, media, encoding string
	body                        []byte
}

// endless is a reader of so many equal bytes.
func endless(c byte, n int64) io.Reader { return io.LimitReader(same(c), n) }

type same byte

func (s same) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(s)
	}
	return len(p), nil
}

// archive packs the files.
func archive(t *testing.T, files map[string]io.Reader) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, content := range files {
		w, err := z.Create(name)
		check(t, err)
		_, err = io.Copy(w, content)
		check(t, err)
	}
	check(t, z.Close())
	return b.Bytes()
}

// workbook returns an XLSX file in which some parts are replaced.
func workbook(t *testing.T, parts map[string]io.Reader) []byte {
	t.Helper()
	const relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	files := map[string]io.Reader{
		"[Content_Types].xml": strings.NewReader(`<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/></Types>`),
		"_rels/.rels":         strings.NewReader(`<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="` + relations + `/officeDocument" Target="xl/workbook.xml"/></Relationships>`),
		"xl/workbook.xml":     strings.NewReader(`<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="` + relations + `"><sheets><sheet name="a" sheetId="1" r:id="rId1"/></sheets></workbook>`),
		"xl/_rels/workbook.xml.rels": strings.NewReader(`<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="` + relations + `/worksheet" Target="worksheets/sheet1.xml"/>` +
			`<Relationship Id="rId2" Type="` + relations + `/sharedStrings" Target="sharedStrings.xml"/></Relationships>`),
		"xl/sharedStrings.xml":     strings.NewReader(`<sst><si><t>Ticket</t></si></sst>`),
		"xl/worksheets/sheet1.xml": strings.NewReader(`<worksheet><sheetData><row r="1"><c r="A1" t="s"><v>0</v></c></row></sheetData></worksheet>`),
	}
	for name, content := range parts {
		files[name] = content
	}
	return archive(t, files)
}

// laughs are entities that become a billion texts.
func laughs(root string) string {
	var b strings.Builder
	b.WriteString("<?xml version=\"1.0\"?><!DOCTYPE x [<!ENTITY a0 \"laugh\">")
	for n := 1; n < 10; n++ {
		fmt.Fprintf(&b, "<!ENTITY a%d %q>", n, strings.Repeat(fmt.Sprintf("&a%d;", n-1), 10))
	}
	return b.String() + "]><" + root + ">&a9;</" + root + ">"
}

// listBombs makes the bombs, those that inflate of so many bytes.
func listBombs(t *testing.T, files string, inflated int64) []bomb {
	t.Helper()
	const traders = "/v1/traders"
	file := func(name, filename string, content []byte) bomb {
		var b bytes.Buffer
		form := multipart.NewWriter(&b)
		w, err := form.CreateFormFile("file", filename)
		check(t, err)
		_, err = w.Write(content)
		check(t, err)
		check(t, form.Close())
		return bomb{name, files, form.FormDataContentType(), "", b.Bytes()}
	}
	var packed bytes.Buffer
	g := gzip.NewWriter(&packed)
	_, err := io.Copy(g, endless(' ', inflated))
	check(t, err)
	check(t, g.Close())
	zeros := archive(t, map[string]io.Reader{"trades.csv": endless('0', inflated)})
	entries := make(map[string]io.Reader)
	for n := range 60_000 {
		entries[fmt.Sprint(n, ".csv")] = strings.NewReader("")
	}
	json := func(name, text string) bomb { return bomb{name, traders, "application/json", "", []byte(text)} }
	return []bomb{
		file("XLSX with a sheet that inflates", "a.xlsx", workbook(t, map[string]io.Reader{"xl/worksheets/sheet1.xml": io.MultiReader(strings.NewReader("<worksheet><sheetData><row><c><v>"), endless('1', inflated))})),
		file("XLSX with texts that inflate", "a.xlsx", workbook(t, map[string]io.Reader{"xl/sharedStrings.xml": io.MultiReader(strings.NewReader("<sst><si><t>"), endless('A', inflated))})),
		file("XLSX with a workbook that inflates", "a.xlsx", workbook(t, map[string]io.Reader{"xl/workbook.xml": endless(' ', inflated)})),
		file("XLSX with entities in the sheet", "a.xlsx", workbook(t, map[string]io.Reader{"xl/worksheets/sheet1.xml": strings.NewReader(laughs("worksheet"))})),
		file("XLSX with entities in its texts", "a.xlsx", workbook(t, map[string]io.Reader{"xl/sharedStrings.xml": strings.NewReader(laughs("sst"))})),
		file("XLSX with a file of the server", "a.xlsx", workbook(t, map[string]io.Reader{"xl/sharedStrings.xml": strings.NewReader(
			`<?xml version="1.0"?><!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]><sst><si><t>&f;</t></si></sst>`)})),
		file("ZIP with a file that inflates", "a.zip", zeros),
		file("ZIP in a ZIP", "a.zip", archive(t, map[string]io.Reader{"b.zip": bytes.NewReader(zeros)})),
		file("ZIP with many files", "a.zip", archive(t, entries)),
		file("gzip that inflates", "a.csv.gz", packed.Bytes()),
		file("one endless line", "a.csv", bytes.Repeat([]byte("a,"), 8<<20)),
		{"gzip as coding of a body", traders, "application/json", "gzip", packed.Bytes()},
		{"gzip as coding of a form", files, "multipart/form-data; boundary=x", "gzip", packed.Bytes()},
		{"form of many parts", files, "multipart/form-data; boundary=x", "", bytes.Repeat([]byte("--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n"), 200_000)},
		{"form with endless headers", files, "multipart/form-data; boundary=x", "", append([]byte("--x\r\n"), bytes.Repeat([]byte("a: b\r\n"), 2<<20)...)},
		json("arrays within each other", `{"full_name": `+strings.Repeat("[", 1_000_000)),
		json("objects within each other", strings.Repeat(`{"full_name":`, 70_000)),
		json("many members", "{"+strings.Repeat(`"a":1,`, 170_000)+`"b":1}`),
		json("long number", `{"full_name": `+strings.Repeat("9", 1_000_000)+"}"),
		json("large exponent", `{"full_name": 1e999999999}`),
		json("body that is too large", `{"full_name": "`+strings.Repeat("a", 3<<20)+`"}`),
	}
}

// attackByBombs sends bombs, eight at a time.
func attackByBombs(t *testing.T, s *site, size int) string {
	t.Helper()
	inflated := int64(128 << 20)
	if s.full {
		inflated = 2 << 30
	}
	trader := s.Call(t, http.MethodPost, "/v1/traders", `{"full_name": "Zoe Miller"}`, http.StatusCreated)["id"].(string)
	bombs := listBombs(t, "/v1/traders/"+trader+"/activity-files", inflated)
	s.resetPeak(t)
	others := s.startTraffic(t, ordinaryGap)
	statuses := make(map[int]int)
	var mu sync.Mutex
	var group sync.WaitGroup
	places := make(chan struct{}, 8)
	for n := range size {
		places <- struct{}{}
		group.Go(func() {
			defer func() { <-places }()
			b := bombs[n%len(bombs)]
			status, answer := s.throw(t, b, s.keys[n%len(s.keys)])
			mu.Lock()
			defer mu.Unlock()
			statuses[status]++
			switch {
			case bytes.Contains(answer, []byte("root:")):
				t.Errorf("%s: the answer shows a file of the server", b.name)
			case status == http.StatusServiceUnavailable, status >= 400 && status < 500, status == 0 && b.path != "": // 0: cut off before the body was read
			default:
				t.Errorf("%s: %d %.300s", b.name, status, answer)
			}
		})
	}
	group.Wait()
	return fmt.Sprintf("statuses %v; %s; memory %s", statuses, others.end(t, s), s.checkPeak(t, peakLimit))
}

// throw sends a bomb.
func (s *site) throw(t *testing.T, b bomb, key string) (status int, answer []byte) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+b.path, bytes.NewReader(b.body))
	check(t, err)
	req.Header.Set("Authorization", "Bearer "+key)
	req.Header.Set("Content-Type", b.media)
	if b.encoding != "" {
		req.Header.Set("Content-Encoding", b.encoding)
	}
	return deploytest.Send(req)
}
