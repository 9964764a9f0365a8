package render

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/assayhq/assay/contracttest"
)

// The elements of JUnit's XML that all readers support.
type (
	junitSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Errors   int          `xml:"errors,attr"`
		Time     string       `xml:"time,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name      string      `xml:"name,attr"`
		Tests     int         `xml:"tests,attr"`
		Failures  int         `xml:"failures,attr"`
		Errors    int         `xml:"errors,attr"`
		Skipped   int         `xml:"skipped,attr"`
		Time      string      `xml:"time,attr"`
		Timestamp string      `xml:"timestamp,attr"`
		Cases     []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Name    string       `xml:"name,attr"`
		Class   string       `xml:"classname,attr"`
		Time    string       `xml:"time,attr"`
		Failure *junitDetail `xml:"failure,omitempty"`
		Error   *junitDetail `xml:"error,omitempty"`
		Skipped *junitDetail `xml:"skipped,omitempty"`
		Out     string       `xml:"system-out,omitempty"`
	}
	junitDetail struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr,omitempty"`
		Text    string `xml:",chardata"`
	}
)

// JUnit writes JUnit's XML: a test case for each case, a failure for each broken MUST, and an
// error for what could not be tested at all. Warnings are passed test cases whose output
// describes the problem.
func JUnit(w io.Writer, r *contracttest.Report) error {
	suite := junitSuite{
		Name: "contracttest " + string(r.Profile), Time: fmt.Sprintf("%.3f", r.Duration.Seconds()), Timestamp: r.StartedAt.Format("2006-01-02T15:04:05"),
	}
	for i := range r.Results {
		result := &r.Results[i]
		class, _, _ := strings.Cut(result.ID, ".")
		c := junitCase{Name: result.ID, Class: "contract." + class, Time: fmt.Sprintf("%.3f", result.Duration.Seconds())}
		switch result.Status {
		case contracttest.Failed:
			suite.Failures++
			c.Failure = &junitDetail{Message: cleanXML(result.Message), Type: string(result.Level), Text: cleanXML(result.Explain())}
		case contracttest.Skipped:
			if result.Skip == contracttest.SkipAway || r.Unjudged(result) {
				suite.Errors++
				c.Error = &junitDetail{Message: cleanXML(result.Message), Type: string(result.Skip)}
				break
			}
			suite.Skipped++
			c.Skipped = &junitDetail{Message: cleanXML(string(result.Skip) + ": " + result.Message)}
		case contracttest.Warned, contracttest.Waived:
			c.Out = cleanXML(result.Explain())
		default:
			c.Out = cleanXML(result.Message)
		}
		suite.Cases = append(suite.Cases, c)
	}
	suite.Tests = len(suite.Cases)
	all := junitSuites{Name: "contracttest", Tests: suite.Tests, Failures: suite.Failures, Errors: suite.Errors, Time: suite.Time, Suites: []junitSuite{suite}}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	encoder := xml.NewEncoder(w)
	encoder.Indent("", "  ")
	if err := encoder.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// cleanXML removes characters that XML 1.0 does not allow.
func cleanXML(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r == 0xfffe || r == 0xffff {
			return -1
		}
		return r
	}, s)
}

// TAP writes the Test Anything Protocol, version 14. Cases for which nothing was requested share
// one line.
func TAP(w io.Writer, r *contracttest.Report) error {
	p := &printer{w: w}
	var judged []*contracttest.Result
	for i := range r.Results {
		if result := &r.Results[i]; !result.Unasked() {
			judged = append(judged, result)
		}
	}
	plan, unasked := len(judged), len(r.Results)-len(judged)
	if unasked > 0 {
		plan++
	}
	p.printf("TAP version 14\n1..%d\n", plan)
	for i, result := range judged {
		ok, directive := "ok", ""
		switch result.Status {
		case contracttest.Failed:
			ok = "not ok"
		case contracttest.Warned, contracttest.Waived:
			ok, directive = "not ok", " # TODO "+string(result.Status)
		case contracttest.Skipped:
			directive = " # SKIP " + escapeTAP(string(result.Skip)+": "+result.Message)
		}
		p.printf("%s %d - %s%s\n", ok, i+1, escapeTAP(result.ID+" "+result.Title), directive)
		if result.Broken() {
			p.printf("  ---\n")
			for _, line := range [][2]string{{"message", result.Message}, {"severity", string(result.Level)}, {"rule", result.Rule}, {"why", result.Why}, {"fix", result.Fix}, {"curl", result.Curl}} {
				quoted, _ := json.Marshal(line[1]) // a JSON string is also a YAML string
				p.printf("  %s: %s\n", line[0], quoted)
			}
			p.printf("  ...\n")
		}
	}
	if unasked > 0 {
		p.printf("ok %d - %s # SKIP nothing was asked: GET /health failed, or the platform is out of reach\n", plan, formatCount(unasked, "other case"))
	}
	if r.Untested != "" {
		p.printf("Bail out! %s\n", escapeTAP(r.Untested))
	}
	return p.err
}

func escapeTAP(s string) string {
	return strings.NewReplacer("\\", "\\\\", "#", "\\#", "\n", " ").Replace(s)
}

// Markdown writes a summary of the kind that continuous integration shows next to a run.
func Markdown(w io.Writer, r *contracttest.Report) error {
	p := &printer{w: w}
	p.printf("## Customer platform contract\n\n**%s**\n\n", escapeCell(Summary(r)))
	broken := r.BrokenRules()
	for i, result := range broken {
		if i == 0 {
			p.printf("| | case | what was seen | how to fix it |\n|---|---|---|---|\n")
		}
		p.printf("| %s | `%s` | %s | %s |\n", result.Status, result.ID, escapeCell(result.Message), escapeCell(result.Fix))
	}
	for _, result := range broken {
		if result.Curl != "" {
			p.printf("\n`%s`\n\n```sh\n%s\n```\n", result.ID, result.Curl)
		}
	}
	if groups := groupSkips(r); len(groups) > 0 {
		p.printf("\n<details><summary>%d cases were not judged</summary>\n\n", r.Count(contracttest.Skipped))
		for _, g := range groups {
			p.printf("- %s: %s\n", escapeCell(g.Reason), g.Cases())
		}
		p.printf("\n</details>\n")
	}
	if idle := unneededWaivers(r); len(idle) > 0 {
		p.printf("\nWaivers that are no longer needed: `%s`\n", strings.Join(idle, "` `"))
	}
	p.printf("\n%s\n", escapeCell(describeSamples(r)))
	return p.err
}

// escapeCell escapes a text for a table cell.
func escapeCell(s string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ", "<", "&lt;", ">", "&gt;", "`", "'").Replace(s)
}

// badgeText returns the text of a badge and its color.
func badgeText(r *contracttest.Report) (text, color string) {
	switch r.Verdict {
	case contracttest.Conformant:
		return string(r.Profile) + " conformant", "#1a7f37"
	case contracttest.Violations:
		return fmt.Sprintf("%d violations", r.Count(contracttest.Failed)), "#c0392b"
	}
	return "untested", "#6b7280"
}

// BadgeJSON writes the format of shields.io's endpoint badge.
func BadgeJSON(w io.Writer, r *contracttest.Report) error {
	text, color := badgeText(r)
	return json.NewEncoder(w).Encode(map[string]any{"schemaVersion": 1, "label": "assay contract", "message": text, "color": color})
}

// Badge writes a badge as SVG.
func Badge(w io.Writer, r *contracttest.Report) error {
	const label = "assay contract"
	text, color := badgeText(r)
	left, right := 7*len(label)+12, 7*len(text)+12
	_, err := fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" width="%[1]d" height="20" role="img" aria-label="%[2]s: %[3]s"><title>%[2]s: %[3]s</title>`+
		`<rect width="%[1]d" height="20" rx="3" fill="#40464f"/><rect x="%[4]d" width="%[5]d" height="20" rx="3" fill="%[6]s"/><rect x="%[4]d" width="4" height="20" fill="%[6]s"/>`+
		`<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">`+
		`<text x="%[7]d" y="14" textLength="%[8]d">%[2]s</text><text x="%[9]d" y="14" textLength="%[10]d">%[3]s</text></g></svg>`+"\n",
		left+right, label, text, left, right, color, left/2, left-14, left+right/2, right-14)
	return err
}
