package csvexport_test

import (
	"testing"

	"github.com/assayhq/assay/apiserver/csvexport"
)

func TestSafe(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                     "",
		"Zoe Miller":           "Zoe Miller",
		"Anne-Marie":           "Anne-Marie",
		"a=b, c+d; e@f":        "a=b, c+d; e@f",
		"=1+1":                 "'=1+1",
		"+49 1":                "'+49 1",
		"  @SUM(1)":            "  '@SUM(1)",
		"＝1+1":                 "'＝1+1",
		"\t=1":                 "'\t'=1",
		"\rZoe":                "'\rZoe",
		"Zoe;=1+1":             "Zoe;'=1+1",
		"Zoe,-1":               "Zoe,'-1",
		"vip, -1":              "vip, '-1",
		"Zoe\t@SUM(1)":         "Zoe\t'@SUM(1)",
		`Zoe";=1`:              `Zoe";'=1`,
		`"=1`:                  `"'=1`,
		"Zoe\n=1":              "Zoe\n'=1",
		";;+1":                 ";;'+1",
		"it is 'quoted' - yes": "it is 'quoted' - yes",
	} {
		if got := csvexport.Safe(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}
