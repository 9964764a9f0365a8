package store_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store/ingest"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/store/syncing"
)

// TestLogWarnings changes the server's settings for its own user.
func TestLogWarnings(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a server of its own")
	}
	t.Parallel()
	server := storetest.NewServer(t, "", "log_min_duration_statement=-1", "fsync=off")
	for _, tt := range []struct {
		name     string
		settings string
		want     []string // the settings with a warning
	}{
		{"as Postgres comes", "", nil},
		{"slow statements with their values", "SET log_min_duration_statement = 500", []string{"log_min_duration_statement"}},
		{"slow statements without values", "SET log_min_duration_statement = 500; SET log_parameter_max_length = 0", nil},
		{"every statement", "SET log_statement = 'all'", []string{"log_statement"}},
		{"changes of the schema", "SET log_statement = 'ddl'", nil},
		{"samples", "SET log_min_duration_sample = 0; SET log_transaction_sample_rate = 0.1", []string{"log_min_duration_sample", "log_transaction_sample_rate"}},
		{"values of what fails", "SET log_parameter_max_length_on_error = -1; SET log_parameter_max_length = 0", []string{"log_parameter_max_length_on_error"}},
		{"plans", "SET debug_print_plan = on", []string{"debug_print_plan"}},
		{"plans of slow statements", "SET session_preload_libraries = auto_explain; SET auto_explain.log_min_duration = 100", []string{"auto_explain.log_min_duration"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			url := storetest.URLOn(t, server.URL)
			for _, setting := range strings.Split(tt.settings, ";") {
				if setting != "" {
					if _, err := storetest.Conn(t, server.URL).Exec(t.Context(), "ALTER DATABASE "+databaseOf(url)+" "+setting); err != nil {
						t.Fatal(err)
					}
				}
			}
			warnings, err := storetest.Open(t, url).LogWarnings(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, warning := range warnings {
				_, rest, _ := strings.Cut(warning, ": ")
				name, _, _ := strings.Cut(rest, " = ")
				got = append(got, name)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("warned of %q, want %q", warnings, tt.want)
			}
		})
	}
}

// databaseOf returns the name of the database of a URL.
func databaseOf(url string) string {
	path, _, _ := strings.Cut(url, "?")
	return path[strings.LastIndexByte(path, '/')+1:]
}

// TestServerLogOfPages checks that personal data from a platform does not get into the server's
// log, whether pages arrive, repeat what is known, cannot be stored, or are canceled within a row.
func TestServerLogOfPages(t *testing.T) {
	t.Parallel()
	server := storetest.NewServer(t, "", "log_statement=all", "log_parameter_max_length=0", "fsync=off")
	b := &cycle{storetest.NewCycleOn(t, storetest.URLOn(t, server.URL))}
	person := func(id string, minutes int) record.Trader {
		return record.Trader{
			ID: "qwolmark-" + id, FirstName: "Qwolmark", LastName: "O'Qwolmark", Email: "Qwolmark-" + id + "@qwolmark.example", Phone: "qwolmark",
			Tags: []string{"qwolmark"}, Metadata: `{"qwolmark": "qwolmark"}`, UpdatedAt: day.Add(time.Duration(minutes) * time.Minute),
		}
	}
	page := func(people ...record.Trader) record.Batch { return record.Batch{Traders: people} }
	run := b.NewRun(record.StreamTraders, syncing.ModeBackfill)
	run = b.WritePage(t, run, page(person("1", 0), person("3", 0))).Run
	if out := b.WritePage(t, run, page(person("2", 0))); out.Page.Inserted != 1 || out.Run.Replaying {
		t.Errorf("a page between others: %+v", out)
	}
	if out := b.WritePage(t, run, page(person("3", 0), person("4", 0))); out.Page.Inserted != 1 || out.Page.Unchanged != 1 || !out.Run.Replaying {
		t.Errorf("a page that overlaps: %+v", out)
	}
	b.WritePage(t, b.NewRun(record.StreamTraders, syncing.ModeIncremental), page(person("1", 5), person("5", 0)))
	unstorable := person("6", 0)
	unstorable.Email = noise(5000) + "qwolmark"
	b.WritePage(t, run, page(unstorable, person("7", 0)))
	if log := logOf(t, server); strings.Contains(log, "duplicate key") {
		t.Error("what is known already is an error in the server's log")
	}
	for _, statement := range []string{
		`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'refused'; END $$`,
		`CREATE TRIGGER refuse BEFORE INSERT ON traders FOR EACH ROW EXECUTE FUNCTION refuse()`,
	} {
		if _, err := b.Conn.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := ingest.WritePage(t.Context(), b.DB, ingest.PageCommit{Claim: &b.Claim, Batch: page(person("8", 0)), Run: run, Lease: storetest.Lease}); err == nil {
		t.Error("the page was not broken off")
	}
	log := logOf(t, server)
	if !strings.Contains(log, "COPY traders, line 1") {
		t.Error("no COPY was broken off within a row")
	}
	for line := range strings.Lines(log) {
		if strings.Contains(strings.ToLower(line), "qwolmark") {
			t.Errorf("the server's log holds %.400s", line)
		}
	}
}

// logOf returns the server's log.
func logOf(t *testing.T, s *storetest.Server) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(s.Home, "log"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
