package extract_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/interview/claims"
	"github.com/assayhq/assay/internal/interview/claims/check"
	"github.com/assayhq/assay/internal/interview/claims/claimstest"
	"github.com/assayhq/assay/internal/interview/claims/extract"
)

// saidAnswer is an answer of the corpus.
type saidAnswer struct {
	file  string
	asked extract.Asked
	text  string
	want  []string // what it states, as statedAs writes it
}

// corpus reads the answers under testdata/corpus.
func corpus(t testing.TB) (answers []saidAnswer) {
	t.Helper()
	files, err := filepath.Glob("testdata/corpus/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for block := range strings.SplitSeq(string(content), "\n\n") {
			a := saidAnswer{file: strings.TrimSuffix(filepath.Base(file), ".txt")}
			for line := range strings.Lines(block) {
				mark, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
				switch mark {
				case "?":
					topic, prompt, _ := strings.Cut(rest, " | ")
					a.asked = extract.Asked{Topic: claims.Topic(topic), Prompt: prompt}
				case ">":
					a.text = rest
				case "=":
					a.want = append(a.want, rest)
				}
			}
			if a.text != "" {
				answers = append(answers, a)
			}
		}
	}
	return answers
}

// statedAs writes what a claim states, without how it was worded.
func statedAs(c claims.Claim) string {
	soft := c.Modality == claims.Sometimes
	zone, on := c.Zone, c.On
	c.Modality, c.Approximate, c.Zone = claims.Plain, false, ""
	line := brief(c)
	if soft {
		line += " (soft)"
	}
	if zone != "" {
		line += " " + zone
	}
	if len(on) > 0 {
		line += " @" + strings.Join(on, "+")
	}
	return line
}

var (
	marks     = regexp.MustCompile(`[.,;:!?…]+(\s|$)| [–—-] |["“”()]`)
	digitsIn  = regexp.MustCompile(`\$?\b\d[\d,]*(?:\.\d+)?(?:%|k\b)?`)
	clockIn   = regexp.MustCompile(`\b(\d{1,2}):(\d\d)\b`)
	wordUnder = strings.Fields("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen")
	wordTens  = strings.Fields("- - twenty thirty forty fifty sixty seventy eighty ninety")
)

// inWords writes a whole number as it is spoken.
func inWords(n int) string {
	switch {
	case n < 20:
		return wordUnder[n]
	case n < 100 && n%10 == 0:
		return wordTens[n/10]
	case n < 100:
		return wordTens[n/10] + " " + wordUnder[n%10]
	case n < 1000 && n%100 == 0:
		return wordUnder[n/100] + " hundred"
	case n < 1000:
		return wordUnder[n/100] + " hundred and " + inWords(n%100)
	case n >= 1900 && n < 2100 && n%100 > 9:
		return inWords(n/100) + " " + inWords(n%100)
	case n%1000 == 0:
		return inWords(n/1000) + " thousand"
	}
	return inWords(n/1000) + " thousand " + inWords(n%1000)
}

// spokenNumbers writes the numbers of a text as they are spoken.
func spokenNumbers(text string) string {
	text = clockIn.ReplaceAllStringFunc(text, func(s string) string {
		h, m, _ := strings.Cut(s, ":")
		hour, _ := strconv.Atoi(h)
		minute, _ := strconv.Atoi(m)
		if minute == 0 {
			return inWords(hour) + " o'clock"
		}
		return inWords(hour) + " " + inWords(minute)
	})
	return digitsIn.ReplaceAllStringFunc(text, func(s string) string {
		unit := ""
		if strings.HasPrefix(s, "$") {
			unit = " dollars"
		}
		if strings.HasSuffix(s, "%") {
			unit = " percent"
		}
		if strings.HasSuffix(s, "k") {
			unit = " k"
		}
		whole, fraction, dotted := strings.Cut(strings.Trim(strings.ReplaceAll(s, ",", ""), "$%k"), ".")
		n, err := strconv.Atoi(whole)
		if err != nil {
			return s
		}
		spoken := inWords(n)
		if dotted {
			spoken += " point"
			for _, digit := range fraction {
				spoken += " " + wordUnder[digit-'0']
			}
		}
		return spoken + unit
	})
}

func plainOf(text string) string {
	return strings.Join(strings.Fields(strings.ToLower(marks.ReplaceAllString(text, " "))), " ")
}

// withFillers returns the text as somebody says it who thinks while speaking.
func withFillers(text string) string {
	out := []string{"um"}
	for i, w := range strings.Fields(text) {
		out = append(out, w)
		if i%6 == 4 {
			out = append(out, "uh")
		}
	}
	return strings.Join(out, " ")
}

// timedWords returns the words of a text as a recognizer reports them: with a pause
// where the written text ends a sentence.
func timedWords(written string, gap int) claims.Segment {
	var (
		words []claims.Word
		text  []string
		at    int
	)
	for _, w := range strings.Fields(spokenNumbers(strings.ReplaceAll(written, "p.m.", "pm"))) {
		ends := strings.ContainsAny(w[len(w)-1:], ".?!;")
		if w = plainOf(w); w == "" {
			continue
		}
		text = append(text, w)
		words = append(words, claims.Word{Text: w, StartMS: at, EndMS: at + 200})
		at += 250
		if ends {
			at += gap
		}
	}
	return claims.Segment{Text: strings.Join(text, " "), Words: words, EndMS: at}
}

// variants returns the forms in which an answer with the same words may arrive.
func variants(text string) map[string]claims.Segment {
	plain := plainOf(spokenNumbers(text))
	return map[string]claims.Segment{
		"typed":                {Text: text, Typed: true},
		"lower case":           {Text: strings.ToLower(text), Typed: true},
		"capitals":             {Text: strings.ToUpper(text), Typed: true},
		"without marks":        {Text: strings.Join(strings.Fields(marks.ReplaceAllString(text, " ")), " "), Typed: true},
		"without commas":       {Text: strings.ReplaceAll(text, ", ", " "), Typed: true},
		"stops for commas":     {Text: strings.ReplaceAll(text, ", ", ". "), Typed: true},
		"recognized":           {Text: plain},
		"with fillers":         {Text: withFillers(plain)},
		"timed":                timedWords(text, 0),
		"timed, with pauses":   timedWords(text, 600),
		"in one line of marks": {Text: strings.ReplaceAll(plain, " ", ", ")},
	}
}

// statements returns what an answer states, sorted, and the verdict on that in each
// world. judged holds earlier verdicts.
func (a saidAnswer) statements(s claims.Segment, worlds []check.Data, judged map[string][]string) (lines []string, verdicts []string, all []claims.Claim) {
	s.ID, s.QuestionID = "s1", "q1"
	all = extract.Claims([]claims.Segment{s}, map[string]extract.Asked{"q1": a.asked})
	for _, c := range all {
		lines = append(lines, statedAs(c))
	}
	slices.Sort(lines)
	same := strings.Join(lines, "|")
	if verdicts, ok := judged[same]; ok {
		return lines, verdicts, all
	}
	for _, d := range worlds {
		for _, c := range check.Claims(all, d) {
			verdicts = append(verdicts, statedAs(c.Claim)+": "+string(c.Verdict))
		}
	}
	slices.Sort(verdicts)
	judged[same] = verdicts
	return lines, verdicts, all
}

// newContraryWorlds returns two worlds. Nearly every statement is wrong in one of them.
func newContraryWorlds() []check.Data {
	quiet := claimstest.NewWorld()
	quiet.Calendar, quiet.Directory = claimstest.NewsAt(3), new(9)
	busy := claimstest.NewWorld()
	busy.Calendar, busy.Symbol, busy.Stop, busy.Hold, busy.Directory = claimstest.NewsAt(9), "ACMEUSD", "", 40*time.Hour, new(9)
	busy.Symbol, busy.PerDay, busy.Days = "USDZAR", 12, 40
	busy.Each = func(n int, t *record.Trade) {
		if n%2 == 0 {
			t.OpenTime = claimstest.Monday.AddDate(0, 0, n/12).Add(time.Duration(n%7) * 10 * time.Second)
			t.CloseTime = t.OpenTime.Add(40 * time.Hour)
		}
	}
	busy.Loss = 9000
	return []check.Data{quiet.Data(), busy.Data()}
}

// score counts how much of what was said was found.
type score struct{ answers, right, wrong, missed, varied, accused int }

func (s score) String() string {
	return fmt.Sprintf("%4d answers  precision %.3f  recall %.3f  invariance %.3f  false and inconsistent %d", s.answers, ratio(s.right, s.right+s.wrong), ratio(s.right, s.right+s.missed), ratio(s.answers-s.varied, s.answers), s.accused)
}

func ratio(n, of int) float64 {
	if of == 0 {
		return 1
	}
	return float64(n) / float64(of)
}

// add counts one form of an answer.
func (s *score) add(want, got, verdicts []string) (wrong []string) {
	left := slices.Clone(want)
	for _, line := range got {
		if at := slices.Index(left, line); at >= 0 {
			s.right++
			left = slices.Delete(left, at, at+1)
			continue
		}
		s.wrong++
		wrong = append(wrong, "+ "+line)
		if slices.Contains(verdicts, line+": "+string(check.Inconsistent)) {
			s.accused++
		}
	}
	s.missed += len(left)
	for _, line := range left {
		wrong = append(wrong, "- "+line)
	}
	return wrong
}

// TestCorpus compares what is found in the answers of the corpus, in each form in
// which they may arrive, with what they state.
func TestCorpus(t *testing.T) {
	t.Parallel()
	worlds := newContraryWorlds()
	total, byFile := score{}, map[string]*score{}
	for _, a := range corpus(t) {
		s := byFile[a.file]
		if s == nil {
			s = new(score)
			byFile[a.file] = s
		}
		judged := map[string][]string{}
		first, firstVerdicts, _ := a.statements(variants(a.text)["typed"], worlds, judged)
		s.answers++
		varied := false
		told := map[string]bool{}
		for name, segment := range variants(a.text) {
			got, verdicts, all := a.statements(segment, worlds, judged)
			if wrong := strings.Join(s.add(a.want, got, verdicts), "\n\t"); wrong != "" && !told[wrong] {
				told[wrong] = true
				t.Logf("%s, %s: %q %q\n\t%s", a.file, name, a.asked.Prompt, segment.Text, wrong)
			}
			if !slices.Equal(got, first) || !slices.Equal(verdicts, firstVerdicts) {
				varied = true
			}
			for _, c := range all {
				if !strings.Contains(segment.Text, c.Quote) {
					t.Errorf("the quote %q does not stand in %q", c.Quote, segment.Text)
				}
			}
		}
		if varied {
			s.varied++
			t.Logf("%s: not the same in all ways: %q", a.file, a.text)
		}
	}
	for _, file := range slices.Sorted(maps.Keys(byFile)) {
		s := byFile[file]
		fmt.Printf("statements, %-10s %s\n", file+":", s)
		total = score{total.answers + s.answers, total.right + s.right, total.wrong + s.wrong, total.missed + s.missed, total.varied + s.varied, total.accused + s.accused}
	}
	fmt.Printf("statements, %-10s %s\n", "all:", total)
	if s := byFile["misread"]; s.wrong > 0 {
		t.Errorf("%d statements in misread.txt are not those that were made", s.wrong)
	}
	switch {
	case total.answers < 200, ratio(total.right, total.right+total.wrong) < 0.95, ratio(total.right, total.right+total.missed) < 0.85, total.varied > 0, total.accused > 0:
		t.Error("the corpus is below its bars: 200 answers, precision 0.95, recall 0.85, the same for all ways, nothing false that is inconsistent")
	}
}
