package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/assayhq/assay/store/storetest"
)

// verified is the output line for an organization whose log is intact.
var verified = regexp.MustCompile(`(?m)^([0-9a-f-]{36})  ok  (\d+) rows, head (\d+:[0-9a-f]{64})$`)

func TestAuditVerify(t *testing.T) {
	t.Parallel()
	database := storetest.URL(t)
	s := newSite(t, database)
	first, second := bootstrapOf(t, s, "Alpha Capital"), bootstrapOf(t, s, "Beta")
	verify := func(args ...string) (stdout, stderr string, code int) {
		return runProgram(t, append([]string{"audit", "verify", "--config", s.config}, args...)...)
	}
	stdout, stderr, code := verify()
	lines := verified.FindAllStringSubmatch(stdout, -1)
	if code != 0 || stderr != "" || len(lines) != 2 {
		t.Fatalf("exit %d\n%s%s", code, stdout, stderr)
	}
	heads := map[string]string{}
	for _, line := range lines {
		heads[line[1]] = line[3]
		if line[2] != "3" || !strings.HasPrefix(line[3], "3:") {
			t.Errorf("a bootstrap leaves three rows: %s", line[0])
		}
	}
	id, other := first.OrganizationID.String(), second.OrganizationID.String()
	if stdout, _, code := verify("--organization", id, "--expect", heads[id]); code != 0 || strings.Count(stdout, "\n") != 1 || !strings.Contains(stdout, id+"  ok") {
		t.Errorf("one alone: exit %d\n%s", code, stdout)
	}
	if stdout, stderr, code := verify("--organization", id, "--expect", heads[other]); code != 1 || !strings.Contains(stdout, "row 3 is not the row whose hash was recorded") || !strings.Contains(stderr, "tampered") {
		t.Errorf("against another head: exit %d\n%s%s", code, stdout, stderr)
	}
	if stdout, _, code := verify("--organization", id, "--expect", strings.Replace(heads[id], "3:", "9:", 1)); code != 1 || !strings.Contains(stdout, "rows 4 to 9 are missing") {
		t.Errorf("against a later head: exit %d\n%s", code, stdout)
	}

	conn := storetest.Conn(t, database)
	for _, statement := range []string{
		`ALTER TABLE audit_log DISABLE TRIGGER ALL`,
		fmt.Sprintf(`UPDATE audit_log SET actor_name = 'somebody else' WHERE organization_id = '%s' AND number = 2`, id),
	} {
		_, err := conn.Exec(t.Context(), statement)
		check(t, err)
	}
	stdout, stderr, code = verify()
	if code != 1 || !strings.Contains(stdout, id+"  row 2 was changed") || !strings.Contains(stdout, id+"  TAMPERED  3 rows, faults: 1") ||
		!strings.Contains(stdout, other+"  ok") || !strings.Contains(stderr, "tampered") ||
		!strings.HasPrefix(stdout, "database  trigger append_only of audit_log is switched off: rows can be changed\n") {
		t.Errorf("exit %d\n%s%s", code, stdout, stderr)
	}
	if _, err := conn.Exec(t.Context(), `ALTER TABLE audit_log ENABLE ALWAYS TRIGGER append_only`); err != nil {
		t.Fatal(err)
	}
	if stdout, _, code := verify("--organization", other); code != 0 {
		t.Errorf("the other one alone: exit %d\n%s", code, stdout)
	}
	if _, stderr, code := verify("--organization", "0198a6f4-5b7e-7c3d-8a6f-1d2c3b4a5968"); code != 3 || !strings.Contains(stderr, "not found") {
		t.Errorf("an organization that is not there: exit %d\n%s", code, stderr)
	}
	for _, args := range [][]string{{"--organization", "Alpha Capital"}, {"--expect", heads[id]}, {"--organization", id, "--expect", "3"}, {"--rows", "3"}} {
		if stdout, stderr, code := verify(args...); code != 2 || stdout != "" || !strings.Contains(stderr, "invalid command line") {
			t.Errorf("%v: exit %d\n%s%s", args, code, stdout, stderr)
		}
	}
}

// TestAuditVerifyAgainstAFile checks that a run can be compared with the output of an earlier
// one, including organizations that have been deleted since.
func TestAuditVerifyAgainstAFile(t *testing.T) {
	t.Parallel()
	database := storetest.URL(t)
	s := newSite(t, database)
	first, second := bootstrapOf(t, s, "Alpha Capital").OrganizationID.String(), bootstrapOf(t, s, "Beta").OrganizationID.String()
	verify := func(args ...string) (stdout, stderr string, code int) {
		return runProgram(t, append([]string{"audit", "verify", "--config", s.config}, args...)...)
	}
	before, _, _ := verify()
	file := filepath.Join(t.TempDir(), "heads")
	write := func(text string) {
		check(t, os.WriteFile(file, []byte(text), 0o600))
	}
	write("# of the first day\n\n" + before)
	if stdout, stderr, code := verify("--expect", file); code != 0 || stdout != before {
		t.Errorf("nothing has happened: exit %d\n%s%s", code, stdout, stderr)
	}
	printedBy[shownUser](t, s, "add", "--organization", "Beta", "--email", "zoe@example.com", "--role", "owner")
	if stdout, stderr, code := verify("--expect", file); code != 0 || !strings.Contains(stdout, second+"  ok  4 rows") {
		t.Errorf("the log has grown: exit %d\n%s%s", code, stdout, stderr)
	}

	for _, text := range []string{
		"", "nothing\n", before + first + "  TAMPERED  3 rows, faults: 1\n", before + before, strings.Replace(before, first[:8], "zzzzzzzz", 1),
		strings.Replace(before, "head 3:", "head x:", 1),
	} {
		write(text)
		if stdout, stderr, code := verify("--expect", file); code != 2 || stdout != "" {
			t.Errorf("of %q: exit %d\n%s%s", text, code, stdout, stderr)
		}
	}
	write(before)
	conn := storetest.Conn(t, database)
	for _, statement := range []string{
		`SET session_replication_role = replica`,
		`ALTER TABLE audit_log DISABLE TRIGGER append_only`,
		`ALTER TABLE audit_chains DISABLE TRIGGER append_only`,
		`DELETE FROM audit_log WHERE organization_id = '` + first + `'`,
		`DELETE FROM audit_chains WHERE organization_id = '` + first + `'`,
		`DELETE FROM organizations WHERE id = '` + first + `'`,
		`ALTER TABLE audit_log ENABLE ALWAYS TRIGGER append_only`,
		`ALTER TABLE audit_chains ENABLE ALWAYS TRIGGER append_only`,
	} {
		_, err := conn.Exec(t.Context(), statement)
		check(t, err)
	}
	if stdout, _, code := verify(); code != 0 || strings.Contains(stdout, first) {
		t.Errorf("without a file: exit %d\n%s", code, stdout)
	}
	stdout, stderr, code := verify("--expect", file)
	if code != 1 || !strings.Contains(stdout, first+"  the organization was deleted with its audit log, although row 3 was recorded elsewhere\n") || !strings.Contains(stdout, second+"  ok  4 rows") {
		t.Errorf("an organization is gone: exit %d\n%s%s", code, stdout, stderr)
	}
	if stdout, _, code := verify("--organization", first, "--expect", file); code != 1 || !strings.Contains(stdout, "was deleted") {
		t.Errorf("that one alone: exit %d\n%s", code, stdout)
	}
}

// TestAuditVerifyWithoutDatabase checks that a verification that could not run is neither a
// success nor evidence of tampering.
func TestAuditVerifyWithoutDatabase(t *testing.T) {
	t.Parallel()
	s := newSite(t, "postgres://postgres@"+storetest.Address(t)+"/nothing?sslmode=disable")
	if stdout, stderr, code := runProgram(t, "audit", "verify", "--config", s.config); code != 3 || stdout != "" || !strings.Contains(stderr, "could not be checked") {
		t.Errorf("exit %d\n%s%s", code, stdout, stderr)
	}
}
