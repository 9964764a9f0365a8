package contracttest_test

import (
	"bufio"
	"crypto/x509"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/contracttest"
	"github.com/assayhq/assay/internal/simulator/host"
	"github.com/assayhq/assay/store/storetest"
)

// nodeFolder holds the platform in JavaScript that customers read as an example.
const nodeFolder = "../../contracttest/testdata/node"

// nodePlatform starts a platform written in JavaScript that uses none of our libraries. edits
// replace texts in the script, given in pairs of old and new.
func nodePlatform(t *testing.T, script string, edits ...string) contracttest.Options {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		storetest.LeaveOut(t, "this test runs a platform in Node, and node is not installed: make test-all installs it where it may")
	}
	identity, err := host.NewIdentity()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(nodeFolder, script))
	if err != nil {
		t.Fatal(err)
	}
	text = []byte(strings.NewReplacer(edits...).Replace(string(text)))
	dir := t.TempDir()
	for name, text := range map[string][]byte{script: text, "cert.pem": identity.Cert, "key.pem": identity.Key} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), node, filepath.Join(dir, script), "test-key", filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem"))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	port, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	o := (&platform{}).options("https://127.0.0.1:" + strings.TrimSpace(port))
	o.RootCAs = x509.NewCertPool()
	o.RootCAs.AppendCertsFromPEM(identity.CA)
	o.MaxRequests = 200 // endless cursors take more
	return o
}

// The first version of a platform that was written from the contract's text, and what the kit
// reports about it.
func TestNodePlatformFirstVersion(t *testing.T) {
	t.Parallel()
	first := check(t, nodePlatform(t, "first.mjs"))
	if got := first.Failures(); !slices.Equal(got, []string{"live.health"}) || first.Verdicts[contracttest.LiveCheck] != contracttest.Violations {
		t.Errorf("verdicts %v, failures %v: behind the health, nothing is asked", first.Verdicts, got)
	}
	r := check(t, nodePlatform(t, "first.mjs", `"OK"`, `"ok"`))
	for _, id := range r.Failures() {
		t.Logf("%s: %s", id, result(t, r, id).Message)
	}
	if r.Verdict != contracttest.Violations {
		t.Errorf("verdicts %v", r.Verdicts)
	}
	want := nodeChanges()
	got := []string{"live.health"}
	for _, id := range r.Failures() {
		got = append(got, starred(id))
	}
	slices.Sort(got)
	var explained []string
	for _, c := range want {
		explained = append(explained, strings.Fields(c.cases)...)
	}
	slices.Sort(explained)
	if diff := cmp.Diff(explained, slices.Compact(got)); diff != "" {
		t.Errorf("cases that fail (-README +got):\n%s", diff)
	}
}

// starred writes a star for lists that have the same results.
func starred(id string) string {
	for _, list := range []string{"traders.", "accounts.", "trades.", "payouts."} {
		if rest, ok := strings.CutPrefix(id, list); ok && rest != "open" {
			return "*." + rest
		}
	}
	return id
}

func TestNodePlatformPassingVersion(t *testing.T) {
	t.Parallel()
	r := check(t, nodePlatform(t, "fixed.mjs"))
	if r.Verdict != contracttest.Conformant || len(r.Failures()) > 0 {
		for _, id := range r.Failures() {
			t.Logf("%s: %s", id, result(t, r, id).Message)
		}
		t.Errorf("verdict %s, failures %v", r.Verdict, r.Failures())
	}
}

// change is one change between the first version and the passing one, and the cases that ask for
// it.
type change struct{ what, cases string }

// nodeChanges are the changes in testdata/node, in file order.
func nodeChanges() []change {
	return []change{
		{"The health is ok in small letters.", "live.health"},
		{"The key is checked before everything else.", "auth.no-key.health auth.wrong-key.health"},
		{"Errors have the error body.", "errors.unauthorized"},
		{"A trader comes without an envelope.", "trader.by-id"},
		{"A trader who does not exist is 404.", "trader.unknown"},
		{"updated_since is inclusive, and compared as a time.", "*.since-inclusive"},
		{"A cursor is the position of the last record, and null on the last page.", "*.advance *.end"},
		{"limit is 100 when it is absent.", "*.default-limit"},
		{"Records come by updated_at and then id, the oldest first.", "*.order"},
		{"Open trades are listed.", "trades.open"},
	}
}

// README.md in testdata/node quotes the kit's hint for each change, and the diff.
func TestNodeReadme(t *testing.T) {
	t.Parallel()
	cases := make(map[string]contracttest.Case)
	for _, c := range contracttest.Cases() {
		cases[c.ID] = c
	}
	var b strings.Builder
	b.WriteString("# A platform in JavaScript\n\nGenerated by `go test ./test/contracttest -run TestNodeReadme -update`. [first.mjs](first.mjs) is a platform as somebody wrote it against the contract's text, without a library of ours; " +
		"[fixed.mjs](fixed.mjs) is what became of it under `contracttest check`. Tests hold the kit against both: the first version fails the cases below, of which the health comes first because nothing else is asked before it is ok, and the second one none.\n\n" +
		"| change | case | what the kit says about it |\n|---|---|---|\n")
	for _, c := range nodeChanges() {
		for _, id := range strings.Fields(c.cases) {
			hint := cases[strings.Replace(id, "*", "accounts", 1)]
			if hint.Fix == "" {
				t.Errorf("there is no case %s", id)
			}
			b.WriteString("| " + c.what + " | `" + id + "` | " + strings.ReplaceAll(hint.Fix, "|", "\\|") + " |\n")
		}
	}
	diff, err := exec.CommandContext(t.Context(), "diff", "-u", "--label", "first.mjs", "--label", "fixed.mjs", filepath.Join(nodeFolder, "first.mjs"), filepath.Join(nodeFolder, "fixed.mjs")).Output()
	if err == nil || len(diff) == 0 {
		t.Fatalf("the versions do not differ: %v", err)
	}
	b.WriteString("\n## The changes\n\n```diff\n" + string(diff) + "```\n")
	path := filepath.Join(nodeFolder, "README.md")
	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != b.String() {
		t.Errorf("%s is not what the tests show (%v): go test ./test/contracttest -run TestNodeReadme -update", path, err)
	}
}
