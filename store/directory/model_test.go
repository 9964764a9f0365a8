package directory_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store/directory"
)

// model is the expected behavior of a directory: the rules of creating, changing, syncing and
// merging, without a database.
type model struct {
	rows []*modelRow
}

// modelRow is one trader. Empty values are null.
type modelRow struct {
	id       uuid.UUID // zero if not known yet
	key      string    // the platform's id; empty if added by hand
	external string    // of a trader added by hand
	own      fields    // what the platform sends, or what people wrote of one added by hand
	over     fields    // what people have set of a synced one
	overExt  string
	status   string
	notes    []string
}

// fields are the texts that people may set, and tags. Nil tags are null.
type fields struct {
	name, email, country string
	tags                 []string
}

func (r *modelRow) shown() fields {
	f := fields{cmp.Or(r.over.name, r.own.name), cmp.Or(r.over.email, r.own.email), cmp.Or(r.over.country, r.own.country), r.own.tags}
	if r.over.tags != nil {
		f.tags = r.over.tags
	}
	return f
}

func (r *modelRow) externalID() string {
	if r.key == "" {
		return r.external
	}
	return cmp.Or(r.overExt, r.key)
}

// String returns the row in the form of the API.
func (r *modelRow) String() string {
	f := r.shown()
	var over []string
	for _, o := range []struct {
		name string
		set  bool
	}{
		{"full_name", r.over.name != ""},
		{"email", r.over.email != ""},
		{"external_id", r.overExt != ""},
		{"country", r.over.country != ""},
		{"tags", r.over.tags != nil},
	} {
		if o.set {
			over = append(over, o.name)
		}
	}
	return describe(r.key == "", r.externalID(), f.name, f.email, f.country, r.status, f.tags, over, r.notes)
}

func describe(manual bool, external, name, email, country, status string, tags, over, notes []string) string {
	notes = slices.Sorted(slices.Values(notes))
	return fmt.Sprintf("manual=%t %s|%s|%s|%s|%s|%v|%v|%v", manual, external, name, email, country, status, tags, over, notes)
}

func describeTrader(d directory.TraderDetail) string {
	text := func(s *string) string {
		if s == nil {
			return ""
		}
		return *s
	}
	var notes []string
	for _, n := range d.Notes {
		notes = append(notes, n.Body)
	}
	return describe(d.Manual(), text(d.ExternalID), text(d.FullName), text(d.Email), text(d.Country), d.Status, d.Tags, d.Overrides, notes)
}

// twins reports whether a trader added by hand and a synced one are the same.
func twins(m, s *modelRow) bool {
	return m.key == "" && s.key != "" && m.own.email != "" && strings.EqualFold(m.own.email, s.shown().email) &&
		(m.external == "" || m.external == s.key || m.external == s.overExt)
}

// twinsOf lists the rows that may be the same trader as r.
func (m *model) twinsOf(r *modelRow) (list []*modelRow) {
	for _, other := range m.rows {
		if twins(r, other) || twins(other, r) {
			list = append(list, other)
		}
	}
	return list
}

// taken reports whether another trader added by hand has the external id.
func (m *model) taken(external string, but *modelRow) bool {
	return external != "" && slices.ContainsFunc(m.rows, func(r *modelRow) bool { return r != but && r.key == "" && r.external == external })
}

func (m *model) remove(gone *modelRow) {
	m.rows = slices.DeleteFunc(m.rows, func(r *modelRow) bool { return r == gone })
}

// create returns the row of the new trader, or nil on a conflict.
func (m *model) create(n fields, external string) *modelRow {
	if m.taken(external, nil) {
		return nil
	}
	row := &modelRow{own: n, external: external, status: "active"}
	m.rows = append(m.rows, row)
	synced := m.onlyTwin(row)
	if synced == nil {
		return row
	}
	m.remove(row)
	for _, f := range []struct{ over, given, shown *string }{
		{&synced.over.name, &n.name, new(synced.shown().name)},
		{&synced.over.email, &n.email, new(synced.shown().email)},
		{&synced.over.country, &n.country, new(synced.shown().country)},
	} {
		if *f.given != "" && !strings.EqualFold(*f.given, *f.shown) {
			*f.over = *f.given
		}
	}
	synced.addTags(n.tags)
	if synced.status == "archived" {
		synced.status = "active"
	}
	return synced
}

// onlyTwin returns the only matching trader of r, from either side.
func (m *model) onlyTwin(r *modelRow) *modelRow {
	list := m.twinsOf(r)
	if len(list) != 1 || len(m.twinsOf(list[0])) != 1 {
		return nil
	}
	return list[0]
}

// addTags adds tags of people to those shown.
func (r *modelRow) addTags(tags []string) {
	shown := slices.Clone(r.shown().tags)
	for _, tag := range tags {
		if !slices.Contains(shown, tag) {
			shown = append(shown, tag)
			r.over.tags = shown
		}
	}
}

// match merges a row whose email or external id has changed with its twin.
func (m *model) match(r *modelRow) {
	if r.key == "" {
		if synced := m.onlyTwin(r); synced != nil {
			m.takePlace(r, synced)
		}
		return
	}
	if made := m.onlyTwin(r); made != nil {
		m.takeIn(r, made)
	}
}

// takePlace replaces the synced row by one added by hand.
func (m *model) takePlace(made, synced *modelRow) {
	wrote := made.own
	made.key, made.external, made.own, made.over, made.overExt = synced.key, "", synced.own, synced.over, synced.overExt
	for _, f := range []struct{ over, wrote, platform *string }{
		{&made.over.name, &wrote.name, &synced.own.name},
		{&made.over.email, &wrote.email, &synced.own.email},
		{&made.over.country, &wrote.country, &synced.own.country},
	} {
		if *f.wrote != "" && !strings.EqualFold(*f.wrote, *f.platform) {
			*f.over = *f.wrote
		}
	}
	made.addTags(wrote.tags)
	m.bequeath(made, synced)
}

// takeIn merges what people wrote of a row added by hand into the synced one.
func (m *model) takeIn(synced, made *modelRow) {
	for _, f := range []struct{ over, wrote, platform *string }{
		{&synced.over.name, &made.own.name, &synced.own.name},
		{&synced.over.email, &made.own.email, &synced.own.email},
		{&synced.over.country, &made.own.country, &synced.own.country},
	} {
		if *f.over == "" && *f.wrote != "" && !strings.EqualFold(*f.wrote, *f.platform) {
			*f.over = *f.wrote
		}
	}
	synced.addTags(made.own.tags)
	m.bequeath(synced, made)
}

func (m *model) bequeath(survivor, gone *modelRow) {
	if survivor.status == "active" && gone.status != "archived" {
		survivor.status = gone.status
	}
	survivor.notes = append(survivor.notes, gone.notes...)
	m.remove(gone)
}

// page merges records, sorted by id, that have all changed.
func (m *model) page(records []record.Trader) {
	var written []*modelRow
	for _, r := range records {
		at := slices.IndexFunc(m.rows, func(row *modelRow) bool { return row.key == r.ID })
		if at < 0 {
			at = len(m.rows)
			m.rows = append(m.rows, &modelRow{key: r.ID, status: "active"})
		}
		m.rows[at].own = fields{r.FullName(), r.Email, r.Country, r.Tags}
		written = append(written, m.rows[at])
	}
	pairs := make(map[*modelRow]*modelRow)
	for _, synced := range written {
		if made := m.onlyTwin(synced); made != nil {
			pairs[synced] = made
		}
	}
	for synced, made := range pairs {
		m.takePlace(made, synced)
	}
}
