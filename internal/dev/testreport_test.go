package main

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestReportTests(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, events, want string }{
		{"a package that passes shows its verdict and what was slow", `
{"Action":"start","Package":"p"}
{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestA","Output":"=== RUN   TestA\n"}
{"Action":"output","Package":"p","Test":"TestA","Output":"    a_test.go:1: log\n"}
{"Action":"pass","Package":"p","Test":"TestA","Elapsed":1.5}
{"Action":"pass","Package":"p","Test":"TestB/part","Elapsed":60.25}
{"Action":"pass","Package":"p","Test":"TestB/other","Elapsed":1}
{"Action":"pass","Package":"p","Test":"TestB/other/part","Elapsed":1}
{"Action":"pass","Package":"p","Test":"TestB","Elapsed":0}
{"Action":"pass","Package":"p","Test":"TestC","Elapsed":0.2}
{"Action":"output","Package":"p","Output":"noise\n"}
{"Action":"output","Package":"p","Output":"PASS\n"}
{"Action":"output","Package":"p","Output":"ok  \tp\t63.0s\n"}
{"Action":"pass","Package":"p","Elapsed":63}
`, "ok  \tp\t63.0s\n          61.2s  TestB\n           1.5s  TestA\n"},
		{"a failing test shows its output, the others' is left out", `
{"Action":"output","Package":"p","Test":"TestA","Output":"=== RUN   TestA\n"}
{"Action":"output","Package":"p","Test":"TestA","Output":"--- FAIL: TestA (0.01s)\n"}
{"Action":"output","Package":"p","Test":"TestA/part","Output":"    --- FAIL: TestA/part (0.01s)\n"}
{"Action":"output","Package":"p","Test":"TestA/part","Output":"        a_test.go:1: wrong\n"}
{"Action":"output","Package":"p","Test":"TestB","Output":"    a_test.go:9: fine\n"}
{"Action":"fail","Package":"p","Test":"TestA/part","Elapsed":0.01}
{"Action":"fail","Package":"p","Test":"TestA","Elapsed":0.01}
{"Action":"pass","Package":"p","Test":"TestB","Elapsed":0}
{"Action":"output","Package":"p","Output":"FAIL\n"}
{"Action":"output","Package":"p","Output":"FAIL\tp\t0.1s\n"}
{"Action":"fail","Package":"p","Elapsed":0.1}
`, "--- FAIL: TestA (0.01s)\n    --- FAIL: TestA/part (0.01s)\n        a_test.go:1: wrong\nFAIL\nFAIL\tp\t0.1s\n"},
		{"a test that did not end shows how far it came", `
{"Action":"output","Package":"p","Test":"TestA","Output":"panic: test timed out\n"}
{"Action":"output","Package":"p","Output":"FAIL\tp\t600s\n"}
{"Action":"fail","Package":"p","Elapsed":600}
`, "panic: test timed out\nFAIL\tp\t600s\n"},
		{"what does not build", `
{"ImportPath":"p","Action":"build-output","Output":"# p\n"}
{"ImportPath":"p","Action":"build-output","Output":"a.go:1:1: undefined: x\n"}
{"ImportPath":"p","Action":"build-fail"}
{"Action":"output","Package":"p","Output":"FAIL\tp [build failed]\n"}
{"Action":"fail","Package":"p","Elapsed":0,"FailedBuild":"p"}
`, "# p\na.go:1:1: undefined: x\nFAIL\tp [build failed]\n"},
		{"packages at a time", `
{"Action":"output","Package":"p","Output":"ok  \tp\t0.1s\n"}
{"Action":"output","Package":"q","Output":"?   \tq\t[no test files]\n"}
{"Action":"skip","Package":"q","Elapsed":0}
{"Action":"pass","Package":"p","Elapsed":0.1}
`, "?   \tq\t[no test files]\nok  \tp\t0.1s\n"},
		{"a line that is no event", "go: warning\n", "go: warning\n"},
		{"a last line without its end", `{"Action":"build-output","Output":"x"}`, "x"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var b strings.Builder
			if _, err := reportTests(strings.NewReader(strings.TrimPrefix(tt.events, "\n")), &b); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, b.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestFailures(t *testing.T) {
	t.Parallel()
	var logs strings.Builder
	for i := range 12 {
		fmt.Fprintf(&logs, `{"Action":"output","Package":"p","Test":"TestA","Output":"    a_test.go:%d: log\n"}`+"\n", i+1)
	}
	for _, tt := range []struct {
		name, events string
		want         []testFailure
	}{
		{"a part that failed, behind a long log", `
{"Action":"output","Package":"p","Test":"TestA","Output":"=== RUN   TestA\n"}
{"Action":"output","Package":"p","Test":"TestA/part","Output":"        a_test.go:1: wrong\n"}
{"Action":"output","Package":"p","Test":"TestA/part","Output":"            and why\n"}
{"Action":"output","Package":"p","Test":"TestA/part","Output":"        log.go:9: a log\n"}
{"Action":"output","Package":"p","Test":"TestA/part","Output":"    --- FAIL: TestA/part (0.01s)\n"}
{"Action":"output","Package":"p","Test":"TestA","Output":"--- FAIL: TestA (0.01s)\n"}
{"Action":"fail","Package":"p","Test":"TestA/part"}
{"Action":"fail","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestB","Output":"    a_test.go:9: fine\n"}
{"Action":"pass","Package":"p","Test":"TestB"}
{"Action":"fail","Package":"p"}
`, []testFailure{{"p", "TestA/part", []string{"a_test.go:1: wrong", "log.go:9: a log"}}}},
		{"a test that logs what it does before it fails", logs.String() + `{"Action":"output","Package":"p","Test":"TestA","Output":"    a_test.go:9: wrong\n"}
{"Action":"fail","Package":"p"}
`, []testFailure{{"p", "TestA", []string{"a_test.go:1: log", "a_test.go:2: log", "a_test.go:3: log", "a_test.go:4: log", "a_test.go:10: log", "a_test.go:11: log", "a_test.go:12: log", "a_test.go:9: wrong"}}}},
		{"a panic", `
{"Action":"output","Package":"p","Test":"TestA","Output":"panic: test timed out\n"}
{"Action":"fail","Package":"p"}
`, []testFailure{{"p", "TestA", []string{"panic: test timed out"}}}},
		{"what does not build", `
{"Action":"output","Package":"p","Output":"FAIL\tp [build failed]\n"}
{"Action":"fail","Package":"p"}
`, []testFailure{{pkg: "p"}}},
		{"a package that passes", `
{"Action":"output","Package":"p","Test":"TestA","Output":"    a_test.go:9: skipped\n"}
{"Action":"skip","Package":"p","Test":"TestA"}
{"Action":"pass","Package":"p"}
`, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := reportTests(strings.NewReader(strings.TrimPrefix(tt.events, "\n")), io.Discard)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(testFailure{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestSlowTestsHaveReasons looks for reasons in the comments of this file, such as: It takes long
// because it waits.
func TestSlowTestsHaveReasons(t *testing.T) {
	t.Chdir("../..")
	const pkg = modulePath + "/internal/dev"
	for _, tt := range []struct {
		pkg, test string
		took      time.Duration
		named     bool
	}{
		{pkg, "TestSlowTestsHaveReasons", time.Minute, false},
		{pkg, "TestReportTests", time.Minute, true},
		{pkg, "TestReportTests", 4 * time.Second, false},
		{pkg, "TestOfNobody", time.Minute, false},
		{"example.com/other", "TestReportTests", time.Minute, false},
	} {
		if got := missingReason(tt.pkg, testTime{tt.test, tt.took}); (got != "") != tt.named {
			t.Errorf("%s of %s, which took %s: %q", tt.test, tt.pkg, tt.took, got)
		}
	}
}
