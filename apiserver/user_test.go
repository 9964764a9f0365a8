package main

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/store/access"
	"github.com/assayhq/assay/store/storetest"
)

// printedBy runs a command of the user family that succeeds.
func printedBy[T any](t *testing.T, s site, args ...string) (printed T) {
	t.Helper()
	stdout, stderr, code := runProgram(t, append([]string{"user", args[0], "--config", s.config}, args[1:]...)...)
	if code != 0 || stderr != "" {
		t.Fatalf("user %v: exit %d, %s", args, code, stderr)
	}
	check(t, json.Unmarshal([]byte(stdout), &printed))
	return printed
}

// TestUserCommands runs all commands about the people of an organization while a server is
// running.
func TestUserCommands(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the program dozens of times")
	}
	t.Parallel()
	s := newSite(t, storetest.URL(t))
	bootstrapOf(t, s, "Alpha")
	d := s.start(t)
	d.ready(t)
	made := printedBy[shownUser](t, s, "add", "--email", "zoe@example.com", "--role", "owner", "--name", "Zoe Miller")
	if made.Name != "Zoe Miller" || made.Role != access.RoleOwner || len(made.Password) != 26 {
		t.Errorf("made %+v", made)
	}
	if status := d.signIn(t, "zoe@example.com", made.Password); status != http.StatusCreated {
		t.Errorf("sign-in: %d", status)
	}
	again := printedBy[shownUser](t, s, "set-password", "--email", "ZOE@example.com", "--organization", "alpha")
	if status := d.signIn(t, "zoe@example.com", made.Password); status != http.StatusUnauthorized {
		t.Errorf("the old password: %d", status)
	}
	if status := d.signIn(t, "zoe@example.com", again.Password); status != http.StatusCreated {
		t.Errorf("the new password: %d", status)
	}
	printedBy[shownUser](t, s, "set-role", "--email", "zoe@example.com", "--role", "viewer")
	printedBy[shownUser](t, s, "add", "--email", "elsewhere@example.com", "--role", "reviewer", "--no-password")
	var names []string
	for _, u := range printedBy[[]shownUser](t, s, "list") {
		names = append(names, u.Email+" "+string(u.Role))
	}
	if diff := cmp.Diff([]string{"elsewhere@example.com reviewer", "owner@example.com owner", "zoe@example.com viewer"}, names); diff != "" {
		t.Errorf("list (-want +got):\n%s", diff)
	}
	printedBy[shownUser](t, s, "remove", "--email", "zoe@example.com")
	if status := d.signIn(t, "zoe@example.com", again.Password); status != http.StatusUnauthorized {
		t.Errorf("sign-in after the removal: %d", status)
	}
	if strings.Contains(d.logged(), made.Password) || strings.Contains(d.logged(), "zoe@") {
		t.Errorf("the log holds a password or an address: %s", d.logged())
	}
	s.refuses(t)
}

// refuses runs commands that must fail and say why.
func (s site) refuses(t *testing.T) {
	t.Helper()
	bootstrapOf(t, s, "Beta")
	for _, tt := range []struct {
		name   string
		args   []string
		code   int
		stderr string
	}{
		{"last owner loses the role", []string{"set-role", "--organization", "Alpha", "--email", "owner@example.com", "--role", "viewer"}, 1, "last owner"},
		{"last owner is removed", []string{"remove", "--organization", "Alpha", "--email", "owner@example.com"}, 1, "last owner"},
		{"address in use", []string{"add", "--organization", "Alpha", "--email", "OWNER@example.com", "--role", "viewer"}, 1, "already"},
		{"nobody", []string{"remove", "--organization", "Alpha", "--email", "zoe@example.com"}, 1, "no person in the organization"},
		{"the organization does not exist", []string{"list", "--organization", "Gamma"}, 1, "the organization does not exist"},
		{"which organization", []string{"list"}, 1, "several organizations"},
		{"no address", []string{"remove", "--organization", "Alpha"}, 2, "--email ADDRESS"},
		{"no role", []string{"add", "--email", "a@b.example"}, 2, "--role ROLE must be one of [owner reviewer viewer]"},
		{"blank name", []string{"add", "--email", "a@b.example", "--role", "viewer", "--name", " "}, 2, "--name NAME"},
		{"flag of another command", []string{"list", "--role", "viewer"}, 2, "flag provided but not defined"},
	} {
		stdout, stderr, code := runProgram(t, append([]string{"user", tt.args[0], "--config", s.config}, tt.args[1:]...)...)
		if code != tt.code || !strings.Contains(stderr, tt.stderr) || stdout != "" {
			t.Errorf("%s: exit %d, %s%s", tt.name, code, stdout, stderr)
		}
	}
}

// signIn returns the status of a sign-in.
func (d *daemon) signIn(t *testing.T, email, password string) int {
	t.Helper()
	body, err := json.Marshal(map[string]string{"email": email, "password": password})
	check(t, err)
	res, err := http.Post("http://"+d.public+"/session", "application/json", strings.NewReader(string(body)))
	check(t, err)
	check(t, res.Body.Close())
	return res.StatusCode
}
