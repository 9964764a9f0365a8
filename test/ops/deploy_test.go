package ops_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"

	"github.com/assayhq/assay/configs"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/test/deploytest"
)

// files lists the checkout's files of a pattern.
func files(t *testing.T, pattern ...string) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(append([]string{root}, pattern...)...))
	if err != nil || len(list) == 0 {
		t.Fatalf("no %s: %v", filepath.Join(pattern...), err)
	}
	return list
}

// accepts has a daemon read its command line: of all that can be wrong with it, only
// the missing configuration file may be.
func accepts(t *testing.T, args []string) {
	t.Helper()
	if !slices.Contains([]string{"apiserver", "syncd"}, filepath.Base(args[0])) {
		t.Errorf("%q is no program of assay", args[0])
		return
	}
	cmd := exec.CommandContext(t.Context(), deploytest.Program(t, filepath.Base(args[0])), args[1:]...)
	cmd.Env = []string{"HOME=" + t.TempDir()}
	out, err := cmd.CombinedOutput()
	if err == nil && bytes.Contains(out, []byte("Usage:")) {
		return // it was asked for help
	}
	if bytes.Contains(out, []byte("invalid command line")) || !bytes.Contains(out, []byte("/etc/assay/assay.yaml")) && !bytes.Contains(out, []byte("database.url")) {
		t.Errorf("%v is not understood: %v\n%s", args, err, out)
	}
}

// TestUnits has systemd check the units, with the programs where they were built. It takes long because
// it waits until they are built.
func TestUnits(t *testing.T) {
	t.Parallel()
	var units []string
	command := regexp.MustCompile(`(?m)^ExecStart=(.*)$`)
	for _, file := range files(t, "configs", "systemd", "*.service") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		m := command.FindSubmatch(text)
		if m == nil {
			t.Fatalf("%s starts nothing", file)
		}
		accepts(t, strings.Fields(string(m[1])))
		checkUnit(t, filepath.Base(file), string(text))
		unit := filepath.Join(t.TempDir(), filepath.Base(file))
		if err := os.WriteFile(unit, bytes.ReplaceAll(text, []byte("/usr/local/bin/"), []byte(filepath.Dir(deploytest.Program(t, "apiserver"))+"/")), 0o600); err != nil {
			t.Fatal(err)
		}
		units = append(units, unit)
	}
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		storetest.LeaveOut(t, "systemd-analyze is not here: the units are not checked by systemd")
	}
	if out, err := exec.CommandContext(t.Context(), "systemd-analyze", append([]string{"verify", "--man=no"}, units...)...).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("systemd-analyze verify: %v\n%s", err, out)
	}
	for _, unit := range units {
		// 0 is safe, 10 is not: systemd calls up to 2 "ok".
		out, err := exec.CommandContext(t.Context(), "systemd-analyze", "security", "--offline=true", "--threshold=20", unit).CombinedOutput()
		if err != nil {
			t.Errorf("systemd-analyze security: %v\n%s", err, out)
		}
	}
}

// checkUnit wants a unit to be started again after any failure, and to keep its temporary files on
// a disk.
func checkUnit(t *testing.T, name, text string) {
	t.Helper()
	for _, setting := range []string{"StartLimitIntervalSec=0", "Restart=on-failure", "Environment=TMPDIR=/var/tmp"} {
		if !strings.Contains(text, "\n"+setting+"\n") {
			t.Errorf("%s lacks %s", name, setting)
		}
	}
	if strings.Contains(text, "RestartPreventExitStatus") {
		t.Errorf("%s is not started again after a panic in Go, which exits with 2 as a wrong configuration does", name)
	}
}

// TestCompose has Compose's own library load the file, which checks it against the
// schema, and holds it against the Dockerfile, the programs and the configuration. It takes long
// because it waits until the programs are built.
func TestCompose(t *testing.T) {
	t.Parallel()
	options, err := cli.NewProjectOptions([]string{filepath.Join(root, "configs", "docker", "compose.yaml")})
	if err != nil {
		t.Fatal(err)
	}
	project, err := options.LoadProject(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if check := project.Services["postgres"].HealthCheck.Test; !slices.Contains(check, "--host=127.0.0.1") {
		t.Errorf("Postgres counts as healthy before it answers other services: %v", check)
	}
	image := string(read(t, "configs", "docker", "Dockerfile"))
	for name, s := range project.Services {
		if s.Image != "assay" {
			continue
		}
		if !s.ReadOnly || !slices.Contains(s.CapDrop, "ALL") || !slices.Contains(s.SecurityOpt, "no-new-privileges:true") {
			t.Errorf("%s may do more than it needs", name)
		}
		if text, err := os.ReadFile(filepath.Join(s.Build.Context, s.Build.Dockerfile)); err != nil || string(text) != image {
			t.Errorf("%s is built from %s in %s: %v", name, s.Build.Dockerfile, s.Build.Context, err)
		}
		accepts(t, s.Command)
		environ := slices.DeleteFunc(environment(t, s.Environment), func(e string) bool { return strings.Contains(e, "_FILE=") })
		if _, err := configs.Load("", environ); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, program := range []string{"apiserver", "syncd"} {
		if !strings.Contains(image, "./"+program) || !strings.Contains(image, "/out/"+program) {
			t.Errorf("the image lacks %s", program)
		}
	}
	for _, folder := range regexp.MustCompile(`(?m)^COPY ([\w.]+ .*)$`).FindAllStringSubmatch(image, -1) {
		for _, source := range strings.Fields(folder[1])[:len(strings.Fields(folder[1]))-1] {
			if _, err := os.Stat(filepath.Join(root, source)); err != nil {
				t.Error(err)
			}
		}
	}
	goVersion := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindSubmatch(read(t, "go.mod"))
	if !strings.Contains(image, "FROM golang:"+string(goVersion[1])+"-") {
		t.Errorf("the image is not built with Go %s", goVersion[1])
	}
	if user := regexp.MustCompile(`(?m)^USER (\d+):`).FindStringSubmatch(image); user == nil || user[1] == "0" {
		t.Error("the image runs as root")
	}
}

// environment is a service's environment; each variable has to be one that the
// configuration knows.
func environment(t *testing.T, all types.MappingWithEquals) (list []string) {
	t.Helper()
	known := make(map[string]bool)
	for _, key := range configs.Keys() {
		known[configs.Variable(key)] = true
	}
	for name, value := range all {
		if !known[name] {
			t.Errorf("%s is no key of the configuration", name)
		}
		list = append(list, name+"="+*value)
	}
	return list
}
