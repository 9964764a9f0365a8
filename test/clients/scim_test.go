package clients_test

import "testing"

// TestSCIMClients provisions people and holds each answer against published libraries of SCIM: what a
// patch leaves of a user, whom a filter finds, and the forms of users and errors. It takes long
// because it changes people hundreds of times.
func TestSCIMClients(t *testing.T) {
	t.Parallel()
	tools(t)
	a := startAPI(t)
	env := []string{"SCIM_URL=" + a.url + "/scim/v2", "SCIM_KEY=" + a.key}
	if out, ok := node(t, workspace(t, "scim.mjs"), env, "scim.mjs", "1"); !ok || out != "patches 300\nfilters 200\n" {
		t.Error(out)
	}
}
