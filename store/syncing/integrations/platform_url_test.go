package integrations_test

import (
	"testing"

	"github.com/assayhq/assay/store/syncing/integrations"
)

func TestNormalizeBaseURL(t *testing.T) {
	t.Parallel()
	for base, want := range map[string]string{
		"https://a.example":                      "https://a.example",
		"https://a.example/":                     "https://a.example",
		"HTTPS://A.Example:443/":                 "https://a.example",
		"https://a.example.:443":                 "https://a.example",
		"https://a.example:8443/Brand/":          "https://a.example:8443/Brand",
		"https://a.example/brand":                "https://a.example/brand",
		"https://a.example/x/../brand/./":        "https://a.example/brand",
		"https://a.example/../../brand":          "https://a.example/brand",
		"https://a.example/br%61nd/%7euser/%2fx": "https://a.example/brand/~user/%2Fx",
		"https://a.example/a//b":                 "https://a.example/a//b",
		"https://[2001:DB8:0:0::1]:443/v1":       "https://[2001:db8::1]/v1",
		"https://[::1]:8443":                     "https://[::1]:8443",
		"https://127.0.0.1:443":                  "https://127.0.0.1",
		"http://a.example:80":                    "http://a.example",
		"http://a.example:443":                   "http://a.example:443",
		"no address":                             "no address",
	} {
		if got := integrations.NormalizeBaseURL(base); got != want {
			t.Errorf("%s becomes %s, want %s", base, got, want)
		}
		if got := integrations.NormalizeBaseURL(want); got != want {
			t.Errorf("%s becomes %s when it is normalized again", want, got)
		}
	}
}
