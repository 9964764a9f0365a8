package main

import (
	"strings"
	"testing"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/store/syncing/integrations"
)

// TestIntegrationsCheck checks that an address that changed before platforms were compared is
// listed with the previous one.
func TestIntegrationsCheck(t *testing.T) {
	t.Parallel()
	database := storetest.URL(t)
	s := newSite(t, database)
	db := storetest.Open(t, database)
	organization := storetest.Organization(t, db)
	i := storetest.Integration(t, db, organization.ID, "https://a.example/brand")
	moved := "https://A.example/other"
	_, err := integrations.Update(t.Context(), db, store.SystemChange(organization.ID), i.ID, integrations.Patch{BaseURL: &moved})
	check(t, err)
	migrated := func(when string) {
		t.Helper()
		_, err := storetest.Conn(t, database).Exec(t.Context(), `UPDATE goose_db_version SET tstamp = now() + $1::text::interval WHERE version_id = 18`, when)
		check(t, err)
	}
	list := func() string {
		t.Helper()
		stdout, stderr, code := runProgram(t, "integrations", "check", "--config", s.config)
		if code != 0 || stderr != "" {
			t.Fatalf("exit %d\n%s%s", code, stdout, stderr)
		}
		return stdout
	}
	migrated("-1 day")
	if got := list(); got != "0 to review\n" {
		t.Errorf("after an upgrade that compares platforms:\n%s", got)
	}
	migrated("1 day")
	got := list()
	if !strings.HasPrefix(got, organization.ID.String()+"  "+i.ID.String()+`  "Custom API"  `) ||
		!strings.HasSuffix(got, "  moved from https://a.example/brand to https://a.example/other, by assay\n1 to review\n") {
		t.Errorf("an address that was changed before:\n%s", got)
	}
}
