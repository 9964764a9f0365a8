package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseTargets(t *testing.T) {
	t.Parallel()
	const output = `FuzzParse
FuzzOther
ok  	example.org/m/configs	0.012s
ok  	example.org/m/store	0.050s
?   	example.org/m/syncd	[no test files]
FuzzDecode
ok  	example.org/m/alias	(cached)
`
	want := []target{{"example.org/m/configs", "FuzzParse"}, {"example.org/m/configs", "FuzzOther"}, {"example.org/m/alias", "FuzzDecode"}}
	if diff := cmp.Diff(want, parseTargets(output), cmp.AllowUnexported(target{})); diff != "" {
		t.Errorf("targets (-want +got):\n%s", diff)
	}
}

func TestWithPackages(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		args []string
		want []string
	}{
		{"nothing", nil, []string{"./...", "./test/..."}},
		{"flags", []string{"-run", "X"}, []string{"-run", "X", "./...", "./test/..."}},
		{"a package", []string{"-run", "X", "./store"}, []string{"-run", "X", "./store"}},
		{"arguments of the tests", []string{"-v", "-args", "-update", "./x"}, []string{"-v", "./...", "./test/...", "-args", "-update", "./x"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, withPackages(tc.args, product, outside)); diff != "" {
				t.Errorf("arguments (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWithin(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		args []string
		want bool
	}{
		{"both modules", []string{"-race", "./...", "./test/..."}, true},
		{"the product", []string{"-race", "./..."}, false},
		{"all of test", []string{"./test/..."}, true},
		{"the package", []string{"-run", "X", "./test/clients"}, true},
		{"the package and what lies below", []string{"./test/clients/..."}, true},
		{"another", []string{"./test/ops"}, false},
		{"test alone", []string{"./test"}, false},
		{"all of another", []string{"./store/...", "-v"}, false},
		{"one whose name begins alike", []string{"./test/client/..."}, false},
		{"an argument of the tests", []string{"./store", "-args", "./test/clients"}, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := namesPackage(tc.args, clientTests); got != tc.want {
				t.Errorf("%q name %s: %v, want %v", tc.args, clientTests, got, tc.want)
			}
		})
	}
}

func TestRaced(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		args []string
		want bool
	}{
		{[]string{"-race", "./..."}, true},
		{[]string{"-short", "--race=true"}, true},
		{[]string{"-race", "-race=false"}, false},
		{[]string{"-race=0", "-race"}, true},
		{[]string{"-run", "race", "./..."}, false},
		{[]string{"./...", "-args", "-race"}, false},
		{nil, false},
	} {
		if got := isRaced(tc.args); got != tc.want {
			t.Errorf("%q run with the race detector: %v, want %v", tc.args, got, tc.want)
		}
	}
}

func TestAllRuns(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		args []string
		want [][]string
	}{
		{"everything", []string{"-count=1"}, [][]string{
			{"-short", "-race", "-timeout", testTimeout, "-count=1", product, clients, kit, kitTests},
			{"-timeout", testTimeout, "-count=1", product, clients, kit, outside},
		}},
		{"a package", []string{"-run", "X", "./test/ops"}, [][]string{{"-race", "-timeout", testTimeout, "-run", "X", "./test/ops"}}},
	} {
		if diff := cmp.Diff(tc.want, allRuns(tc.args)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.name, diff)
		}
	}
}

func TestReportable(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]bool{
		"-race ./...":                true,
		"-run TestV ./store":         true,
		"-v ./store":                 false,
		"-test.v=true ./store":       false,
		"--json ./store":             false,
		"-bench . ./store":           false,
		"-race ./store -args -v":     true,
		"-vet=off -race=false ./...": true,
	} {
		if got := isReportable(strings.Fields(args)); got != want {
			t.Errorf("%s: %t, want %t", args, got, want)
		}
	}
}

func TestNewEnough(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]bool{
		"v18.20.4": true, "v18.19.0": false, "v16.20.2": false, "v20.0.0": true, "v22.1.0": true,
		"v99999999999999999999.0.0": true, "": false, "18.20.4": false, "v18": false,
	} {
		if got := newEnough(version) == nil; got != want {
			t.Errorf("node %q will do: %v, want %v", version, got, want)
		}
	}
}

func TestTestEnviron(t *testing.T) {
	t.Parallel()
	got := testEnviron([]string{"HOME=/h", "ASSAY_DATABASE_URL=mine", "ASSAY_TEST_SEED=1", "ASSAY_TEST_DATABASE_URL=old"}, "new")
	if diff := cmp.Diff([]string{"HOME=/h", "ASSAY_TEST_SEED=1", "ASSAY_TEST_DATABASE_URL=new"}, got); diff != "" {
		t.Errorf("environment (-want +got):\n%s", diff)
	}
}

func TestExitCode(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		args []string
		want int
	}{
		{"help", []string{"help"}, 0},
		{"nothing", nil, 0},
		{"help of run", []string{"run", "--help"}, 0},
		{"help of test", []string{"test", "--help"}, 0},
		{"help of test-all", []string{"test-all", "--help"}, 0},
		{"help of bench", []string{"bench", "-h"}, 0},
		{"help of chaos", []string{"chaos", "-runs", "3", "-h"}, 0},
		{"help of the drill", []string{"restore-drill", "-help"}, 0},
		{"help of fuzz", []string{"fuzz", "--help"}, 0},
		{"unknown command", []string{"walk"}, 2},
		{"unknown flag of run", []string{"run", "--default", "x"}, 2},
		{"fault without a name", []string{"run", "--fault"}, 2},
		{"argument of run", []string{"run", "status-500"}, 2},
		{"outside of the checkout's root", []string{"run"}, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := exitCode(dispatchCommand(tc.args)); got != tc.want {
				t.Errorf("exit code %d, want %d", got, tc.want)
			}
		})
	}
}
