package main

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/assayhq/assay/store/storetest"
)

// verified is the line of an organization whose log is whole.
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
	if stdout, stderr, code := verify("--organization", id, "--expect", heads[other]); code != 1 || !strings.Contains(stdout, "row 3 is not the one whose hash was noted") || !strings.Contains(stderr, "tampered") {
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
		!strings.Contains(stdout, other+"  ok") || !strings.Contains(stderr, "1 of 2 organizations") {
		t.Errorf("exit %d\n%s%s", code, stdout, stderr)
	}
	if stdout, _, code := verify("--organization", other); code != 0 {
		t.Errorf("the other one alone: exit %d\n%s", code, stdout)
	}
	if _, stderr, code := verify("--organization", "0198a6f4-5b7e-7c3d-8a6f-1d2c3b4a5968"); code != 1 || !strings.Contains(stderr, "not found") {
		t.Errorf("an organization that is not there: exit %d\n%s", code, stderr)
	}
	for _, args := range [][]string{{"--organization", "Alpha Capital"}, {"--expect", heads[id]}, {"--organization", id, "--expect", "3"}, {"--rows", "3"}} {
		if stdout, stderr, code := verify(args...); code != 2 || stdout != "" || !strings.Contains(stderr, "wrong command line") {
			t.Errorf("%v: exit %d\n%s%s", args, code, stdout, stderr)
		}
	}
}
