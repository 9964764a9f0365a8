package rekey_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/auditlog"
	"github.com/assayhq/assay/store/auditlog/action"
	"github.com/assayhq/assay/store/idempotency"
	"github.com/assayhq/assay/store/rekey"
	"github.com/assayhq/assay/store/seal"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/store/syncing"
	"github.com/assayhq/assay/store/syncing/integrations"
	"github.com/assayhq/assay/store/webhooks"
)

// keyring returns a keyring with the keys, the first of which is the primary. The key "test" is
// that of storetest.Keyring.
func keyring(t *testing.T, ids ...string) *seal.Keyring {
	t.Helper()
	text := "primary: " + ids[0] + "\nkeys:\n"
	for _, id := range ids {
		key := strings.Repeat(id[:1], 32)
		if id == "test" {
			key = "0123456789abcdef0123456789abcdef"
		}
		text += "  - id: " + id + "\n    key: " + base64.StdEncoding.EncodeToString([]byte(key)) + "\n"
	}
	k, err := seal.ParseKeyring([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// TestEverySealedColumnIsKnown checks that each column of bytes either holds sealed values, which
// rekey must move, or is listed as one that does not.
func TestEverySealedColumnIsKnown(t *testing.T) {
	t.Parallel()
	b := setup(t)
	others := []string{
		"accounts.content_hash", "activity_file_pieces.body", "activity_files.sha256", "analysis_calendars.body", "analysis_calendars.hash", "analysis_rulesets.hash", "api_keys.secret_hash", "audit_chains.hash", "audit_log.hash", "audit_log.previous",
		"idempotency_keys.payload_hash", "idempotency_keys.slot", "interview_consents.sha256", "interview_files.sha256", "interview_invites.token_hash",
		"interview_sessions.device_hash", "interview_sessions.invite_hash", "interview_sessions.token_hash", "interview_shares.token_hash", "interview_takes.sha256", "payouts.content_hash", "sessions.token_hash", "sign_in_budgets.subject", "suppressions.hash", "traders.content_hash", "trades.content_hash",
	}
	var columns []string
	rows, err := b.Conn.Query(t.Context(), `SELECT table_name || '.' || column_name FROM information_schema.columns
WHERE table_schema = current_schema() AND data_type = 'bytea' ORDER BY 1`)
	if err != nil {
		t.Fatal(err)
	}
	if columns, err = pgx.CollectRows(rows, pgx.RowTo[string]); err != nil {
		t.Fatal(err)
	}
	known := append(others, rekey.SealedColumns()...)
	slices.Sort(known)
	if diff := cmp.Diff(known, columns); diff != "" {
		t.Errorf("columns of bytes: sealed ones belong into sealedColumns, others into this test (-known +found):\n%s", diff)
	}
}

// rekey re-keys the database and returns what could not be moved, without the
// rows' ids.
func (b orgDB) rekey(t *testing.T, dry bool) (rekey.Report, []string) {
	t.Helper()
	var failed []string
	report, err := rekey.Run(t.Context(), b.DB, rekey.Options{DryRun: dry, Failed: func(f rekey.Failure) {
		if f.OrganizationID == uuid.Nil || len(f.Key) == 0 {
			t.Errorf("the failure names no row: %+v", f)
		}
		failed = append(failed, fmt.Sprintf("%s: %v", f.Column, f.Err))
	}})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(failed)
	return report, failed
}

// created is an answer that the tests keep.
var created = idempotency.Answer{Status: 201, Location: "https://assay.example/v1/things/7", Body: []byte(`{"name":"Ada Lovelace"}`)}

// keepAnswer keeps an answer under the key.
func (b orgDB) keepAnswer(t *testing.T, k idempotency.Key, answer idempotency.Answer) {
	t.Helper()
	if err := idempotency.Finish(t.Context(), b.DB, storetest.Attempt(t, b.DB, k), answer); err != nil {
		t.Fatal(err)
	}
}

func TestRekey(t *testing.T) {
	t.Parallel()
	b := setup(t)
	other := storetest.Organization(t, b.DB).ID
	var platforms []integrations.Integration
	for n := range 120 { // several batches
		org := []uuid.UUID{b.Org, other}[n%2]
		platforms = append(platforms, storetest.Integration(t, b.DB, org, fmt.Sprintf("https://%d.example", n)))
	}
	b.keepAnswer(t, storetest.AttemptKey(b.Org), created)
	bare := storetest.AttemptKey(b.Org)
	bare.Key = "without a body"
	b.keepAnswer(t, bare, idempotency.Answer{Status: 204})
	gone, damaged, moved := platforms[1], platforms[2], platforms[3]
	foreign, err := keyring(t, "lost").Seal([]byte("x"), seal.Binding{Table: "integrations", Column: "api_key", Row: gone.ID, Organization: gone.OrganizationID})
	if err != nil {
		t.Fatal(err)
	}
	b.Exec(t, `UPDATE integrations SET api_key = $2 WHERE id = $1`, gone.ID, foreign)
	b.Exec(t, `UPDATE integrations SET api_key = '\x07' WHERE id = $1`, damaged.ID)
	b.Exec(t, `UPDATE integrations SET api_key = (SELECT api_key FROM integrations WHERE id = $2) WHERE id = $1`, moved.ID, platforms[4].ID)
	stays := []rekey.Count{{"integrations.api_key", "", 1}, {"integrations.api_key", "lost", 1}}
	before := append(slices.Clone(stays), rekey.Count{"integrations.api_key", "test", 118}, rekey.Count{"idempotency_keys.body", "test", 1})
	after := append(slices.Clone(stays), rekey.Count{"integrations.api_key", "new", 117}, rekey.Count{"integrations.api_key", "test", 1}, rekey.Count{"idempotency_keys.body", "new", 1})
	slices.SortStableFunc(after[:4], func(a, b rekey.Count) int { return strings.Compare(a.KeyID, b.KeyID) })
	failures := []string{
		`integrations.api_key: key is not in the keyring: "lost"; add it again to the file that keyring_file names`,
		`integrations.api_key: sealed value is damaged or belongs elsewhere`,
		`integrations.api_key: sealed value is damaged or belongs elsewhere`,
	}
	everything := func() string {
		return storetest.One[string](t, b.Conn, `SELECT md5(string_agg(x::text, ',' ORDER BY x::text)) FROM (SELECT i::text AS x FROM integrations AS i UNION ALL SELECT k::text FROM idempotency_keys AS k UNION ALL SELECT a::text FROM audit_log AS a) AS x`)
	}

	b.SetKeyring(keyring(t, "new", "test"))
	untouched := everything()
	report, failed := b.rekey(t, true)
	if diff := cmp.Diff(rekey.Report{Before: before, After: before, Moved: 118, Failed: 3}, report); diff != "" {
		t.Errorf("dry run (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(failures, failed); diff != "" {
		t.Errorf("failures of the dry run (-want +got):\n%s", diff)
	}
	if everything() != untouched {
		t.Error("the dry run has changed something")
	}

	report, failed = b.rekey(t, false)
	if diff := cmp.Diff(rekey.Report{Before: before, After: after, Moved: 118, Failed: 3}, report); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(failures, failed); diff != "" {
		t.Errorf("failures (-want +got):\n%s", diff)
	}
	if report, _ = b.rekey(t, false); report.Moved != 0 || report.Failed != 3 {
		t.Errorf("again: %d moved, %d failed; want none and 3", report.Moved, report.Failed)
	}

	// The old key is only needed for what could not be moved.
	b.SetKeyring(keyring(t, "new"))
	for _, i := range platforms {
		config, err := integrations.ReadConfig(t.Context(), b.DB, i.OrganizationID, i.ID)
		switch i.ID {
		case gone.ID, damaged.ID, moved.ID:
			if err == nil {
				t.Errorf("%s could not be moved, and opens", i.BaseURL)
			}
		default:
			if err != nil || config.APIKey.Reveal() != storetest.PlatformKey {
				t.Errorf("%s: %v", i.BaseURL, err)
			}
		}
	}
	if _, done, err := idempotency.Claim(t.Context(), b.DB, storetest.AttemptKey(b.Org), time.Minute); err != nil || done == nil || !cmp.Equal(*done, created) {
		t.Errorf("the kept answer: %v, %v", done, err)
	}

	// Each organization has one row, from the run that moved something.
	for _, org := range []uuid.UUID{b.Org, other} {
		rows, total, err := auditlog.List(t.Context(), b.DB, org, auditlog.Filter{Action: action.OrganizationRekeyed}, store.Page{Number: 1, Limit: 10})
		if err != nil || total != 1 || rows[0].Before != nil || string(rows[0].After) != `{"primary":"new"}` || rows[0].ActorName != "apiserver rekey" {
			t.Errorf("%d rows %+v, %v", total, rows, err)
		}
	}
}

// TestRekeyLeavesAloneWhatIsChangedMeanwhile also checks that Rekey does not wait for changes.
func TestRekeyLeavesAloneWhatIsChangedMeanwhile(t *testing.T) {
	t.Parallel()
	b := setup(t)
	changed := storetest.Integration(t, b.DB, b.Org, "https://a.example")
	held := storetest.Integration(t, b.DB, b.Org, "https://b.example")
	free := storetest.Integration(t, b.DB, b.Org, "https://c.example")
	b.SetKeyring(keyring(t, "new", "test"))
	fresh, err := keyring(t, "new").Seal([]byte("another key"), seal.Binding{Table: "integrations", Column: "api_key", Row: changed.ID, Organization: b.Org})
	if err != nil {
		t.Fatal(err)
	}
	tx, err := b.Conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for statement, args := range map[string][]any{
		`UPDATE integrations SET api_key = $2 WHERE id = $1`:          {changed.ID, fresh},
		`UPDATE integrations SET health_status = 'x' WHERE id = $1`:   {held.ID},
		`DELETE FROM sync_state WHERE integration_id = $1 AND 1 = $2`: {held.ID, 0},
	} {
		if _, err := tx.Exec(t.Context(), statement, args...); err != nil {
			t.Fatal(err)
		}
	}
	told := make(chan rekey.Report, 1)
	go func() {
		report, err := rekey.Run(context.WithoutCancel(t.Context()), b.DB, rekey.Options{Failed: func(f rekey.Failure) { t.Errorf("failed: %+v", f) }})
		if err != nil {
			t.Error(err)
		}
		told <- report
	}()
	look := storetest.Conn(t, b.URL)
	storetest.Eventually(t, "what nobody has locked is moved", func() bool {
		var sealed []byte
		if err := look.QueryRow(t.Context(), `SELECT api_key FROM integrations WHERE id = $1`, free.ID).Scan(&sealed); err != nil {
			t.Fatal(err)
		}
		id, err := seal.KeyID(sealed)
		return err == nil && id == "new"
	})
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if report := <-told; report.Moved != 2 {
		t.Errorf("%d moved, want the two that nobody has changed", report.Moved)
	}
	b.SetKeyring(keyring(t, "new"))
	for id, want := range map[uuid.UUID]string{changed.ID: "another key", held.ID: storetest.PlatformKey, free.ID: storetest.PlatformKey} {
		if config, err := integrations.ReadConfig(t.Context(), b.DB, b.Org, id); err != nil || config.APIKey.Reveal() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestRekeyGoesOn checks that Rekey continues where a run was stopped.
func TestRekeyGoesOn(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.seal(t, 300, storetest.Keyring())
	b.SetKeyring(keyring(t, "new", "test"))
	ctx, stop := context.WithCancel(t.Context())
	var reached int64
	_, err := rekey.Run(ctx, b.DB, rekey.Options{Failed: func(rekey.Failure) {}, Progress: func(done, total int64) {
		if reached = done; done >= total/3 {
			stop()
		}
	}})
	if !errors.Is(err, context.Canceled) || reached == 0 || reached >= 300 {
		t.Fatalf("stopped at %d: %v", reached, err)
	}
	if report, _ := b.rekey(t, false); report.Moved != 300-reached {
		t.Errorf("%d moved after %d, want the rest of 300", report.Moved, reached)
	}
}

// TestKeyringReplacedWhileReading checks that values that are read while the keyring is replaced
// can be opened, whether they were sealed with a key that was added or with one that was dropped.
func TestKeyringReplacedWhileReading(t *testing.T) {
	t.Parallel()
	readers := []struct {
		name, table, column string
		// prepare creates the row, and returns its id and a function that reads it.
		prepare func(t *testing.T, b orgDB) (row uuid.UUID, read func() (string, error))
	}{
		{"configuration", "integrations", "api_key", func(t *testing.T, b orgDB) (uuid.UUID, func() (string, error)) {
			id := storetest.Integration(t, b.DB, b.Org, "https://origin.example").ID
			return id, func() (string, error) {
				config, err := integrations.ReadConfig(context.WithoutCancel(t.Context()), b.DB, b.Org, id)
				return config.APIKey.Reveal(), err
			}
		}},
		{"settings of a cycle", "integrations", "api_key", func(t *testing.T, b orgDB) (uuid.UUID, func() (string, error)) {
			id := storetest.Integration(t, b.DB, b.Org, "https://origin.example").ID
			claim, err := syncing.ClaimOne(t.Context(), b.DB, "syncd", id, time.Minute)
			if err != nil {
				t.Fatal(err)
			}
			return id, func() (string, error) {
				settings, err := syncing.ReadSettings(context.WithoutCancel(t.Context()), b.DB, &claim)
				return settings.APIKey.Reveal(), err
			}
		}},
		{"secret of a webhook", "webhook_endpoints", "secret", readTarget(func(to *webhooks.Target) seal.Secret { return to.Secrets[0] })},
		{"headers of a webhook", "webhook_endpoints", "headers", readTarget(func(to *webhooks.Target) seal.Secret { return to.Headers[0].Value })},
	}
	for _, r := range readers {
		for sealedBy, rings := range map[string][2]*seal.Keyring{
			"gone": {keyring(t, "gone", "test"), keyring(t, "test")},
			"new":  {keyring(t, "test"), keyring(t, "new", "test")},
		} {
			t.Run(r.name+", sealed by the key "+sealedBy, func(t *testing.T) {
				t.Parallel()
				b := setup(t)
				b.SetKeyring(rings[0])
				row, read := r.prepare(t, b)
				plain := "the secret"
				if r.column == "headers" {
					plain = `[["X-Key", "the secret"]]`
				}
				value, err := keyring(t, sealedBy).Seal([]byte(plain), seal.Binding{Table: r.table, Column: r.column, Row: row, Organization: b.Org})
				if err != nil {
					t.Fatal(err)
				}
				tx, err := storetest.Conn(t, b.URL).Begin(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				for _, statement := range []string{`LOCK TABLE ` + r.table, fmt.Sprintf(`UPDATE %s SET %s = '\x%x'`, r.table, r.column, value)} {
					if _, err := tx.Exec(t.Context(), statement); err != nil {
						t.Fatal(err)
					}
				}
				type result struct {
					text string
					err  error
				}
				told := make(chan result, 1)
				go func() {
					text, err := read()
					told <- result{text, err}
				}()
				storetest.AwaitBlocked(t, b.URL, true)
				b.SetKeyring(rings[1])
				if err := tx.Commit(t.Context()); err != nil {
					t.Fatal(err)
				}
				if got := <-told; got.err != nil || got.text != "the secret" {
					t.Errorf("read %q, %v", got.text, got.err)
				}
			})
		}
	}
}

// seal creates many integrations, whose credentials are sealed with the keyring.
func (b orgDB) seal(t *testing.T, n int, k *seal.Keyring) (ids []uuid.UUID) {
	t.Helper()
	i := storetest.Integration(t, b.DB, b.Org, "https://origin.example")
	b.Exec(t, `INSERT INTO integrations (id, organization_id, kind, name, base_url, api_key_preview, sync_interval_seconds, health_status, settings_version)
SELECT gen_random_uuid(), organization_id, kind, name, base_url || n, '', 300, 'healthy', 1 FROM integrations, generate_series(1, $1) AS n`, n-1)
	b.Exec(t, `INSERT INTO sync_state SELECT (s).* FROM (SELECT jsonb_populate_record(s, jsonb_build_object('integration_id', i.id)) AS s
FROM sync_state AS s, integrations AS i WHERE i.id <> $1) AS x`, i.ID)
	rows, err := b.Conn.Query(t.Context(), `SELECT id FROM integrations ORDER BY id`)
	if err != nil {
		t.Fatal(err)
	}
	var sealed [][]byte
	for rows.Next() {
		var id uuid.UUID
		if err := rows.Scan(&id); err != nil {
			t.Fatal(err)
		}
		value, err := k.Seal([]byte(storetest.PlatformKey), seal.Binding{Table: "integrations", Column: "api_key", Row: id, Organization: b.Org})
		if err != nil {
			t.Fatal(err)
		}
		ids, sealed = append(ids, id), append(sealed, value)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	texts := make([]string, len(ids))
	for n, id := range ids {
		texts[n] = id.String()
	}
	b.Exec(t, `UPDATE integrations AS i SET api_key = v.value FROM unnest($1::text[]::uuid[], $2::bytea[]) AS v(id, value) WHERE i.id = v.id`, texts, sealed)
	return ids
}

// TestRekeyUnderTraffic moves ten thousand credentials from one key to another while two daemons
// continuously open them, claim and commit, and people set new ones. Each daemon gets the new
// keyring at another time, as from SIGHUP. Nothing ever fails, and in the end the old key is not
// needed any more.
func TestRekeyUnderTraffic(t *testing.T) {
	if testing.Short() {
		t.Skip("seals 10,000 credentials anew under traffic")
	}
	t.Parallel()
	const credentials = 10_000
	b := setup(t)
	ids := b.seal(t, credentials, storetest.Keyring())
	daemons := []*store.DB{storetest.Open(t, b.URL), storetest.Open(t, b.URL)}
	var (
		wg             sync.WaitGroup
		stop           = make(chan struct{})
		opened, synced atomic.Int64
		set            = make([]atomic.Int64, credentials)
	)
	traffic := func(work func(n int) error) {
		wg.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				default:
				}
				if err := work(n); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for d, daemon := range daemons {
		traffic(func(n int) error { // a read for a live check
			_, err := integrations.ReadConfig(t.Context(), daemon, b.Org, ids[(n*7919+d*5000)%credentials])
			opened.Add(1)
			return err
		})
		traffic(func(int) error { // a read of a cycle
			claims, err := syncing.ClaimDue(t.Context(), daemon, fmt.Sprint("syncd-", d), 15*time.Second, syncing.Selection{Limit: 20})
			for _, claim := range claims {
				settings, err := syncing.ReadSettings(t.Context(), daemon, &claim)
				if errors.Is(err, store.ErrFenced) {
					continue // a person has changed this one
				}
				if err != nil || settings.APIKey.IsZero() {
					return fmt.Errorf("settings of %s: %w", claim.IntegrationID, err)
				}
				synced.Add(1)
			}
			return err
		})
	}
	traffic(func(n int) error { // a person's change
		at := n * 31 % credentials
		set[at].Store(int64(n + 1))
		_, err := integrations.Update(t.Context(), daemons[0], b.By("desk"), ids[at], integrations.Patch{APIKey: new(seal.NewSecret(fmt.Sprint("set-by-a-person-", n+1)))})
		return err
	})

	b.SetKeyring(keyring(t, "new", "test"))
	for _, primary := range []string{"test", "new"} { // all know the key before anybody seals with it
		ids := map[string][]string{"test": {"test", "new"}, "new": {"new", "test"}}[primary]
		for _, daemon := range daemons {
			daemon.SetKeyring(keyring(t, ids...))
		}
	}
	began := time.Now()
	report, failed := b.rekey(t, false)
	took := time.Since(began)
	for _, daemon := range daemons {
		daemon.SetKeyring(keyring(t, "new"))
	}
	before := opened.Load()
	storetest.Eventually(t, "traffic goes on with the new key alone", func() bool { return opened.Load() > before+100 || t.Failed() })
	close(stop)
	wg.Wait()
	t.Logf("%d moved in %s, while %d were opened and %d claimed", report.Moved, took, opened.Load(), synced.Load())

	if len(failed) > 0 || !cmp.Equal(report.After, []rekey.Count{{"integrations.api_key", "new", credentials}}) {
		t.Errorf("failed %v, and in the end %+v", failed, report.After)
	}
	if opened.Load() == 0 || synced.Load() == 0 {
		t.Error("there was no traffic")
	}
	b.SetKeyring(keyring(t, "new"))
	for n, id := range ids {
		want := storetest.PlatformKey
		if version := set[n].Load(); version > 0 {
			want = fmt.Sprint("set-by-a-person-", version)
		}
		if config, err := integrations.ReadConfig(t.Context(), b.DB, b.Org, id); err != nil || config.APIKey.Reveal() != want {
			t.Fatalf("credential %d: %q, %v; want %q", n, config.APIKey.Reveal(), err, want)
		}
	}
}

// readTarget makes an endpoint, and reads one of its secrets as those who deliver to it do.
func readTarget(choose func(*webhooks.Target) seal.Secret) func(*testing.T, orgDB) (uuid.UUID, func() (string, error)) {
	return func(t *testing.T, b orgDB) (uuid.UUID, func() (string, error)) {
		hook, err := webhooks.CreateEndpoint(t.Context(), b.DB, b.By("desk"), webhooks.NewEndpoint{URL: "https://hooks.example.com", Events: []string{"*"}})
		if err != nil {
			t.Fatal(err)
		}
		run := &webhooks.Run{EndpointID: hook.ID}
		return hook.ID, func() (string, error) {
			target, err := webhooks.ReadTarget(context.WithoutCancel(t.Context()), b.DB, run, nil)
			if err != nil || target.SecretErr != nil {
				return "", errors.Join(err, target.SecretErr)
			}
			return choose(target).Reveal(), nil
		}
	}
}
