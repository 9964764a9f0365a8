package access

import (
	"net/url"
	"strings"
	"testing"
)

// FuzzLocalPath checks that a sign-in only continues at a page of this site, also by the rules of
// browsers: they treat a backslash as a slash, and ignore tabs and line breaks.
func FuzzLocalPath(f *testing.F) {
	for _, seed := range []string{
		"", "/", "/traders?page=2#top", "//evil.example", `/\evil.example`, "/\t/evil.example", "https://evil.example", "javascript:alert(1)",
		"/%2f/evil.example", "/..//evil.example", "\x00/", "/\xff", "/@evil.example", "///", strings.Repeat("/", 2000),
	} {
		f.Add(seed)
	}
	base, err := url.Parse("https://assay.example")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, to string) {
		path := localPath(to)
		browser := strings.NewReplacer(`\`, "/", "\t", "", "\n", "", "\r", "").Replace(path)
		u, err := base.Parse(browser)
		if err != nil {
			return // browsers go nowhere, or to what stands there, which begins with a slash
		}
		if u.Host != base.Host || u.Scheme != base.Scheme || !strings.HasPrefix(path, "/") || strings.HasPrefix(browser, "//") {
			t.Errorf("%q leads to %s", to, u)
		}
	})
}
