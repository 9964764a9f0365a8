package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/uuid"

	"github.com/assayhq/assay/store/storetest"
)

// keyrings are files with the initial key, another key, or both. The first key is the primary.
func keyrings(ids ...string) string {
	keys := map[string]string{
		"test": `{"id": "test", "key": "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="}`,
		"new":  `{"id": "new", "key": "YWJjZGVmMDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODk="}`,
	}
	var list []string
	for _, id := range ids {
		list = append(list, keys[id])
	}
	return fmt.Sprintf(`{"primary": %q, "keys": [%s]}`, ids[0], strings.Join(list, ", "))
}

// TestRotation performs a rotation as docs/guides/production.md describes it while a daemon is
// running, which must always be able to open what it has stored.
func TestRotation(t *testing.T) {
	t.Parallel()
	database := storetest.URL(t)
	s := newSite(t, database)
	owner := bootstrapOf(t, s, "Alpha Capital")
	storetest.Integration(t, storetest.Open(t, database), owner.OrganizationID, "https://platform.example")
	d := s.start(t)
	d.ready(t)
	kept := uuid.NewString()
	post := func(key string) (status int, replayed bool) {
		t.Helper()
		req, err := http.NewRequest(http.MethodPost, "http://"+d.public+"/v1/traders", strings.NewReader(`{"full_name": "Ada"}`))
		check(t, err)
		req.Header.Set("Authorization", "Bearer "+owner.APIKey)
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Idempotency-Key", key)
		res, err := http.DefaultClient.Do(req)
		check(t, err)
		check(t, res.Body.Close())
		return res.StatusCode, res.Header.Get("Idempotent-Replayed") == "true"
	}
	if status, _ := post(kept); status != http.StatusCreated {
		t.Fatalf("answered %d", status)
	}
	opens := func(step string) {
		t.Helper()
		if status, replayed := post(kept); status != http.StatusCreated || !replayed {
			t.Errorf("%s: the kept answer was told with %d, replayed %v", step, status, replayed)
		}
	}
	reloads := 0
	install := func(ids ...string) {
		t.Helper()
		check(t, os.WriteFile(filepath.Join(filepath.Dir(s.config), "keyring"), []byte(keyrings(ids...)), 0o600))
		check(t, d.cmd.Process.Signal(syscall.SIGHUP))
		reloads++
		storetest.Eventually(t, "the keyring is read again", func() bool { return strings.Count(d.logged(), "configuration reloaded") == reloads })
		opens(fmt.Sprint("with ", ids))
	}
	rekey := func(args ...string) (stdout, stderr string, code int) {
		t.Helper()
		return runProgram(t, append([]string{"rekey", "--config", s.config}, args...)...)
	}
	has := func(text string, want ...string) {
		t.Helper()
		squeezed := strings.Join(strings.Fields(text), " ")
		for _, w := range want {
			if !strings.Contains(squeezed, w) {
				t.Errorf("%q is not in\n%s", w, text)
			}
		}
	}

	install("test", "new")
	install("new", "test")
	stdout, stderr, code := rekey("--dry-run")
	if code != 0 {
		t.Fatalf("dry run: exit %d\n%s%s", code, stdout, stderr)
	}
	has(stdout, "before integrations.api_key 1 key test", "before idempotency_keys.body 1 key test", "2 values would be moved to key new")
	if stdout, stderr, code = rekey(); code != 0 {
		t.Fatalf("rekey: exit %d\n%s%s", code, stdout, stderr)
	}
	has(stdout, "2 values moved to key new", "after integrations.api_key 1 key new (primary)", "after idempotency_keys.body 1 key new (primary)")
	opens("after rekey")
	install("new")

	// The old key is gone for good, and with it everything that only this key opens.
	if stdout, _, code = rekey(); code != 0 {
		t.Errorf("with nothing to do: exit %d\n%s", code, stdout)
	}
	install("new")
	check(t, os.WriteFile(filepath.Join(filepath.Dir(s.config), "keyring"), []byte(keyrings("test")), 0o600))
	stdout, stderr, code = rekey()
	if code != 1 {
		t.Errorf("without the key: exit %d", code)
	}
	has(stdout, `not re-encrypted: integrations.api_key of `, `key is not in the keyring: "new"`, "0 values moved to key test")
	has(stderr, "2 values could not be moved")
	if strings.Contains(d.logged(), `"level":"ERROR"`) {
		t.Errorf("the daemon failed at something")
	}
}
