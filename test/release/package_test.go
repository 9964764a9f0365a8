package release_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/assayhq/assay/store/roles"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/test/deploytest"
)

// system is a clean Debian or Ubuntu in a folder, which programs see as their root.
type system string

// newSystem unpacks a clean system.
func newSystem(t *testing.T) system {
	t.Helper()
	if os.Geteuid() != 0 {
		storetest.LeaveOut(t, "only root can install a package in a system of its own")
	}
	image := os.Getenv("ASSAY_TEST_DEBIAN")
	if image == "" {
		storetest.LeaveOut(t, "ASSAY_TEST_DEBIAN names no clean system: run make test-all, which makes one")
	}
	s := system(t.TempDir())
	run(t, exec.CommandContext(t.Context(), "tar", "-C", string(s), "-xf", image))
	check(t, os.Chmod(string(s), 0o755))                    // for the user assay
	check(t, os.WriteFile(s.path("/dev/null"), nil, 0o666)) // devices need a mount that tests may not have
	return s
}

func (s system) path(name string) string { return filepath.Join(string(s), name) }

func (s system) read(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(s.path(name))
	check(t, err)
	return string(content)
}

func (s system) write(t *testing.T, name, text string) {
	t.Helper()
	check(t, os.WriteFile(s.path(name), []byte(text), 0o600))
}

// command is a program of the system, run as root.
func (s system) command(t *testing.T, environ []string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "/usr/bin/env", append([]string{"-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND=noninteractive"}, append(environ, args...)...)...)
	cmd.SysProcAttr, cmd.Dir = &syscall.SysProcAttr{Chroot: string(s)}, "/"
	return cmd
}

// copyIn copies a file into the system.
func (s system) copyIn(t *testing.T, file, name string) {
	t.Helper()
	content, err := os.ReadFile(file)
	check(t, err)
	s.write(t, name, string(content))
}

// olderPackage makes the same package of an earlier version.
func olderPackage(t *testing.T, deb string) string {
	t.Helper()
	dir := t.TempDir()
	run(t, exec.CommandContext(t.Context(), "dpkg-deb", "-R", deb, dir+"/package"))
	control := dir + "/package/DEBIAN/control"
	text, err := os.ReadFile(control)
	check(t, err)
	check(t, os.WriteFile(control, bytes.Replace(text, []byte("Version: 0.1.1-1"), []byte("Version: 0.1.0-1"), 1), 0o600))
	run(t, exec.CommandContext(t.Context(), "dpkg-deb", "-Zgzip", "-z1", "-b", dir+"/package", dir+"/old.deb"))
	return dir + "/old.deb"
}

// installPackage installs the package over an earlier version in a clean system, follows
// the install guide, and runs the services as their units say.
func installPackage(t *testing.T, deb string) {
	t.Helper()
	s := newSystem(t)
	s.copyIn(t, olderPackage(t, deb), "/old.deb")
	s.copyIn(t, deb, "/new.deb")
	if out := run(t, s.command(t, nil, "dpkg", "-i", "/old.deb")); !strings.Contains(out, "see /usr/share/doc/assay/install.md") {
		t.Errorf("installing does not say what comes next:\n%s", out)
	}
	database, public := storetest.Empty(t), storetest.Address(t)
	debug := map[string]string{"apiserver": storetest.Address(t), "syncd": storetest.Address(t)}
	check(t, storetest.MakeRoles(t.Context(), storetest.Conn(t, database)))
	for user, url := range map[string]string{
		"owner": database, "apiserver": storetest.As(t, roles.APIServer, database), "syncd": storetest.As(t, roles.Syncd, database),
	} {
		s.write(t, "/etc/assay/"+user+".url", url+"\n")
	}
	keyring, err := s.command(t, nil, "apiserver", "keyring", "new").Output()
	check(t, err)
	s.write(t, "/etc/assay/keyring.yaml", string(keyring))
	run(t, s.command(t, nil, "chown", "root:assay", "/etc/assay/keyring.yaml"))
	run(t, s.command(t, nil, "chmod", "640", "/etc/assay/keyring.yaml"))
	mine := strings.Replace(s.read(t, "/etc/assay/assay.yaml"), "public_url:", "public_url: https://assay.example.com", 1) +
		fmt.Sprintf("\nlisten: %s\ndebug: {apiserver: %q, syncd: %q}\n", public, debug["apiserver"], debug["syncd"])
	s.write(t, "/etc/assay/assay.yaml", mine)
	check(t, os.Chmod(s.path("/etc/assay/assay.yaml"), 0o644)) // as the package installed it

	out := run(t, s.command(t, nil, "dpkg", "-i", "/new.deb"))
	migrate := "ASSAY_DATABASE_URL_FILE=/etc/assay/owner.url apiserver migrate --config /etc/assay/assay.yaml"
	if !strings.Contains(out, migrate) || !strings.Contains(out, "systemctl restart assay-syncd assay-apiserver") {
		t.Errorf("upgrading does not say what comes next:\n%s", out)
	}
	if got := s.read(t, "/etc/assay/assay.yaml"); got != mine {
		t.Errorf("upgrading has changed the configuration to:\n%s", got)
	}
	s.checkOwners(t)
	s.checkCommand(t)
	s.checkRestarts(t)
	refused, err := s.service(t, "assay-apiserver").CombinedOutput()
	if err == nil || !strings.Contains(string(refused), "apiserver migrate") {
		t.Errorf("a database without tables is answered with %v\n%s", err, refused)
	}
	run(t, s.command(t, nil, strings.Fields(migrate)...))
	run(t, s.command(t, nil, "ASSAY_DATABASE_URL_FILE=/etc/assay/owner.url", "apiserver", "bootstrap", "--config", "/etc/assay/assay.yaml", "--organization", "Firm", "--email", "owner@firm.test"))
	services := deploytest.Deployment{Debug: debug}
	for _, name := range []string{"apiserver", "syncd"} {
		services.StartCommand(t, name, s.service(t, "assay-"+name)).Stop(t)
	}
	run(t, s.command(t, nil, "dpkg", "-r", "assay"))
	if got := s.read(t, "/etc/assay/assay.yaml"); got != mine {
		t.Errorf("removing has changed the configuration to:\n%s", got)
	}
	if _, err := os.Stat(s.path("/usr/bin/apiserver")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the program is still there: %v", err)
	}
	if out := run(t, s.command(t, nil, "dpkg", "-i", "/new.deb")); !strings.Contains(out, "systemctl enable assay-syncd assay-apiserver") {
		t.Errorf("installing again does not say that the services are disabled:\n%s", out)
	}
}

// checkOwners checks that nobody but the service reads its files, and that it can write no
// program or configuration.
func (s system) checkOwners(t *testing.T) {
	t.Helper()
	out := run(t, s.command(t, nil, "stat", "-c", "%n %U:%G %a", "/etc/assay", "/etc/assay/assay.yaml", "/etc/assay/keyring.yaml", "/var/lib/assay", "/usr/bin/syncd"))
	want := "/etc/assay root:assay 750\n/etc/assay/assay.yaml root:root 644\n/etc/assay/keyring.yaml root:assay 640\n/var/lib/assay assay:assay 750\n/usr/bin/syncd root:root 755\n"
	if out != want {
		t.Errorf("owners and rights:\n%swant:\n%s", out, want)
	}
}

// checkCommand asks the installed assay command for its version, and bash how it completes it.
func (s system) checkCommand(t *testing.T) {
	t.Helper()
	if out := run(t, s.command(t, nil, "assay", "--version")); !strings.HasPrefix(out, "assay 0.1.1, revision ") {
		t.Errorf("the installed assay is of version %q", out)
	}
	const complete = ". /usr/share/bash-completion/completions/assay && complete -p assay"
	if out := run(t, s.command(t, nil, "bash", "-c", complete)); !strings.HasSuffix(strings.TrimSpace(out), "-F __start_assay assay") {
		t.Errorf("bash completes assay by %q", out)
	}
}

// checkRestarts asks needrestart's settings, which are Perl, whether it restarts the services after
// an upgrade. 0 means that it does not.
func (s system) checkRestarts(t *testing.T) {
	t.Helper()
	const ask = `our %nrconf = (override_rc => {}); eval do { local(@ARGV, $/) = "/etc/needrestart/conf.d/assay.conf"; <> }; die $@ if $@;
foreach my $service (@ARGV) { foreach my $re (keys %{$nrconf{override_rc}}) { print "$service $nrconf{override_rc}->{$re}\n" if $service =~ /$re/ } }`
	if out := run(t, s.command(t, nil, "perl", "-e", ask, "assay-apiserver.service", "assay-syncd.service", "cron.service")); out != "assay-apiserver.service 0\nassay-syncd.service 0\n" {
		t.Errorf("needrestart would restart:\n%s", out)
	}
}

// service returns the command of an installed unit, as systemd would start it: with its
// user, folder, environment and credential.
func (s system) service(t *testing.T, unit string) *exec.Cmd {
	t.Helper()
	settings := map[string]string{}
	scan := bufio.NewScanner(strings.NewReader(s.read(t, "/usr/lib/systemd/system/"+unit+".service")))
	for scan.Scan() {
		if key, value, ok := strings.Cut(scan.Text(), "="); ok && settings[key] == "" {
			settings[key] = value
		}
	}
	check(t, scan.Err())
	uid, gid := s.account(t, settings["User"])
	credential, source, _ := strings.Cut(settings["LoadCredential"], ":")
	folder := "/run/credentials/" + unit
	check(t, os.MkdirAll(s.path(folder), 0o755))
	s.write(t, folder+"/"+credential, s.read(t, source))
	check(t, os.Chown(s.path(folder+"/"+credential), uid, gid))
	args := strings.Fields(settings["ExecStart"])
	cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
	cmd.Dir, cmd.Env = settings["WorkingDirectory"], []string{strings.ReplaceAll(settings["Environment"], "%d", folder)}
	cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: string(s), Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
	return cmd
}

// account returns the ids of a user of the system.
func (s system) account(t *testing.T, name string) (uid, gid int) {
	t.Helper()
	for line := range strings.Lines(s.read(t, "/etc/passwd")) {
		if fields := strings.Split(line, ":"); fields[0] == name {
			uid, err := strconv.Atoi(fields[2])
			check(t, err)
			gid, err := strconv.Atoi(fields[3])
			check(t, err)
			if _, err := user.LookupId(fields[2]); err == nil && uid == 0 {
				t.Fatalf("%s is root", name)
			}
			return uid, gid
		}
	}
	t.Fatalf("the package has made no user %s", name)
	return 0, 0
}
