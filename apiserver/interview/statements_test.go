package interview_test

import (
	"strings"
	"testing"

	"github.com/assayhq/assay/store/storetest"
)

// TestStatementsOfUploads counts, in the server's log, the statements that one
// request of an upload costs: a recording of an hour is sent in hundreds of them.
func TestStatementsOfUploads(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts a Postgres server of its own")
	}
	server := storetest.NewServer(t, "", "log_statement=all", "log_parameter_max_length=0", "fsync=off")
	b := setupOn(t, storetest.URLOn(t, server.URL))
	p := b.trader(t, storetest.Interview(t, b.DB, b.org, zoe()))
	question := p.started(t).Questions[0].ID
	location := p.create(t, question, p.open(t, question))
	for _, tt := range []struct {
		name string
		send func()
		most int
	}{
		{"how far it is", func() { p.offset(t, location) }, 3},
		{"a part", func() { p.patch(t, location, 0, "part").want(t, "204 No Content") }, 7},
		{"the next part", func() { p.patch(t, location, 4, "part").want(t, "204 No Content") }, 7},
	} {
		before := len(server.Statements(t))
		tt.send()
		sent := server.Statements(t)[before:]
		t.Logf("%s: %d statements", tt.name, len(sent))
		if len(sent) > tt.most {
			t.Errorf("%s costs %d statements, at most %d are allowed:\n%s", tt.name, len(sent), tt.most, strings.Join(sent, "\n"))
		}
	}
}
