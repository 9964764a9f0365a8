package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseRun(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		args []string
		want runFlags
	}{
		{"nothing", nil, runFlags{}},
		{"one", []string{"--fault", "status-500,endpoint=/trades"}, runFlags{faults: []string{"status-500,endpoint=/trades"}}},
		{"one of the partner platform", []string{"--partner-fault", "slow,delay=3s"}, runFlags{partnerFaults: []string{"slow,delay=3s"}}},
		{
			"several",
			[]string{"--fault", "slow", "--partner-fault=status-500", "--fault=payouts-404", "--partner-fault", "slow"},
			runFlags{faults: []string{"slow", "payouts-404"}, partnerFaults: []string{"status-500", "slow"}},
		},
		{
			"where",
			[]string{"--port", "9000", "--dir=/tmp/assay", "--open"},
			runFlags{port: 9000, dir: "/tmp/assay", open: true},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got, err := parseRun(tc.args)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(runFlags{})); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseRunRefuses(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"--port http": `"http" for flag --port: want a number from 1 to 65535`, "--port 0": "from 1 to 65535", "--port 65536": "from 1 to 65535",
		"--dir": "needs an argument: --dir", "--ports 1": " --ports", "/tmp/assay": `"/tmp/assay"`,
	} {
		if _, err := parseRun(strings.Fields(args)); !errors.Is(err, errUsage) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", args, err, want)
		}
	}
}

func TestRunFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, d := range []string{"empty", "documents", "used/logs"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "documents", "letter"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"missing": "", "empty": "", "used": "", "documents": "files of something else", "documents/letter": "empty or not there yet",
	} {
		err := checkRunFolder(filepath.Join(dir, name))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", name, err, want)
		}
	}
}

// TestRunFolderThatCannotBeWritten: a folder that cannot be made is answered with its name and what to give.
func TestRunFolderThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "letter")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(file, "run")
	l := &launcher{command: "run"}
	if err := l.openDir(t.Context(), dir); err == nil || !strings.Contains(err.Error(), dir) || !strings.Contains(err.Error(), "--dir") {
		t.Errorf("error %v, want the folder and what to give", err)
	}
}
