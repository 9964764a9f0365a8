package directory_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/directory"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/store/syncing"
	"github.com/assayhq/assay/store/syncing/integrations"
)

var opened = time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)

// patch changes a trader.
func (b orgDB) patch(t *testing.T, id uuid.UUID, p directory.TraderPatch) directory.TraderDetail {
	t.Helper()
	d, err := directory.UpdateTrader(t.Context(), b.DB, b.By("desk"), id, p)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// to returns the member of a patch that sets a text; unset is the one that removes it.
func to(s string) **string { return new(&s) }

func unset() **string { return new(*string) }

func TestCreateTrader(t *testing.T) {
	t.Parallel()
	b := setup(t)
	got := b.CreateTrader(t, directory.NewTrader{
		FullName: "Ada King Lovelace", Email: new("Ada@x.test"), ExternalID: new("m-1"), Country: new("GB"), Phone: new("+44 1"), Tags: []string{"vip"},
	})
	want := directory.Trader{
		ID: got.ID, Source: "manual", ExternalID: new("m-1"), FullName: new("Ada King Lovelace"), FirstName: new("Ada"), LastName: new("King Lovelace"),
		Email: new("Ada@x.test"), Country: new("GB"), Phone: new("+44 1"), Status: "active", Tags: []string{"vip"}, Overrides: []string{},
		CreatedAt: got.CreatedAt, UpdatedAt: got.UpdatedAt,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("trader (-want +got):\n%s", diff)
	}
	bare := b.CreateTrader(t, directory.NewTrader{FullName: "Cher"})
	if bare.LastName != nil || bare.Tags == nil || bare.Email != nil {
		t.Errorf("trader with a name alone: %+v", bare)
	}
	if _, err := directory.CreateTrader(t.Context(), b.DB, b.By("desk"), directory.NewTrader{FullName: "Other", ExternalID: new("m-1")}); !errors.Is(err, store.ErrConflict) {
		t.Errorf("the same external id: %v, want ErrConflict", err)
	}
	other := storetest.Organization(t, b.DB).ID
	if _, err := directory.CreateTrader(t.Context(), b.DB, store.SystemChange(other), directory.NewTrader{FullName: "Other", ExternalID: new("m-1")}); err != nil {
		t.Errorf("the same external id in another organization: %v", err)
	}
	b.CreateTrader(t, directory.NewTrader{FullName: "Ada's Namesake", Email: new("ada@x.test")}) // emails need not be unique
	if ids, total := b.list(t, directory.TraderFilter{}); total != 3 || len(ids) != 3 {
		t.Errorf("%d of %d traders listed, want 3", len(ids), total)
	}
}

func TestUpdateManualTrader(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := b.CreateTrader(t, directory.NewTrader{FullName: "Ada King", Email: new("ada@x.test"), ExternalID: new("m-1"), Country: new("GB"), Phone: new("1"), Tags: []string{"vip"}})
	rival := b.CreateTrader(t, directory.NewTrader{FullName: "Bob", ExternalID: new("m-2")})

	d := b.patch(t, made.ID, directory.TraderPatch{FullName: to("Ada Lovelace"), Email: unset(), Country: unset(), Phone: unset(), ExternalID: to("m-9"), Tags: new([]string(nil)), Status: new("restricted")})
	want := made
	want.FullName, want.LastName, want.Email, want.Country, want.Phone, want.ExternalID = new("Ada Lovelace"), new("Lovelace"), nil, nil, nil, new("m-9")
	want.Tags, want.Status, want.UpdatedAt = []string{}, "restricted", d.UpdatedAt
	if diff := cmp.Diff(want, d.Trader); diff != "" {
		t.Errorf("patched (-want +got):\n%s", diff)
	}
	if !d.UpdatedAt.After(made.UpdatedAt) {
		t.Errorf("updated at %s, was %s", d.UpdatedAt, made.UpdatedAt)
	}
	if again := b.patch(t, made.ID, directory.TraderPatch{}); !again.UpdatedAt.Equal(d.UpdatedAt) {
		t.Errorf("an empty patch changed the trader at %s", again.UpdatedAt)
	}
	for name, c := range map[string]struct {
		id   uuid.UUID
		p    directory.TraderPatch
		want error
	}{
		"taken external id": {rival.ID, directory.TraderPatch{ExternalID: to("m-9")}, store.ErrConflict},
		"unknown trader":    {uuid.New(), directory.TraderPatch{Status: new("active")}, store.ErrNotFound},
		"condition":         {rival.ID, directory.TraderPatch{Status: new("archived"), If: func(directory.TraderDetail) error { return errRefused }}, errRefused},
	} {
		if _, err := directory.UpdateTrader(t.Context(), b.DB, b.By("desk"), c.id, c.p); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	if _, err := directory.UpdateTrader(t.Context(), b.DB, b.By("desk"), rival.ID, directory.TraderPatch{FullName: unset()}); err == nil {
		t.Error("the name of a trader made by hand was cleared")
	}
	if _, err := directory.UpdateTrader(t.Context(), b.DB, store.SystemChange(storetest.Organization(t, b.DB).ID), rival.ID, directory.TraderPatch{Status: new("archived")}); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("another organization's: %v, want ErrNotFound", err)
	}
	if d := b.patch(t, rival.ID, directory.TraderPatch{If: func(d directory.TraderDetail) error {
		if *d.FullName != "Bob" || d.Status != "active" {
			t.Errorf("the condition sees %+v", d.Trader)
		}
		return nil
	}}); d.Status != "active" {
		t.Errorf("status %s", d.Status)
	}
}

var errRefused = errors.New("refused")

func TestUpdateSyncedTrader(t *testing.T) {
	t.Parallel()
	for _, deleted := range []bool{false, true} {
		t.Run(map[bool]string{false: "connected", true: "of a deleted integration"}[deleted], func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			i := storetest.Integration(t, b.DB, b.Org, "https://a.example")
			sent := record.Trader{ID: "t1", Email: "ada@x.test", FirstName: "Ada", LastName: "King", Country: "GB", Phone: "1", Tags: []string{"a"}, UpdatedAt: opened}
			storetest.Traders(t, b.URL, i, sent)
			if deleted {
				if err := integrations.Delete(t.Context(), b.DB, store.SystemChange(b.Org), i.ID, nil); err != nil {
					t.Fatal(err)
				}
			}
			ids, _ := b.list(t, directory.TraderFilter{})
			before, err := directory.ReadProfile(t.Context(), b.DB, b.Org, ids[0])
			if err != nil {
				t.Fatal(err)
			}
			d := b.patch(t, ids[0], directory.TraderPatch{
				FullName: to("Augusta Ada Byron"), Email: to("countess@x.test"), ExternalID: to("crm-7"), Country: to("GB"), Phone: to("2"), Tags: new([]string{}),
			})
			want := before
			want.FullName, want.FirstName, want.LastName = new("Augusta Ada Byron"), new("Augusta"), new("Ada Byron")
			want.Email, want.ExternalID, want.Phone, want.Tags = new("countess@x.test"), new("crm-7"), new("2"), []string{}
			want.Overrides, want.UpdatedAt = []string{"full_name", "email", "external_id", "country", "phone", "tags"}, d.UpdatedAt
			if diff := cmp.Diff(want, d.Trader); diff != "" {
				t.Errorf("overridden (-want +got):\n%s", diff)
			}
			for search, hits := range map[string]int{"augusta": 1, "countess": 1, "CRM-": 1, "king": 0, "ada@x": 0, "t1": 0} {
				if _, total := b.list(t, directory.TraderFilter{Search: search}); total != hits {
					t.Errorf("search for %s finds %d, want %d", search, total, hits)
				}
			}
			if _, total := b.list(t, directory.TraderFilter{Tag: "a"}); total != 0 {
				t.Error("the platform's tag is found although a person has taken it away")
			}

			d = b.patch(t, ids[0], directory.TraderPatch{FullName: unset(), Email: unset(), ExternalID: unset(), Country: unset(), Phone: unset(), Tags: new([]string(nil))})
			want = before
			want.UpdatedAt = d.UpdatedAt
			if diff := cmp.Diff(want, d.Trader); diff != "" {
				t.Errorf("dropped (-want +got):\n%s", diff)
			}
		})
	}
}

// TestOverridesOutliveSync changes a trader on the platform after a person has.
func TestOverridesOutliveSync(t *testing.T) {
	t.Parallel()
	s := setupCycle(t)
	b := s.orgDB()
	page := func(minutes int, change func(*record.Trader)) {
		sent := trader("t1", "ada@x.test", minutes)
		change(&sent.Traders[0])
		s.WritePage(t, s.NewRun(record.StreamTraders, syncing.ModeIncremental), sent)
	}
	page(0, func(*record.Trader) {})
	ids, _ := b.list(t, directory.TraderFilter{})
	b.patch(t, ids[0], directory.TraderPatch{FullName: to("Ada"), Country: to("GB"), Status: new("under_review")})
	page(1, func(r *record.Trader) { r.FirstName, r.Country, r.Phone = "Changed", "DE", "7" })
	d, err := directory.ReadTrader(t.Context(), b.DB, b.Org, ids[0])
	if err != nil {
		t.Fatal(err)
	}
	if *d.FullName != "Ada" || *d.Country != "GB" || *d.Phone != "7" || d.Status != "under_review" {
		t.Errorf("after a sync: %+v", d.Trader)
	}
	if d = b.patch(t, ids[0], directory.TraderPatch{FullName: unset(), Country: unset()}); *d.FullName != "Changed" || *d.Country != "DE" {
		t.Errorf("dropped: %s from %s, want the platform's newest", *d.FullName, *d.Country)
	}
}

func TestNotes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ada, bob := b.CreateTrader(t, directory.NewTrader{FullName: "Ada"}), b.CreateTrader(t, directory.NewTrader{FullName: "Bob"})
	var notes []directory.Note
	for _, body := range []string{"first", "second\nline", strings.Repeat("ü", 10_000)} {
		n, err := directory.AddNote(t.Context(), b.DB, b.By("desk"), ada.ID, body)
		if err != nil {
			t.Fatal(err)
		}
		notes = append([]directory.Note{n}, notes...)
	}
	detail := func(id uuid.UUID) []directory.Note {
		d, err := directory.ReadTrader(t.Context(), b.DB, b.Org, id)
		if err != nil {
			t.Fatal(err)
		}
		return d.Notes
	}
	if diff := cmp.Diff(notes, detail(ada.ID)); diff != "" {
		t.Errorf("notes, newest first (-want +got):\n%s", diff)
	}
	if n := notes[0]; n.AuthorName != "desk" || n.CreatedAt.IsZero() {
		t.Errorf("note %+v", n)
	}
	other := storetest.Organization(t, b.DB).ID
	for name, c := range map[string]struct {
		org, trader, note uuid.UUID
	}{
		"another trader's":       {b.Org, bob.ID, notes[0].ID},
		"another organization's": {other, ada.ID, notes[0].ID},
		"unknown":                {b.Org, ada.ID, uuid.New()},
	} {
		if err := directory.DeleteNote(t.Context(), b.DB, store.SystemChange(c.org), c.trader, c.note); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("delete %s note: %v, want ErrNotFound", name, err)
		}
	}
	for name, c := range map[string]store.Change{"unknown": b.By("desk"), "another organization's": store.SystemChange(other)} {
		id := ada.ID
		if name == "unknown" {
			id = uuid.New()
		}
		if _, err := directory.AddNote(t.Context(), b.DB, c, id, "x"); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("note on %s trader: %v, want ErrNotFound", name, err)
		}
	}
	if err := directory.DeleteNote(t.Context(), b.DB, b.By("desk"), ada.ID, notes[1].ID); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]directory.Note{notes[0], notes[2]}, detail(ada.ID)); diff != "" {
		t.Errorf("notes after a deletion (-want +got):\n%s", diff)
	}
	if err := directory.DeleteNote(t.Context(), b.DB, b.By("desk"), ada.ID, notes[1].ID); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("second deletion: %v, want ErrNotFound", err)
	}
	b.Exec(t, `INSERT INTO trader_notes (id, organization_id, trader_id, body, author_name) SELECT gen_random_uuid(), $1, $2, 'x', 'y' FROM generate_series(1, 998)`, b.Org, ada.ID)
	if _, err := directory.AddNote(t.Context(), b.DB, b.By("desk"), ada.ID, "one too many"); !errors.Is(err, store.ErrConflict) {
		t.Errorf("note 1,001: %v, want ErrConflict", err)
	}
}
