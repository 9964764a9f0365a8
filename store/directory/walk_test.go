package directory_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/sample"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/directory"
	"github.com/assayhq/assay/store/ingest"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/store/syncing"
)

// TestDirectoryModel performs random actions of people and platforms, and compares the directory
// with a model after each step.
func TestDirectoryModel(t *testing.T) {
	t.Parallel()
	seeds := []uint64{rand.Uint64(), rand.Uint64(), rand.Uint64(), rand.Uint64(), rand.Uint64(), rand.Uint64()}
	for _, seed := range sample.Cases(seeds, 2) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			s := setupCycle(t)
			w := &walker{t: t, r: rand.New(rand.NewPCG(seed, 0)), s: s, b: s.orgDB(), m: &model{}}
			for step := range 60 {
				what := w.step(step)
				w.compare()
				if t.Failed() {
					t.Fatalf("step %d: %s", step, what)
				}
			}
		})
	}
}

// walker performs the steps on the database and on the model.
type walker struct {
	t *testing.T
	r *rand.Rand
	s *cycle
	b orgDB
	m *model
}

func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

func (w *walker) fields() fields {
	return fields{
		pick(w.r, "Ada", "Bob", "Cy"), pick(w.r, "", "ada@x.test", "Ada@x.test", "bob@x.test", "cy@x.test"), pick(w.r, "", "GB", "DE"),
		pick(w.r, []string{}, []string{"x"}, []string{"y", "x"}),
	}
}

func (w *walker) step(n int) string {
	var row *modelRow
	if len(w.m.rows) > 0 {
		row = pick(w.r, w.m.rows...)
	}
	switch kind := w.r.IntN(10); {
	case row == nil || kind < 3:
		return w.create()
	case kind < 6:
		return w.page(n)
	case kind < 7:
		body := fmt.Sprint("note ", n)
		if _, err := directory.AddNote(w.t.Context(), w.b.DB, w.b.By("desk"), row.id, body); err != nil {
			w.t.Error(err)
		}
		row.notes = append(row.notes, body)
		return body + " on " + row.String()
	}
	return w.patch(row)
}

func (w *walker) create() string {
	f, external := w.fields(), pick(w.r, "", "", "k1", "k2")
	made, err := directory.CreateTrader(w.t.Context(), w.b.DB, w.b.By("desk"), directory.NewTrader{
		FullName: f.name, Email: orNil(f.email), Country: orNil(f.country), ExternalID: orNil(external), Tags: f.tags,
	})
	row := w.m.create(f, external)
	if (row == nil) != errors.Is(err, store.ErrConflict) || row != nil && err != nil {
		w.t.Errorf("create: %v, the model has %v", err, row)
	}
	if row != nil {
		if row.id != uuid.Nil && row.id != made.ID {
			w.t.Errorf("created %s, want the known %s", made.ID, row.id)
		}
		row.id = made.ID
	}
	return fmt.Sprintf("create %+v %s", f, external)
}

func orNil(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func (w *walker) page(n int) string {
	var page []record.Trader
	for _, key := range []string{"k1", "k2", "k3"} {
		if w.r.IntN(2) == 0 {
			f := w.fields()
			page = append(page, record.Trader{ID: key, FirstName: f.name, Email: f.email, Country: f.country, Tags: f.tags, UpdatedAt: day.Add(time.Duration(n) * time.Minute)})
		}
	}
	run := w.s.NewRun(record.StreamTraders, pick(w.r, syncing.ModeBackfill, syncing.ModeIncremental))
	run.Listed = w.r.IntN(2) == 0
	w.s.WritePage(w.t, run, record.Batch{Traders: page}, func(p *ingest.PageCommit) { p.More = w.r.IntN(2) == 0 })
	w.m.page(page)
	return fmt.Sprintf("page %+v", page)
}

func (w *walker) patch(row *modelRow) string {
	f, manual := w.fields(), row.key == ""
	target := &row.over
	if manual {
		target = &row.own
	}
	var (
		p         directory.TraderPatch
		conflicts bool
	)
	kind := pick(w.r, "name", "email", "email", "email", "external_id", "status", "tags", "drop tags")
	switch kind {
	case "name":
		p.FullName, target.name = to(f.name), f.name
	case "email":
		p.Email = new(orNil(f.email))
		target.email = f.email
	case "external_id":
		external := pick(w.r, "", "k1", "k2", "k9")
		p.ExternalID = new(orNil(external))
		switch {
		case !manual:
			row.overExt = external
		case w.m.taken(external, row):
			conflicts = true
		default:
			row.external = external
		}
	case "status":
		row.status = pick(w.r, directory.TraderStatuses()...)
		p.Status = &row.status
	case "tags":
		p.Tags, target.tags = &f.tags, f.tags
	case "drop tags":
		p.Tags, target.tags = new([]string(nil)), nil
		if manual {
			target.tags = []string{}
		}
	}
	what := fmt.Sprintf("patch %s: %s of %s", row.id, kind, row)
	_, err := directory.UpdateTrader(w.t.Context(), w.b.DB, w.b.By("desk"), row.id, p)
	if conflicts != errors.Is(err, store.ErrConflict) || !conflicts && err != nil {
		w.t.Errorf("%s: %v", what, err)
	}
	if !conflicts && (kind == "email" || kind == "external_id") {
		w.m.match(row)
	}
	return what
}

// compare reads the whole directory, learns the ids of the rows that the platform has added, and
// compares.
func (w *walker) compare() {
	t := w.t
	t.Helper()
	var want, got []string
	visible := 0
	for _, row := range w.m.rows {
		if row.id == uuid.Nil {
			row.id = storetest.One[uuid.UUID](t, w.b.Conn, `SELECT id FROM traders WHERE integration_id = $1 AND external_id = $2`, w.s.Claim.IntegrationID, row.key)
		}
		want = append(want, row.id.String()+" "+row.String())
		if row.status != "archived" {
			visible++
		}
	}
	ids, total := w.b.list(t, directory.TraderFilter{Statuses: directory.TraderStatuses()})
	for _, id := range ids {
		d, err := directory.ReadTrader(t.Context(), w.b.DB, w.b.Org, id)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, id.String()+" "+describeTrader(d))
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" || total != len(want) {
		t.Errorf("directory of %d (-want +got):\n%s", total, diff)
	}
	for _, f := range []directory.TraderFilter{{}, {Source: "manual"}, {Source: "custom_api"}} {
		ids, total := w.b.list(t, f)
		if len(ids) != total || f.Source == "" && total != visible {
			t.Errorf("%+v: %d listed, total %d, %d visible", f, len(ids), total, visible)
		}
	}
	w.s.CheckCounters(t)
}
