package clients_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
)

// pictures names the folder for the pictures that the documentation shows.
// `make pictures` sets it to docs/images.
const pictures = "ASSAY_TEST_PICTURES"

// largestPicture bounds a picture in bytes, so that README.md loads fast.
const largestPicture = 200_000

// TestPictures takes the pictures of a trader in the dashboard and of a report that README.md and the
// tutorial show. The pages come from real data: a platform that was read, and an interview that went
// through the whole pipeline. It takes long because a recording goes through the whole pipeline first.
func TestPictures(t *testing.T) {
	t.Parallel()
	dir := os.Getenv(pictures)
	if dir == "" {
		dir = t.TempDir() // the test is that they can be taken
	}
	a := startAPI(t)
	a.sync(t)
	trader := a.busyTrader(t)
	interview := a.reviewable(t, "Zoe Miller")
	b := newTab(t)
	b.do(t, chromedp.EmulateViewport(1280, 800))
	a.signedIn(t, b, "owner")
	for _, p := range []struct{ name, path, sees, top string }{
		{"activity", "/traders/" + trader + "?tab=activity&days=365", "Sources", "h1"},
		{"report", "/interviews/" + interview, "Data: ", "h1"},
	} {
		b.do(t, chromedp.Navigate(a.url+p.path))
		b.sees(t, p.sees)
		b.until(t, "nothing is loading", `document.querySelector("[aria-busy=true]") === null && [...document.images].every((i) => i.complete)`)
		ask(t, b, chromedp.Evaluate[bool](fmt.Sprintf(`document.querySelector(%q).scrollIntoView(); scrollBy(0, -32); true`, p.top)))
		picture := ask(t, b, chromedp.CaptureScreenshot())
		if len(picture) > largestPicture {
			t.Errorf("%s has %d bytes, more than %d", p.name, len(picture), largestPicture)
		}
		check(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("%s.png", p.name)), picture, 0o600))
	}
}
