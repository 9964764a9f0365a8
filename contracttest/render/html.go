package render

import (
	_ "embed" // the page
	"fmt"
	"html/template"
	"io"
	"strings"
	"time"

	"github.com/assayhq/assay/contracttest"
)

//go:embed report.html
var pageText string

// HTML writes one page that needs no network: the verdict, each failure with its hint and command
// line, and every request with its answer.
func HTML(w io.Writer, r *contracttest.Report) error {
	page, err := template.New("report").Funcs(template.FuncMap{
		"summary": Summary, "sampled": describeSamples, "load": describeLoad, "skips": groupSkips, "unneeded": unneededWaivers,
		"exchange": r.Exchange,
		"join":     func(ids []string) string { return strings.Join(ids, ", ") },
		"short":    func(d time.Duration) string { return d.Round(100 * time.Microsecond).String() },
		"path":     func(url string) string { return strings.TrimPrefix(url, r.URL) },
		"date":     func(t time.Time) string { return t.Format("2006-01-02 15:04:05 UTC") },
		"areas":    groupByArea,
		"profiles": contracttest.Profiles,
		"status": func(x contracttest.Exchange) string {
			if x.Status == 0 {
				return "none"
			}
			return fmt.Sprint(x.Status)
		},
	}).Parse(pageText)
	if err != nil {
		return err
	}
	return page.Execute(w, r)
}

// area holds the cases about one part of the contract.
type area struct {
	Name    string
	Results []*contracttest.Result
	Broken  int
}

// groupByArea groups the results by the first part of their ids.
func groupByArea(r *contracttest.Report) []*area {
	var all []*area
	at := make(map[string]*area)
	for i := range r.Results {
		result := &r.Results[i]
		name, _, _ := strings.Cut(result.ID, ".")
		a := at[name]
		if a == nil {
			a = &area{Name: name}
			at[name] = a
			all = append(all, a)
		}
		a.Results = append(a.Results, result)
		if result.Broken() {
			a.Broken++
		}
	}
	return all
}
