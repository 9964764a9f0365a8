package main

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/assayhq/assay/store/storetest"
)

// TestServerLogIsWarnedOf checks that the migration and the server warn if the database server
// would log names and emails, and that the server starts anyway.
func TestServerLogIsWarnedOf(t *testing.T) {
	t.Parallel()
	databaseURL := storetest.URL(t)
	s := newSite(t, databaseURL)
	const warning = "the database server logs values: log_min_duration_statement = 600000; set log_parameter_max_length = 0"
	if _, stderr, code := runProgram(t, "migrate", "--config", s.config); code != 0 || strings.Contains(stderr, "warning") {
		t.Errorf("migrate where nothing is logged: exit %d, %s", code, stderr)
	}
	u, err := url.Parse(databaseURL)
	check(t, err)
	database := pgx.Identifier{strings.TrimPrefix(u.Path, "/")}.Sanitize()
	_, err = storetest.Conn(t, databaseURL).Exec(t.Context(), `ALTER DATABASE `+database+` SET log_min_duration_statement = '10min'`)
	check(t, err)
	if _, stderr, code := runProgram(t, "migrate", "--config", s.config); code != 0 || !strings.Contains(stderr, "warning: "+warning) {
		t.Errorf("migrate: exit %d, %s", code, stderr)
	}
	d := s.start(t)
	d.ready(t)
	if status, body := get(http.DefaultClient, "http://"+d.debug+"/readyz", ""); status != http.StatusOK || body != "ok\n"+warning+"\n" {
		t.Errorf("/readyz answers %d %s", status, body)
	}
}
