package directory_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store/directory"
	"github.com/assayhq/assay/store/ingest"
	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/store/privacy"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/store/syncing"
	"github.com/assayhq/assay/store/syncing/integrations"
)

// orgDB returns the cycle as an orgDB, for the tests of the API's methods.
func (b *cycle) orgDB() orgDB { return orgDB{b.OrgDB} }

// trader returns a page of one trader. minutes is when it was updated.
func trader(id, email string, minutes int) record.Batch {
	return record.Batch{Traders: []record.Trader{{ID: id, Email: email, FirstName: "Synced", UpdatedAt: day.Add(time.Duration(minutes) * time.Minute)}}}
}

// arrive writes a page of the traders in the way of a cycle.
func (b *cycle) arrive(t *testing.T, batch record.Batch) {
	t.Helper()
	b.WritePage(t, b.NewRun(record.StreamTraders, syncing.ModeIncremental), batch)
}

// only returns the only trader of the directory.
func only(t *testing.T, b orgDB) directory.TraderDetail {
	t.Helper()
	ids, total := b.list(t, directory.TraderFilter{Statuses: directory.TraderStatuses()})
	if total != 1 || len(ids) != 1 {
		t.Fatalf("%d of %d traders, want one", len(ids), total)
	}
	d, err := directory.ReadTrader(t.Context(), b.DB, b.Org, ids[0])
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// ambiguities counts the finding.
func (b *cycle) ambiguities(t *testing.T) []string {
	return b.Texts(t, `SELECT count || ' ' || samples::text FROM findings WHERE rule = 'ambiguous_email'`)
}

// sharedEmail returns an interview's list of platforms that share its trader's email.
func sharedEmail(i interviews.Interview) (names []string) {
	for _, m := range i.EmailMatches {
		names = append(names, m.ExternalID)
	}
	slices.Sort(names)
	return names
}

// TestEmailThatTwoPlatformsKnow checks that, regardless of the order of arrival, no platform is
// chosen silently if two know a trader's email: there is a finding, and the interview names both.
func TestEmailThatTwoPlatformsKnow(t *testing.T) {
	t.Parallel()
	const email = "ada@example.com"
	for _, tt := range []struct {
		name  string
		order string // what comes first: the interview, or the trader of platform A or B
		want  []string
		rows  int
	}{
		{"both platforms, then the interview", "AB.", []string{"A-1", "B-1"}, 2},
		{"the interview, then both platforms", ".AB", []string{"A-1", "B-1"}, 2},
		{"the interview in between", "A.B", []string{"A-1", "B-1"}, 2},
		{"a trader made by hand, both platforms, then the interview", "mAB.", []string{"A-1", "B-1"}, 2},
		{"one platform alone", ".A", nil, 1},
	} {
		for _, mode := range []syncing.Mode{syncing.ModeBackfill, syncing.ModeIncremental} {
			t.Run(tt.name+"/"+string(mode), func(t *testing.T) {
				t.Parallel()
				s := setupCycle(t)
				b := s.orgDB()
				first := s.Claim
				other := storetest.Integration(t, b.DB, b.Org, "https://b.example")
				second, err := syncing.ClaimOne(t.Context(), b.DB, "test", other.ID, storetest.Lease)
				if err != nil {
					t.Fatal(err)
				}
				var id uuid.UUID
				for _, step := range tt.order {
					switch step {
					case 'm':
						b.CreateTrader(t, directory.NewTrader{FullName: "Ada King", Email: new(email)})
					case '.':
						id = storetest.Interview(t, b.DB, b.Org, storetest.NewInterview("Ada King", email)).ID
					case 'A':
						s.Claim = first
						s.WritePage(t, s.NewRun(record.StreamTraders, mode), trader("A-1", email, 0))
					case 'B':
						s.Claim = second
						// The second page of a run is written in another way than the first.
						s.WritePage(t, s.WritePage(t, s.NewRun(record.StreamTraders, mode), trader("B-0", "bob@example.com", 0)).Run, trader("B-1", email, 0))
					}
				}
				d, err := interviews.Read(t.Context(), b.DB, b.Org, id)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(tt.want, sharedEmail(d.Interview)); diff != "" {
					t.Errorf("the interview names (-want +got):\n%s", diff)
				}
				if got := s.ambiguities(t); (len(got) > 0) != (len(tt.want) > 0) {
					t.Errorf("findings %v", got)
				}
				if got := s.Texts(t, `SELECT external_id FROM traders WHERE lower(email) = $1 AND integration_id IS NOT NULL`, email); len(got) != tt.rows {
					t.Errorf("traders %v", got)
				}
			})
		}
	}
}

// TestEmailMatchesOfConnectedPlatforms checks that only another connected platform makes an email
// ambiguous, not a second trader of the same platform, and not one whose integration was deleted or
// who was erased.
func TestEmailMatchesOfConnectedPlatforms(t *testing.T) {
	t.Parallel()
	const email = "ada@example.com"
	s := setupCycle(t)
	b := s.orgDB()
	s.arrive(t, trader("A-1", email, 0))
	id := storetest.Interview(t, b.DB, b.Org, storetest.NewInterview("Ada King", email)).ID
	matches := func(want ...string) {
		t.Helper()
		d, err := interviews.Read(t.Context(), b.DB, b.Org, id)
		if err != nil {
			t.Fatal(err)
		}
		if got := sharedEmail(d.Interview); !slices.Equal(got, want) {
			t.Errorf("email_matches %q, want %q", got, want)
		}
	}
	matches()
	s.arrive(t, trader("A-2", email, 0))
	matches() // two of one platform
	second := storetest.Integration(t, b.DB, b.Org, "https://b.example")
	storetest.Records(t, s.Conn.Config().ConnString(), second, trader("B-1", email, 0))
	matches("A-1", "A-2", "B-1")
	one := func(id string) uuid.UUID {
		return storetest.One[uuid.UUID](t, b.Conn, `SELECT coalesce((SELECT trader_id FROM interviews WHERE $1 = ''), (SELECT id FROM traders WHERE external_id = $1))`, id)
	}
	if err := directory.DismissDuplicate(t.Context(), b.DB, b.By("desk"), one(""), one("B-1")); err != nil {
		t.Fatal(err)
	}
	matches() // another person
	if err := directory.RestoreDuplicate(t.Context(), b.DB, b.By("desk"), one(""), one("B-1")); err != nil {
		t.Fatal(err)
	}
	gone := storetest.Integration(t, b.DB, b.Org, "https://c.example")
	storetest.Records(t, s.Conn.Config().ConnString(), gone, trader("C-1", email, 0))
	matches("A-1", "A-2", "B-1", "C-1")
	if err := integrations.Delete(t.Context(), b.DB, b.By("desk"), gone.ID, nil); err != nil {
		t.Fatal(err)
	}
	matches("A-1", "A-2", "B-1")
	if err := privacy.EraseTrader(t.Context(), b.DB, b.By("desk"), storetest.One[uuid.UUID](t, b.Conn, `SELECT id FROM traders WHERE external_id = 'B-1'`)); err != nil {
		t.Fatal(err)
	}
	matches()
}

// TestInterviewFirst adds a trader by hand whom the platform sends later.
func TestInterviewFirst(t *testing.T) {
	t.Parallel()
	s := setupCycle(t)
	b := s.orgDB()
	made := b.CreateTrader(t, directory.NewTrader{FullName: "Ada King", Email: new("Ada@x.test"), Phone: new("1"), Tags: []string{"vip"}})
	if _, err := directory.AddNote(t.Context(), b.DB, b.By("desk"), made.ID, "asked twice"); err != nil {
		t.Fatal(err)
	}
	b.patch(t, made.ID, directory.TraderPatch{Status: new("restricted")})
	page := trader("t1", "ada@x.test", 0)
	page.Traders[0].Tags, page.Traders[0].Country = []string{"eu"}, "GB"
	s.arrive(t, page)
	d := only(t, b)
	want := directory.Trader{
		ID: made.ID, Source: "custom_api", IntegrationID: &s.Claim.IntegrationID, ExternalID: new("t1"),
		FullName: new("Ada King"), FirstName: new("Ada"), LastName: new("King"), Email: new("ada@x.test"), Country: new("GB"), Phone: new("1"),
		Status: "restricted", Tags: []string{"eu", "vip"}, PlatformUpdatedAt: &day, Overrides: []string{"full_name", "phone", "tags"},
		CreatedAt: made.CreatedAt, UpdatedAt: d.UpdatedAt,
	}
	if diff := cmp.Diff(want, d.Trader); diff != "" {
		t.Errorf("adopted (-want +got):\n%s", diff)
	}
	if len(d.Notes) != 1 || d.Notes[0].Body != "asked twice" {
		t.Errorf("notes %+v", d.Notes)
	}
	s.CheckCounters(t)
}

// TestTraderFirst adds a trader by hand whom the platform has sent before.
func TestTraderFirst(t *testing.T) {
	t.Parallel()
	s := setupCycle(t)
	b := s.orgDB()
	page := trader("t1", "ada@x.test", 0)
	page.Traders[0].Tags = []string{"eu"}
	s.arrive(t, page)
	before := only(t, b)
	b.patch(t, before.ID, directory.TraderPatch{Status: new("archived")})
	made := b.CreateTrader(t, directory.NewTrader{FullName: "Ada King", Email: new("ADA@x.test"), Country: new("GB"), Tags: []string{"vip", "eu"}})
	want := before.Trader
	want.FullName, want.FirstName, want.LastName, want.Country, want.Tags = new("Ada King"), new("Ada"), new("King"), new("GB"), []string{"eu", "vip"}
	want.Overrides, want.UpdatedAt = []string{"full_name", "country", "tags"}, made.UpdatedAt
	if diff := cmp.Diff(want, made); diff != "" {
		t.Errorf("created (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(made, only(t, b).Trader); diff != "" {
		t.Errorf("read (-created +read):\n%s", diff)
	}
	s.CheckCounters(t)
}

func TestTraderFirstWithExternalID(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		external string
		rows     int
	}{{"the same", "t1", 1}, {"that a person has set", "crm-1", 1}, {"another", "t2", 2}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := setupCycle(t)
			b := s.orgDB()
			s.arrive(t, trader("t1", "ada@x.test", 0))
			b.patch(t, only(t, b).ID, directory.TraderPatch{ExternalID: to("crm-1")})
			b.CreateTrader(t, directory.NewTrader{FullName: "Ada", Email: new("ada@x.test"), ExternalID: &c.external})
			if ids, total := b.list(t, directory.TraderFilter{}); total != c.rows || len(ids) != c.rows {
				t.Errorf("%d of %d traders, want %d", len(ids), total, c.rows)
			}
			s.CheckCounters(t)
		})
	}
}

// TestChangedEmailMerges changes emails by hand until two rows are one trader.
func TestChangedEmailMerges(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		manual bool // the patched one
	}{{"of the one made by hand", true}, {"of the synced one", false}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := setupCycle(t)
			b := s.orgDB()
			s.arrive(t, trader("t1", "ada@x.test", 0))
			synced := only(t, b).ID
			made := b.CreateTrader(t, directory.NewTrader{FullName: "Ada King", Email: new("a.king@x.test"), Phone: new("1")}).ID
			for id, p := range map[uuid.UUID]directory.TraderPatch{synced: {Country: to("GB"), Status: new("under_review")}, made: {Tags: new([]string{"vip"})}} {
				b.patch(t, id, p)
				if _, err := directory.AddNote(t.Context(), b.DB, b.By("desk"), id, "note"); err != nil {
					t.Fatal(err)
				}
			}
			patched, email := synced, "a.king@x.test"
			if c.manual {
				patched, email = made, "Ada@x.test"
			}
			got := b.patch(t, patched, directory.TraderPatch{Email: &[]*string{&email}[0]})
			if diff := cmp.Diff(only(t, b), got); diff != "" {
				t.Errorf("answered (-read +answered):\n%s", diff)
			}
			if got.ID != patched || got.Source != "custom_api" || *got.ExternalID != "t1" || *got.FullName != "Ada King" || *got.Country != "GB" ||
				*got.Phone != "1" || got.Status != "under_review" || !slices.Equal(got.Tags, []string{"vip"}) || len(got.Notes) != 2 {
				t.Errorf("merged: %+v", got)
			}
			s.CheckCounters(t)
			// The platform still reaches the row.
			s.arrive(t, trader("t1", "new@x.test", 5))
			if d := only(t, b); d.ID != patched || d.PlatformUpdatedAt.Equal(day) {
				t.Errorf("after the next page: %+v", d.Trader)
			}
		})
	}
}

func TestMergedStatus(t *testing.T) {
	t.Parallel()
	s := setupCycle(t)
	b := s.orgDB()
	for n, c := range []struct{ stays, goes, want string }{
		{"active", "restricted", "restricted"},
		{"active", "under_review", "under_review"},
		{"active", "archived", "active"},
		{"under_review", "restricted", "under_review"},
		{"archived", "restricted", "archived"},
	} {
		for _, manual := range []bool{true, false} {
			key := fmt.Sprintf("t%d%t", n, manual)
			s.arrive(t, trader(key, key+"@x.test", 0))
			synced := storetest.One[uuid.UUID](t, b.Conn, `SELECT id FROM traders WHERE external_id = $1`, key)
			made := b.CreateTrader(t, directory.NewTrader{FullName: "Ada", Email: new("a." + key + "@x.test")}).ID
			stays, goes, email := synced, made, "a."+key+"@x.test"
			if manual {
				stays, goes, email = made, synced, key+"@x.test"
			}
			b.patch(t, stays, directory.TraderPatch{Status: &c.stays})
			b.patch(t, goes, directory.TraderPatch{Status: &c.goes})
			if d := b.patch(t, stays, directory.TraderPatch{Email: to(email)}); d.Status != c.want || d.Manual() {
				t.Errorf("%s takes over from %s (made by hand: %t): %s from %s, want %s", c.stays, c.goes, manual, d.Status, d.Source, c.want)
			}
		}
	}
}

func TestAmbiguousEmails(t *testing.T) {
	t.Parallel()
	two := record.Batch{Traders: append(trader("t1", "ada@x.test", 0).Traders, trader("t2", "Ada@x.test", 0).Traders...)}
	for _, c := range []struct {
		name string
		do   func(*testing.T, *cycle, orgDB)
		rows int
		want []string
	}{
		{"two synced traders", func(t *testing.T, s *cycle, b orgDB) {
			s.arrive(t, two)
			b.CreateTrader(t, directory.NewTrader{FullName: "Ada", Email: new("ada@x.test")})
		}, 3, []string{"2 {t1,t2}"}},
		{"two made by hand, then a synced one", func(t *testing.T, s *cycle, b orgDB) {
			b.CreateTrader(t, directory.NewTrader{FullName: "Ada", Email: new("ada@x.test")})
			b.CreateTrader(t, directory.NewTrader{FullName: "Eve", Email: new("ada@x.test")})
			s.arrive(t, trader("t1", "ada@x.test", 0))
		}, 3, []string{"1 {t1}"}},
		{"a third beside them", func(t *testing.T, s *cycle, b orgDB) {
			b.CreateTrader(t, directory.NewTrader{FullName: "Ada", Email: new("ada@x.test")})
			b.CreateTrader(t, directory.NewTrader{FullName: "Eve", Email: new("ada@x.test")})
			s.arrive(t, trader("t1", "ada@x.test", 0))
			b.CreateTrader(t, directory.NewTrader{FullName: "Zoe", Email: new("ada@x.test")})
		}, 4, []string{"2 {t1}"}},
		{"a person's change", func(t *testing.T, s *cycle, b orgDB) {
			s.arrive(t, trader("t1", "other@x.test", 0))
			id := only(t, b).ID
			b.CreateTrader(t, directory.NewTrader{FullName: "Ada", Email: new("ada@x.test")})
			b.CreateTrader(t, directory.NewTrader{FullName: "Eve", Email: new("ada@x.test")})
			b.patch(t, id, directory.TraderPatch{Email: to("ada@x.test")})
		}, 3, []string{"1 {t1}"}},
		{"two synced traders on one page, after the one made by hand", func(t *testing.T, s *cycle, b orgDB) {
			b.CreateTrader(t, directory.NewTrader{FullName: "Ada", Email: new("ada@x.test")})
			s.arrive(t, two)
		}, 3, []string{"2 {t1,t2}"}},
		{"a platform's change of something else", func(t *testing.T, s *cycle, b orgDB) {
			s.arrive(t, two)
			b.CreateTrader(t, directory.NewTrader{FullName: "Ada", Email: new("ada@x.test")})
			page := trader("t2", "ada@x.test", 5)
			page.Traders[0].Country = "GB"
			s.arrive(t, page)
		}, 3, []string{"3 {t2}"}},
		{"a person's change of a third synced trader", func(t *testing.T, s *cycle, b orgDB) {
			s.arrive(t, two)
			s.arrive(t, trader("t3", "other@x.test", 0))
			b.CreateTrader(t, directory.NewTrader{FullName: "Ada", Email: new("ada@x.test")})
			third := storetest.One[uuid.UUID](t, b.Conn, `SELECT id FROM traders WHERE external_id = 't3'`)
			b.patch(t, third, directory.TraderPatch{Email: to("ADA@x.test")})
		}, 4, []string{"5 {t1,t2,t3}"}},
		{"a page of a second integration", func(t *testing.T, s *cycle, b orgDB) {
			s.arrive(t, trader("t1", "ada@x.test", 0))
			made := b.CreateTrader(t, directory.NewTrader{FullName: "Ada", Email: new("other@x.test")})
			second := storetest.Integration(t, s.DB, s.Org, "https://second.example")
			storetest.Records(t, s.Conn.Config().ConnString(), second, trader("u1", "eve@x.test", 0))
			b.Exec(t, `UPDATE traders SET email = 'ada@x.test' WHERE id = $1 OR integration_id = $2`, made.ID, second.ID)
			s.arrive(t, trader("t1", "Ada@x.test", 5))
		}, 3, []string{"1 {t1}"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := setupCycle(t)
			b := s.orgDB()
			c.do(t, s, b)
			if ids, total := b.list(t, directory.TraderFilter{}); total != c.rows || len(ids) != c.rows {
				t.Errorf("%d of %d traders, want %d", len(ids), total, c.rows)
			}
			if diff := cmp.Diff(c.want, s.ambiguities(t)); diff != "" {
				t.Errorf("finding (-want +got):\n%s", diff)
			}
			s.CheckCounters(t)
		})
	}
}

// TestTwinsMeet adds a trader from both sides at the same moment.
func TestTwinsMeet(t *testing.T) {
	t.Parallel()
	s := setupCycle(t)
	b := s.orgDB()
	for n := range 30 {
		mode := []syncing.Mode{syncing.ModeBackfill, syncing.ModeIncremental}[n%2]
		run := s.NewRun(record.StreamTraders, mode)
		run.Listed = n%3 > 0
		email := fmt.Sprintf("twin%d@x.test", n)
		var wg sync.WaitGroup
		var made directory.Trader
		wg.Go(func() {
			var err error
			made, err = directory.CreateTrader(context.Background(), b.DB, b.By("desk"), directory.NewTrader{FullName: "By Hand", Email: &email})
			if err != nil {
				t.Error(err)
			}
		})
		s.WritePage(t, run, trader(fmt.Sprintf("t%02d", n), email, 0), func(p *ingest.PageCommit) { p.More = true })
		wg.Wait()
		if _, total := b.list(t, directory.TraderFilter{Search: email}); total != 1 {
			t.Errorf("%s: %d rows, want one", email, total)
		}
		if got, err := directory.ReadProfile(t.Context(), b.DB, b.Org, made.ID); err != nil || got.Source != "custom_api" {
			t.Errorf("%s: the id that was answered leads to %+v, %v", email, got, err)
		}
	}
	s.CheckCounters(t)
}

// TestManyTags repeatedly merges a trader with as many tags as possible on each side.
func TestManyTags(t *testing.T) {
	t.Parallel()
	s := setupCycle(t)
	b := s.orgDB()
	tags := func(of string, n int) (list []string) {
		for i := range n {
			list = append(list, fmt.Sprint(of, i))
		}
		return list
	}
	page := trader("t1", "ada@x.test", 0)
	page.Traders[0].Tags = tags("platform", 100)
	s.arrive(t, page)
	want := slices.Concat(tags("platform", 100), tags("first", 50))
	for _, by := range []string{"first", "second"} {
		made := b.CreateTrader(t, directory.NewTrader{FullName: "Ada", Email: new("ada@x.test"), Tags: tags(by, 50)})
		if diff := cmp.Diff(want, made.Tags); diff != "" {
			t.Errorf("after the %s merge (-want +got):\n%s", by, diff)
		}
	}
}
