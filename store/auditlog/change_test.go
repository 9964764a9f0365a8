package auditlog_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"net/netip"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/access"
	"github.com/assayhq/assay/store/auditlog"
	"github.com/assayhq/assay/store/auditlog/action"
	"github.com/assayhq/assay/store/directory"
	"github.com/assayhq/assay/store/idempotency"
	"github.com/assayhq/assay/store/roles"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/store/syncing/integrations"
)

// auditLog returns the organization's log, the oldest row first.
func (b orgDB) auditLog(t *testing.T) []store.AuditRecord {
	t.Helper()
	rows, total, err := auditlog.List(t.Context(), b.DB, b.Org, auditlog.Filter{}, store.Page{Number: 1, Limit: 100_000})
	if err != nil || total != len(rows) {
		t.Fatalf("%d rows of %d, %v", len(rows), total, err)
	}
	slices.Reverse(rows)
	return rows
}

// verify checks the organization's chain and returns its faults.
func (b orgDB) verify(t *testing.T, noted *auditlog.Head) (auditlog.Report, []string) {
	t.Helper()
	faults := []string{}
	report, err := auditlog.Verify(t.Context(), b.DB, auditlog.Verification{
		OrganizationID: b.Org, Noted: noted, Found: func(f auditlog.Fault) { faults = append(faults, fmt.Sprintf("%s %d-%d", f.Kind, f.First, f.Last)) },
	})
	if err != nil {
		t.Fatal(err)
	}
	if int(report.Faults) != len(faults) {
		t.Errorf("%d faults reported, %d told", report.Faults, len(faults))
	}
	return report, faults
}

// intact fails the test unless the chain is valid and has the given number of rows.
func (b orgDB) intact(t *testing.T, rows int64) {
	t.Helper()
	report, faults := b.verify(t, nil)
	if len(faults) > 0 || report.Rows != rows || report.Head.Number != rows {
		t.Errorf("the chain has %d rows and head %s, want %d; faults %v", report.Rows, report.Head, rows, faults)
	}
}

// bootstrapped is the number of rows that creating an organization leaves.
const bootstrapped = 3

// Secrets and personal data that the walk passes to the store.
const (
	walkPlatformKey = "platform-secret-of-the-walk-00ff"
	walkNewKey      = "another-platform-secret-c0ffee-1"
	walkPassword    = "$argon2id$v=19$m=1$of-the-walk"
	walkEmail       = "ada.lovelace@example.com"
	walkName        = "Ada Lovelace"
	walkPhone       = "+44 20 7946 0123"
	walkExternalID  = "crm-4711-ada"
	walkTag         = "countess-of-numbers"
	walkNote        = "Met her brother at the races."
)

// TestEveryChangeIsAudited makes every change, on behalf of a key, and checks the rows. It has
// apiserver's role, whose privileges have to be enough.
func TestEveryChangeIsAudited(t *testing.T) {
	t.Parallel()
	w := &auditWalk{orgDB: setup(t)}
	w.DB = storetest.Open(t, storetest.As(t, roles.APIServer, w.URL))
	w.c = store.Change{
		OrganizationID: w.Org, KeyID: storetest.One[uuid.UUID](t, w.orgDB.Conn, `SELECT id FROM api_keys`), By: "the desk's key",
		RequestID: "request-17", Client: netip.MustParseAddr("2001:db8::7"),
	}
	seen := make(map[string]bool)
	for _, step := range auditSteps() {
		org, before := w.Org, len(w.auditLog(t))
		if err := step.do(t, w); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		rows := w.auditLog(t)
		if w.Org == org {
			rows = rows[before:]
		}
		got := []string(nil)
		for _, r := range rows {
			got = append(got, auditLine(r))
			kind, actor := store.ActorAPIKey, w.c.KeyID
			if w.c.PersonID != uuid.Nil {
				kind, actor = store.ActorPerson, w.c.PersonID
			}
			if w.Org == org && (r.ActorKind != kind || *r.ActorID != actor || r.ActorName != w.c.By || *r.RequestID != w.c.RequestID || *r.ClientAddress != "2001:db8::7") {
				t.Errorf("%s: in the name of %s %v %q, request %v from %v", step.name, r.ActorKind, r.ActorID, r.ActorName, r.RequestID, r.ClientAddress)
			}
			if age := time.Since(r.At); age.Abs() > time.Minute {
				t.Errorf("%s: %s ago", step.name, age)
			}
			seen[string(r.Action)] = true
		}
		if diff := cmp.Diff(step.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step.name, diff)
		}
		w.intact(t, int64(len(w.auditLog(t))))
	}
	elsewhere := []action.Kind{action.OrganizationRekeyed, action.InterviewPurged} // TestRekey, TestPurges
	for _, action := range action.All() {
		if !seen[string(action)] && !slices.Contains(elsewhere, action) {
			t.Errorf("nothing has left a row of %s", action)
		}
	}
	w.holdsNoSecrets(t)
}

var (
	uuidPattern = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)
	timePattern = regexp.MustCompile(`"20\d\d-[^"]+Z"`)
)

// auditLine returns a row without the values that differ from run to run.
func auditLine(r store.AuditRecord) string {
	shown := func(text []byte) string {
		if text == nil {
			return "null"
		}
		s := uuidPattern.ReplaceAllString(string(text), "ID")
		return timePattern.ReplaceAllString(s, `"TIME"`)
	}
	return fmt.Sprintf("%s %s %s", r.Action, shown(r.Before), shown(r.After))
}

// holdsNoSecrets searches the log for everything that it must not contain.
func (w *auditWalk) holdsNoSecrets(t *testing.T) {
	t.Helper()
	log := strings.ToLower(storetest.One[string](t, w.orgDB.Conn, `SELECT string_agg(a::text, E'\n') FROM audit_log AS a`))
	hash := sha256.Sum256([]byte("svc_live_secret"))
	secrets := []string{
		walkPlatformKey, walkNewKey, "****", walkPassword, fmt.Sprintf("%x", hash), "svc_live_secret", "svc_live_first",
		walkEmail, walkName, "Lovelace", walkPhone, walkExternalID, walkTag, walkNote, "bob@example.com",
	}
	for _, sealed := range []string{`SELECT encode(secret_hash, 'hex') FROM api_keys LIMIT 1`, `SELECT split_part(email, '@', 1) FROM people WHERE email = '` + walkEmail + `'`} {
		secrets = append(secrets, storetest.One[string](t, w.orgDB.Conn, sealed))
	}
	for _, secret := range secrets {
		if strings.Contains(log, strings.ToLower(secret)) {
			t.Errorf("the log holds %q", secret)
		}
	}
}

// TestEveryMethodThatChangesIsWalked checks that each method, and each function of a package of the
// store, that takes a Change has a step.
func TestEveryMethodThatChangesIsWalked(t *testing.T) {
	t.Parallel()
	walked := make(map[string]bool)
	for _, step := range auditSteps() {
		walked[step.method] = true
	}
	changing := changingFunctions(t)
	for m := range reflect.TypeFor[*store.DB]().Methods() {
		for i := range m.Type.NumIn() {
			if m.Type.In(i) == reflect.TypeFor[store.Change]() {
				changing = append(changing, m.Name)
			}
		}
	}
	for _, name := range changing {
		if !walked[name] {
			t.Errorf("%s changes something, and no step of auditSteps says what it leaves in the audit log", name)
		}
	}
}

// changingFunctions lists the exported functions of the packages of the store that take a Change,
// each with its package's name. Functions that also take a transaction, or what is to be done in
// one, are excluded, because they are parts of others.
func changingFunctions(t *testing.T) (names []string) {
	t.Helper()
	var files []string
	for _, pattern := range []string{"../*/*.go", "../*/*/*.go"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv != nil || !fn.Name.IsExported() || strings.HasSuffix(name, "_test.go") {
				continue
			}
			takes := make(map[string]bool)
			for _, p := range fn.Type.Params.List {
				text := types.ExprString(p.Type)
				takes[text] = true
				if strings.HasPrefix(text, "func(") && strings.Contains(text, "*store.Tx") {
					takes["*store.Tx"] = true
				}
			}
			if takes["store.Change"] && !takes["*store.Tx"] {
				names = append(names, f.Name.Name+"."+fn.Name.Name)
			}
		}
	}
	if len(names) == 0 {
		t.Fatal("no package has a function that takes a Change")
	}
	return names
}

// TestRefusedChangesLeaveNoRow checks that refused changes leave neither a row nor a gap in the
// numbers.
func TestRefusedChangesLeaveNoRow(t *testing.T) {
	t.Parallel()
	b := setup(t)
	trader := b.CreateTrader(t, directory.NewTrader{FullName: "A", ExternalID: new("x")})
	b.CreateTrader(t, directory.NewTrader{FullName: "B", ExternalID: new("y")})
	const rows = bootstrapped + 2
	refused := errors.New("refused")
	b.Exec(t, `CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''made by the test''; END'`)
	b.Exec(t, `CREATE CONSTRAINT TRIGGER fail AFTER INSERT ON integrations DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION fail()`)
	unclaimed := storetest.Attempt(t, b.DB, storetest.AttemptKey(b.Org))
	if err := idempotency.Abandon(t.Context(), b.DB, unclaimed); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func() error{
		"a conflict": func() error {
			_, err := directory.UpdateTrader(t.Context(), b.DB, b.By("desk"), trader.ID, directory.TraderPatch{ExternalID: new(new("y"))})
			return err
		},
		"a condition": func() error {
			_, err := directory.UpdateTrader(t.Context(), b.DB, b.By("desk"), trader.ID, directory.TraderPatch{Status: new("archived"), If: func(directory.TraderDetail) error { return refused }})
			return err
		},
		"nothing there": func() error { return directory.DeleteNote(t.Context(), b.DB, b.By("desk"), trader.ID, uuid.New()) },
		"a failure of the commit": func() error {
			_, err := integrations.Create(t.Context(), b.DB, b.By("desk"), integrations.New{Kind: record.CustomAPI, BaseURL: "https://a.example", SyncIntervalSeconds: 300})
			return err
		},
		"an attempt that was taken over": func() error {
			unclaimed.Render = func(any) (idempotency.Answer, error) { return idempotency.Answer{Status: 201}, nil }
			_, err := directory.CreateTrader(t.Context(), b.DB, store.Change{OrganizationID: b.Org, Attempt: unclaimed}, directory.NewTrader{FullName: "C"})
			return err
		},
		"an organization that has the name of another": func() error {
			name := storetest.One[string](t, b.Conn, `SELECT name FROM organizations`)
			_, _, _, err := access.Bootstrap(t.Context(), b.DB, access.NewOrganization{OrganizationName: name, Email: "a@b.example"})
			return err
		},
	} {
		if err := change(); err == nil {
			t.Errorf("%s: not refused", name)
		}
		b.intact(t, rows)
	}
	b.CreateTrader(t, directory.NewTrader{FullName: "D"})
	b.intact(t, rows+1)
	if n := storetest.One[int](t, b.Conn, `SELECT count(*) FROM audit_log`); n != rows+1 {
		t.Errorf("%d rows in the table, want %d", n, rows+1)
	}
}

// TestAuditAfterAKill checks that a process that dies in the middle of a change, even in its
// commit, leaves nothing, and that the next row takes the number.
func TestAuditAfterAKill(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.Exec(t, `CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_advisory_xact_lock(42); RETURN NULL; END'`)
	b.Exec(t, `CREATE CONSTRAINT TRIGGER wait AFTER INSERT ON audit_log DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION wait()`)
	b.Exec(t, `SELECT pg_advisory_lock(42)`)
	made := make(chan error, 1)
	go func() {
		_, err := directory.CreateTrader(context.WithoutCancel(t.Context()), b.DB, b.By("desk"), directory.NewTrader{FullName: "A"})
		made <- err
	}()
	storetest.AwaitBlocked(t, b.URL, true)
	b.Exec(t, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`)
	if err := <-made; err == nil {
		t.Error("the change committed")
	}
	b.Exec(t, `SELECT pg_advisory_unlock(42)`)
	b.intact(t, bootstrapped)
	b.CreateTrader(t, directory.NewTrader{FullName: "B"})
	b.intact(t, bootstrapped+1)
	if n := storetest.One[int](t, b.Conn, `SELECT count(*) FROM traders`); n != 1 {
		t.Errorf("%d traders, want 1", n)
	}
}

// TestConcurrentChangesMakeOneChain checks that concurrent changes of all kinds, in two
// organizations and by two processes, all succeed and result in two valid chains without a gap.
func TestConcurrentChangesMakeOneChain(t *testing.T) {
	t.Parallel()
	b := setup(t)
	other := b
	other.Org = storetest.Organization(t, b.DB).ID
	fleet := []*store.DB{b.DB, storetest.Open(t, b.URL)}
	platforms := []integrations.Integration{
		storetest.Integration(t, b.DB, b.Org, "https://a.example"), storetest.Integration(t, b.DB, other.Org, "https://a.example"),
	}
	trader := b.CreateTrader(t, directory.NewTrader{FullName: "A"})
	const workers, rounds = 8, 12
	var wg sync.WaitGroup
	for n := range workers {
		wg.Go(func() {
			db, org := fleet[n%2], n/2%2
			c := store.Change{OrganizationID: []uuid.UUID{b.Org, other.Org}[org], By: "desk"}
			for round := range rounds {
				_, err := directory.CreateTrader(t.Context(), db, c, directory.NewTrader{FullName: "X", Email: new(fmt.Sprintf("x%d-%d@example.com", n, round))})
				if err == nil {
					_, err = integrations.Update(t.Context(), db, c, platforms[org].ID, integrations.Patch{Name: new(fmt.Sprint(n, round))})
				}
				if err == nil && org == 0 {
					_, err = directory.UpdateTrader(t.Context(), db, c, trader.ID, directory.TraderPatch{Status: new(directory.TraderStatuses()[round%4])})
				}
				if err != nil {
					t.Errorf("worker %d, round %d: %v", n, round, err)
				}
			}
		})
	}
	wg.Wait()
	b.intact(t, bootstrapped+2+workers/2*rounds*3)
	other.intact(t, bootstrapped+1+workers/2*rounds*2)
	if n := storetest.One[int](t, b.Conn, `SELECT count(*) FROM (SELECT at < lag(at) OVER (PARTITION BY organization_id ORDER BY number) AS back FROM audit_log) AS x WHERE back`); n != 0 {
		t.Errorf("%d rows are older than the one before", n)
	}
}

// TestAuditTablesOnlyGrow checks that neither their owner nor a superuser can change rows, even if
// triggers are disabled as for replication.
func TestAuditTablesOnlyGrow(t *testing.T) {
	t.Parallel()
	b := setup(t)
	role := "audit_owner_" + strings.ReplaceAll(uuid.NewString(), "-", "")
	b.Exec(t, `CREATE ROLE `+role)
	t.Cleanup(func() {
		if _, err := b.Conn.Exec(context.Background(), `RESET ROLE; REASSIGN OWNED BY `+role+` TO CURRENT_USER; DROP OWNED BY `+role+`; DROP ROLE `+role); err != nil {
			t.Error(err)
		}
	})
	b.Exec(t, `GRANT ALL ON SCHEMA public TO `+role)
	b.Exec(t, `GRANT ALL ON ALL TABLES IN SCHEMA public TO `+role)
	b.Exec(t, `ALTER TABLE audit_log OWNER TO `+role)
	b.Exec(t, `ALTER TABLE audit_chains OWNER TO `+role)
	for _, who := range []string{`SET ROLE ` + role, `RESET ROLE`, `SET session_replication_role = replica`} {
		b.Exec(t, who)
		for _, statement := range []string{
			`UPDATE audit_log SET actor_name = 'x'`, `UPDATE audit_log SET at = now() WHERE number = 1`, `DELETE FROM audit_log`,
			`DELETE FROM audit_log WHERE number = 3`, `TRUNCATE audit_log`, `TRUNCATE audit_chains, audit_log`, `TRUNCATE audit_chains CASCADE`,
			`DELETE FROM audit_chains`, `UPDATE audit_chains SET number = number - 1`, `UPDATE audit_chains SET hash = ''`,
			`INSERT INTO audit_chains AS c (organization_id) SELECT organization_id FROM audit_chains ON CONFLICT (organization_id) DO UPDATE SET number = 0`,
		} {
			if _, err := b.Conn.Exec(t.Context(), statement); err == nil || !strings.Contains(err.Error(), "audit") {
				t.Errorf("after %s: %s: %v", who, statement, err)
			}
		}
	}
	b.Exec(t, `RESET session_replication_role`)
	b.intact(t, bootstrapped)
}

// TestNoAddressInTheAuditLog checks that an email address that people use as their name or that of
// a key does not get into the log.
func TestNoAddressInTheAuditLog(t *testing.T) {
	t.Parallel()
	url := storetest.URL(t)
	db := storetest.Open(t, url)
	o := storetest.Organization(t, db)
	tests := []struct{ name, want string }{
		{"ada@example.com", "***"},
		{"Ada's key (ada.lovelace+x@example.com), the first", "Ada's key (***), the first"},
		{"<ada@example.com>;\nbob@[192.0.2.1]", "<***>;\n***"},
		{"äda@bücher.example", "***"},
		{"tab\tada@localhost \"b@c\"", "tab\t*** \"***\""},
		{`back\slash@example.com`, `back\***`},
		{"lunch @ noon", "lunch @ noon"},
	}
	for i, tt := range tests {
		c := store.Change{OrganizationID: o.ID, PersonID: uuid.New(), By: tt.name}
		if _, err := access.CreateAPIKey(t.Context(), db, c, access.NewAPIKey{Name: tt.name, Prefix: "svc_live_abcdef", SecretHash: newToken(), Scopes: []string{"traders:read"}}); err != nil {
			t.Fatalf("%q: %v", tt.name, err)
		}
		rows, _, err := auditlog.List(t.Context(), db, o.ID, auditlog.Filter{}, store.Page{Number: 1, Limit: 1})
		if err != nil || len(rows) != 1 {
			t.Fatalf("%d rows, %v", len(rows), err)
		}
		var after struct{ Name string }
		if err := json.Unmarshal(rows[0].After, &after); err != nil {
			t.Fatalf("%s: %v", rows[0].After, err)
		}
		if after.Name != tt.want || i < 5 && rows[0].ActorName != tt.want {
			t.Errorf("of %q: actor %q, name %q, want %q", tt.name, rows[0].ActorName, after.Name, tt.want)
		}
	}
	report, err := auditlog.Verify(t.Context(), db, auditlog.Verification{OrganizationID: o.ID, Found: func(f auditlog.Fault) { t.Error(f) }})
	if err != nil || report.Faults > 0 {
		t.Errorf("%+v, %v", report, err)
	}
}

func TestAuditLog(t *testing.T) {
	t.Parallel()
	b := setup(t)
	key := storetest.One[uuid.UUID](t, b.Conn, `SELECT id FROM api_keys`)
	first := b.CreateTrader(t, directory.NewTrader{FullName: "A"})
	b.CreateTrader(t, directory.NewTrader{FullName: "B"})
	if _, err := directory.CreateTrader(t.Context(), b.DB, store.Change{OrganizationID: b.Org, KeyID: key, By: "k"}, directory.NewTrader{FullName: "C"}); err != nil {
		t.Fatal(err)
	}
	person := uuid.New()
	if _, err := directory.AddNote(t.Context(), b.DB, store.Change{OrganizationID: b.Org, PersonID: person, By: "Eve"}, first.ID, "x"); err != nil {
		t.Fatal(err)
	}
	storetest.Organization(t, b.DB) // another organization's rows are not included
	at := func(n int64) *time.Time {
		return new(storetest.One[time.Time](t, b.Conn, `SELECT at FROM audit_log WHERE organization_id = $1 AND number = $2`, b.Org, n))
	}
	for _, c := range []struct {
		name   string
		filter auditlog.Filter
		want   []int64
	}{
		{"all", auditlog.Filter{}, []int64{7, 6, 5, 4, 3, 2, 1}},
		{"action", auditlog.Filter{Action: action.TraderCreated}, []int64{6, 5, 4}},
		{"kind of object", auditlog.Filter{ObjectKind: "trader"}, []int64{7, 6, 5, 4}},
		{"object", auditlog.Filter{ObjectID: &first.ID}, []int64{7, 4}},
		{"person", auditlog.Filter{ActorKind: store.ActorPerson}, []int64{7}},
		{"system", auditlog.Filter{ActorKind: store.ActorSystem}, []int64{5, 4, 3, 2, 1}},
		{"actor", auditlog.Filter{ActorID: &key}, []int64{6}},
		{"from", auditlog.Filter{From: at(5)}, []int64{7, 6, 5}},
		{"to", auditlog.Filter{To: at(5)}, []int64{4, 3, 2, 1}},
		{"several", auditlog.Filter{ObjectKind: "trader", Action: action.TraderCreated, From: at(5), To: at(6)}, []int64{5}},
		{"none", auditlog.Filter{ObjectID: &person}, nil},
	} {
		var all []int64
		for page := 1; ; page++ {
			rows, total, err := auditlog.List(t.Context(), b.DB, b.Org, c.filter, store.Page{Number: page, Limit: 2})
			if err != nil || total != len(c.want) {
				t.Errorf("%s: total %d, %v; want %d", c.name, total, err, len(c.want))
			}
			if len(rows) == 0 {
				break
			}
			for _, r := range rows {
				all = append(all, r.Number)
			}
		}
		if diff := cmp.Diff(c.want, all); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}
