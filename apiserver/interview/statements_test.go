package interview_test

import (
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
	p := b.trader(t, storetest.Interview(t, b.DB, b.Org, zoe()))
	_, _, location := p.beginUpload(t)
	server.AllowStatements(t, 3, "how far it is", func() { p.offset(t, location) })
	server.AllowStatements(t, 7, "a part", func() { p.patch(t, location, 0, "part").want(t, "204 No Content") })
	server.AllowStatements(t, 7, "the next part", func() { p.patch(t, location, 4, "part").want(t, "204 No Content") })
}
