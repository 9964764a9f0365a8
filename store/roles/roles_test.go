package roles_test

import (
	"context"
	"errors"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/store/interviews/answering"
	"github.com/assayhq/assay/store/interviews/invite"
	"github.com/assayhq/assay/store/privacy"
	"github.com/assayhq/assay/store/roles"
	"github.com/assayhq/assay/store/storetest"
)

// TestRefused checks what a compromised process could try and must not do. The tests that start the
// processes connect as these roles, and so show that the processes can do what they need.
func TestRefused(t *testing.T) {
	t.Parallel()
	url := storetest.URL(t)
	storetest.Organization(t, storetest.Open(t, url))
	for role, statements := range map[string][]string{
		roles.Syncd: {
			`SELECT password_hash FROM people`, `SELECT * FROM people`, `SELECT secret_hash FROM api_keys`, `SELECT token_hash FROM sessions`,
			`SELECT token_hash FROM interview_invites`, `SELECT token_hash FROM interview_sessions`, `SELECT token_hash FROM interview_shares`,
			`UPDATE people SET email = email`, `UPDATE api_keys SET scopes = '{}'`, `DELETE FROM people`, `DELETE FROM organizations`,
			`UPDATE interview_invites SET token_hash = 'x'`, `UPDATE interview_sessions SET token_hash = 'x'`, `UPDATE interview_sessions SET expires_at = now()`,
			`UPDATE interview_shares SET token_hash = 'x'`, `UPDATE interview_decisions SET decision = decision`, `UPDATE interview_consents SET accepted = true`,
			`UPDATE organizations SET off_box_speech = true`, `INSERT INTO sessions DEFAULT VALUES`, `INSERT INTO api_keys DEFAULT VALUES`, `INSERT INTO interview_decisions DEFAULT VALUES`,
			`SELECT admit_api_key('x', 1, '1 minute')`,
		},
		roles.APIServer: {
			`INSERT INTO trades DEFAULT VALUES`, `INSERT INTO payouts DEFAULT VALUES`, `INSERT INTO interview_reports DEFAULT VALUES`,
			`INSERT INTO interview_transcripts DEFAULT VALUES`, `DELETE FROM housekeeping`,
			`UPDATE accounts SET balance = 0`, `UPDATE trades SET id = id`, `UPDATE payouts SET id = id`, `UPDATE interview_reports SET report = '{}'`,
			`UPDATE interview_transcripts SET quality = 'final'`, `UPDATE interview_subtitles SET vtt = ''`, `UPDATE interview_activities SET activity = '{}'`,
			`UPDATE interview_media SET version = 2`, `UPDATE webhook_attempts SET response_body = NULL`, `DELETE FROM webhook_attempts`,
		},
		"": { // both
			`UPDATE audit_log SET action = 'x'`, `DELETE FROM audit_log`, `TRUNCATE audit_log`, `DELETE FROM audit_chains`, `TRUNCATE traders`,
			`ALTER TABLE audit_log DISABLE TRIGGER ALL`, `DROP TABLE traders`, `CREATE TABLE mine (n int)`, `ALTER TABLE traders ADD COLUMN n int`,
			`CREATE TRIGGER mine BEFORE INSERT ON traders EXECUTE FUNCTION refuse_audit_change()`, `INSERT INTO goose_db_version DEFAULT VALUES`,
			`COPY (SELECT 1) TO PROGRAM 'true'`, `COPY (SELECT 1) TO '/tmp/assay-test'`, `SELECT pg_read_file('/etc/passwd')`,
			`CREATE ROLE mine`, `SELECT rolpassword FROM pg_authid`,
		},
	} {
		users := []string{role}
		if role == "" {
			users = []string{roles.Syncd, roles.APIServer}
		}
		for _, user := range users {
			conn := storetest.Conn(t, storetest.As(t, user, url))
			for _, statement := range statements {
				const insufficientPrivilege = "42501"
				_, err := conn.Exec(t.Context(), statement)
				var pg *pgconn.PgError
				if !errors.As(err, &pg) || pg.Code != insufficientPrivilege {
					t.Errorf("%s as %s: %v", statement, user, err)
				}
			}
		}
	}
}

// TestHidden checks that syncd sees what it needs of the tables with secrets, but not the secrets.
func TestHidden(t *testing.T) {
	t.Parallel()
	url := storetest.URL(t)
	conn := storetest.Conn(t, storetest.As(t, roles.Syncd, url))
	for _, statement := range []string{
		`SELECT id, email FROM people`, `SELECT id, expires_at FROM api_keys`, `SELECT id FROM sessions`, `SELECT interview_id FROM interview_invites`,
	} {
		if _, err := conn.Exec(t.Context(), statement); err != nil {
			t.Errorf("%s: %v", statement, err)
		}
	}
}

// TestEnds checks that syncd ends and empties the interviews whose time is over, and that their
// links are not valid any more.
func TestEnds(t *testing.T) {
	t.Parallel()
	url := storetest.URL(t)
	owner, conn := storetest.Open(t, url), storetest.Conn(t, url)
	orgID := storetest.Organization(t, owner).ID
	unused := storetest.Interview(t, owner, orgID, storetest.NewInterview("Ada", "ada@example.com"))
	begun := storetest.Interview(t, owner, orgID, storetest.NewInterview("Bea", "bea@example.com"))
	session, _ := storetest.Started(t, owner, begun)
	storetest.Completed(t, owner, orgID, storetest.NewInterview("Cy", "cy@example.com"), "words")
	syncd := storetest.Open(t, storetest.As(t, roles.Syncd, url))
	for _, due := range []struct {
		name, statement string
		tick            func(context.Context, *store.DB) (int, error)
	}{
		{"expire", `UPDATE interviews SET invite_expires_at = now() WHERE status = 'invited'`, invite.Expire},
		{"close", `UPDATE interviews SET complete_by = now() - interval '1 hour' WHERE status = 'in_progress'`, answering.CloseOverdue},
		{"media", `UPDATE interviews SET media_purge_at = now() WHERE status = 'completed'`, privacy.PurgeMedia},
		{"records", `UPDATE interviews SET record_purge_at = now() WHERE status = 'completed'`, privacy.PurgeRecords},
	} {
		if _, err := conn.Exec(t.Context(), due.statement); err != nil {
			t.Fatalf("%s: %v", due.name, err)
		}
		if n, err := due.tick(t.Context(), syncd); err != nil || n != 1 {
			t.Errorf("%s: %d ended, %v", due.name, n, err)
		}
	}
	if _, err := answering.BeginSession(t.Context(), owner, unused.Token.Reveal(), answering.Browser{DeviceHash: []byte("one"), IPPrefix: "198.51.100.0/24"}); err == nil {
		t.Error("the link of an interview that has expired lets somebody in")
	}
	if _, err := answering.BeginTake(t.Context(), owner, session, answering.NewTake{Mode: interviews.AnswerText}); err == nil {
		t.Error("the session of an interview whose time is over goes on")
	}
}
