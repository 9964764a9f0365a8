package directory

import (
	"context"
	"math"
	"strings"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/store"
)

// A filtered list is found in one of two plans. Few hits are all gathered and sorted: they come from
// the index over all filters or, if the search text has no trigram, from one pass over the
// directory's own index. Many hits are counted by such a pass, and those of a page are soon met
// when walking through the directory in its order. A sample of both ends of the directory decides
// between the two plans. If it was misleading, gathering stops at gatherMost.
const (
	sampleSize = 2000   // entries sampled at either end
	denseOne   = 40     // one hit in this many entries is many
	looseOne   = 8      // one candidate in this many entries is too many to read each row
	gatherMost = 25_000 // most hits that are gathered
	fewParts   = 100    // most parts of new traders that are read one by one
)

// listing is one request for a list of an organization's traders.
type listing struct {
	tx    bun.Tx
	orgID uuid.UUID
	f     TraderFilter
	p     store.Page
	after []any // values of the position after which the page begins; nil if there is none
	moved bool  // few new traders are not in the index over all filters yet
	plan  plan
}

// ListTraders lists the organization's directory in the order of the filter, with the exact number
// of all traders that match the filter, from the same snapshot. For a page after a position, the
// number is that of the page. For an uncounted page, it may be a lower bound.
func ListTraders(ctx context.Context, reader store.Reader, orgID uuid.UUID, f TraderFilter, p store.Page) (traders []Trader, total int, err error) {
	defer store.WrapError(&err, "list traders of organization %s", orgID)
	traders = []Trader{}
	if f.isUnmatchable() {
		return traders, 0, nil
	}
	if f.isFront(p) {
		front, total, found, err := readFront(ctx, reader, orgID, p)
		if err != nil || found {
			return alignNames(front), total, err
		}
	}
	after, err := f.Sort.order().Values(p.After)
	if err != nil {
		return nil, 0, err
	}
	err = reader.ReadSnapshot(ctx, orgID, func(ctx context.Context, tx bun.Tx) error {
		d := listing{tx: tx, orgID: orgID, f: f, p: p, after: after}
		traders, total, err = d.listPage(ctx)
		return err
	})
	return alignNames(traders), total, err
}

func alignNames(traders []Trader) []Trader {
	for i := range traders {
		traders[i].alignName()
	}
	return traders
}

func (d *listing) listPage(ctx context.Context) ([]Trader, int, error) {
	if !d.f.hasFacets() && d.f.Search == "" {
		return d.listAll(ctx)
	}
	s, err := d.readSample(ctx)
	if err != nil {
		return nil, 0, err
	}
	if !s.isDense() {
		w := byIndex
		if d.f.fitsFilterIndex(s[0].Letters) && !s.isComplete() && !s.isLoose() && s[0].Parts <= fewParts {
			w = byFilters
		}
		ids, total, err := d.gatherRows(ctx, w)
		if err != nil {
			return nil, 0, err
		}
		if total <= gatherMost {
			traders, err := d.readTraders(ctx, ids)
			return traders, d.knownTotal(total), err
		}
	}
	if d.p.Uncounted && d.after == nil {
		traders, total, err := d.scanUncounted(ctx)
		if err != nil || len(traders) > 0 {
			return traders, total, err
		}
	}
	d.moved = s[0].Parts <= fewParts
	total, err := d.countRows(ctx)
	if err != nil {
		return nil, 0, err
	}
	traders, err := d.scanPage(ctx, d.p.MaxRows(), total)
	return traders, total, err
}

// scanUncounted finds the page along the directory without counting all rows, and looks whether more
// rows follow.
func (d *listing) scanUncounted(ctx context.Context) ([]Trader, int, error) {
	traders, err := d.scanPage(ctx, d.p.MaxRows()+1, math.MaxInt)
	total := int(d.p.Offset()) + len(traders)
	return traders[:min(len(traders), d.p.Limit)], total, err
}

// listAll lists without a filter, which needs no choice of a plan.
func (d *listing) listAll(ctx context.Context) ([]Trader, int, error) {
	traders := []Trader{}
	total, err := d.countRows(ctx)
	if err != nil || d.p.Offset() >= int64(total) {
		return traders, total, err
	}
	query, args := d.walkQuery(d.p.MaxRows(), total)
	err = d.tx.NewRaw(`SELECT `+traderColumns+` FROM (`+query+`) AS page JOIN traders AS t ON t.id = page.id`+d.orderSQL(), args...).Scan(ctx, &traders)
	return traders, total, err
}

// readTraders reads the traders of a page.
func (d *listing) readTraders(ctx context.Context, ids []uuid.UUID) ([]Trader, error) {
	traders := []Trader{}
	if len(ids) == 0 {
		return traders, nil
	}
	if err := d.setPlan(ctx, byAnything); err != nil {
		return nil, err
	}
	err := d.tx.NewRaw(`SELECT `+traderColumns+` FROM traders AS t WHERE t.id IN (?)`+d.orderSQL(), bun.List(ids)).Scan(ctx, &traders)
	return traders, err
}

// plan is how the planner shall find rows.
type plan int

const (
	_          plan = iota // its own choice
	byIndex                // along the directory's index
	byFilters              // by the index over all filters
	byAnything             // by any index
	byTwo                  // like byIndex, with two processes if Postgres has a spare one
)

// setPlan restricts the planner to a plan, until the end of the transaction, because the planner's
// statistics about an organization and about a part of a text do not suffice for a choice. The cost
// of a page is one, because the directory's index is wide and read entirely.
func (d *listing) setPlan(ctx context.Context, w plan) error {
	if d.plan == w {
		return nil
	}
	d.plan = w
	helpers := `0`
	if w == byTwo {
		w, helpers = byIndex, `1`
	}
	_, err := d.tx.NewRaw(`SELECT set_config('enable_seqscan', 'off', true), set_config('random_page_cost', '1', true),
    set_config('jit', 'off', true), set_config('parallel_setup_cost', '0', true), set_config('max_parallel_workers_per_gather', ?, true),
    set_config('enable_bitmapscan', ?, true), set_config('enable_indexscan', ?, true)`, helpers, onOff(w != byIndex), onOff(w != byFilters)).Exec(ctx)
	return err
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

// rowsQuery selects columns of the rows t that match the filter and another condition.
func (d *listing) rowsQuery(columns, condition string) string {
	return d.rowsFrom(`traders AS t`, tagsOfTrader, columns, condition)
}

// rowsFrom selects columns of the rows t of a table that match the filter and another condition.
func (d *listing) rowsFrom(table, tags, columns, condition string) string {
	var parts []string
	for _, part := range d.f.directoryParts() {
		parts = append(parts, `SELECT `+columns+` FROM `+table+` WHERE t.organization_id = ?0 AND `+part+` AND `+d.f.rowCondition(tags)+condition)
	}
	return strings.Join(parts, ` UNION ALL `)
}

// indexedQuery selects the same as rowsQuery by the index over all filters, which new traders are
// not in yet. columns and condition may name the id and the columns that lists filter by.
func (d *listing) indexedQuery(columns, condition string) string {
	const arrived = `(SELECT u.id FROM directory_arrivals AS a CROSS JOIN LATERAL unnest(a.trader_ids) AS u (id) WHERE a.organization_id = ?0) AS a
    JOIN traders AS t ON t.id = a.id`
	return d.rowsFrom(`directory_filters AS t`, tagsInFilters, columns, condition) + ` UNION ALL ` + d.rowsFrom(arrived, tagsOfTrader, columns, condition)
}

// afterCondition limits rows t to those after the position.
func (d *listing) afterCondition() string {
	if d.after == nil {
		return ""
	}
	return d.f.Sort.afterCondition()
}

// orderSQL sorts rows t of traders.
func (d *listing) orderSQL() string { return d.f.Sort.order().SQL() }

// knownTotal returns the number of all rows, of which found come after the position, if there is
// one.
func (d *listing) knownTotal(found int) int {
	if d.after == nil {
		return found
	}
	return d.p.Total
}

// countQuery counts all rows.
func (d *listing) countQuery() (query string, args []any) {
	find := d.rowsQuery
	if d.countPlan() == byFilters {
		find = d.indexedQuery
	}
	return `SELECT count(*) FROM (` + find(`1`, d.afterCondition()) + `) AS t`, d.queryArguments(0, 0)
}

// queryArguments returns the arguments of the listing's statements.
func (d *listing) queryArguments(limit, offset int64) []any {
	return d.f.queryArguments(d.orgID, limit, offset, d.after)
}

// walkQuery selects the ids of up to limit rows from the page's beginning, out of total rows. It
// skips the rows before the page in the index alone, from the nearer end.
func (d *listing) walkQuery(limit int64, total int) (query string, args []any) {
	offset, sort := d.p.Offset(), d.f.Sort
	if rest := int64(total) - offset; offset > rest {
		limit = min(limit, rest)
		offset, sort = rest-limit, sort.reverse()
	}
	columns, condition, order := `t.id, t.created_at`, d.afterCondition(), sort.order()
	if sort.isByName() {
		columns, condition, order[0].SQL = `t.id, `+nameKey+` AS name_key`, condition+inNamed, `t.name_key`
	}
	return `SELECT t.id FROM (` + d.rowsQuery(columns, condition) + `) AS t` + order.SQL() + ` LIMIT ?7 OFFSET ?8`, d.queryArguments(limit, offset)
}

// scanPage finds up to limit rows from the page's beginning along the directory, out of total rows.
func (d *listing) scanPage(ctx context.Context, limit int64, total int) ([]Trader, error) {
	if d.p.Offset() >= int64(total) {
		return []Trader{}, nil
	}
	if err := d.setPlan(ctx, byIndex); err != nil {
		return nil, err
	}
	var ids []uuid.UUID
	query, args := d.walkQuery(limit, total)
	if err := d.tx.NewRaw(query, args...).Scan(ctx, &ids); err != nil {
		return nil, err
	}
	return d.readTraders(ctx, ids)
}

// countRows counts all rows if there are many, for the first page of a list. It uses the counters if they provide the total.
// Otherwise it counts along the directory's index, unless that lacks a column of the filter.
func (d *listing) countRows(ctx context.Context) (total int, err error) {
	if d.after != nil {
		return d.p.Total, nil
	}
	if d.f.isCounted() {
		return countDirectory(ctx, d.tx, d.orgID, d.f.Source)
	}
	if err := d.setPlan(ctx, d.countPlan()); err != nil {
		return 0, err
	}
	query, args := d.countQuery()
	err = d.tx.NewRaw(query, args...).Scan(ctx, &total)
	return total, err
}

// countPlan returns the plan to count many rows: along the directory's index, which has the columns
// of all filters except the tags. Those are in the index over all filters, without which each
// trader's row is read.
func (d *listing) countPlan() plan {
	switch {
	case d.f.Tag == "":
		return byTwo
	case d.moved:
		return byFilters
	}
	return byAnything
}

// gatherQuery counts up to gatherMost + 1 rows, and selects the ids of the page.
func (d *listing) gatherQuery(w plan) (query string, args []any) {
	find := d.rowsQuery
	if w == byFilters {
		find = d.indexedQuery
	}
	rows, hits := find(`t.id, t.created_at`, d.afterCondition()), `hits AS t`
	if d.f.Sort.isByName() {
		// The hits are gathered without their names, which neither index has.
		rows, hits = find(`t.id, t.created_at`, ""), `hits JOIN traders AS t ON t.id = hits.id WHERE true`+d.afterCondition()
	}
	return `WITH hits AS MATERIALIZED (SELECT t.id, t.created_at FROM (` + rows + `) AS t LIMIT ` + gatherLimit + `)
SELECT (SELECT count(*) FROM hits) AS total,
    ARRAY(SELECT t.id FROM ` + hits + d.orderSQL() + ` LIMIT ?7 OFFSET ?8) AS ids`, d.queryArguments(d.p.MaxRows(), d.p.Offset())
}

// gatherLimit is gatherMost + 1.
const gatherLimit = `25001`

// gatherRows finds all rows in one pass, and returns their number and the ids of the page. A total
// over gatherMost means that there are more.
func (d *listing) gatherRows(ctx context.Context, w plan) (ids []uuid.UUID, total int, err error) {
	if err := d.setPlan(ctx, w); err != nil {
		return nil, 0, err
	}
	var found struct {
		Total int         `bun:"total"`
		IDs   []uuid.UUID `bun:"ids,array"`
	}
	query, args := d.gatherQuery(w)
	err = d.tx.NewRaw(query, args...).Scan(ctx, &found)
	return found.IDs, found.Total, err
}

// partsLimit is fewParts + 1.
const partsLimit = `101`

// sample is a sample of the directory's two ends.
type sample []struct {
	Seen       int `bun:"seen"`
	Hits       int `bun:"hits"`
	Candidates int `bun:"candidates"`
	// Letters reports whether the database recognizes letters other than ASCII.
	Letters bool `bun:"letters"`
	// Parts is the number of parts of new traders, up to fewParts + 1.
	Parts int `bun:"parts"`
}

// isComplete reports whether the sample covers everything.
func (s sample) isComplete() bool { return s[0].Seen < sampleSize }

// isDense reports whether there are many hits at both ends.
func (s sample) isDense() bool {
	for _, end := range s {
		if end.Hits*denseOne < end.Seen || end.Seen < sampleSize {
			return false
		}
	}
	return true
}

// isLoose reports whether the index over all filters would find far more rows than match the
// filter, each of which would have to be read.
func (s sample) isLoose() bool {
	for _, end := range s {
		if end.Candidates*looseOne > end.Seen && end.Candidates > 2*end.Hits {
			return true
		}
	}
	return false
}

// sampleQuery samples both ends of the directory's first part.
func (d *listing) sampleQuery() (query string, args []any) {
	columns := `t.created_at, t.search, t.source, t.country_key, t.kyc_key, t.status`
	if d.f.Tag != "" {
		columns += `, t.override_tags, t.tags`
	}
	end := func(order string) string {
		return `SELECT count(*) AS seen, count(*) FILTER (WHERE ` + d.f.rowCondition(tagsOfTrader) + `) AS hits, count(*) FILTER (WHERE ` + d.f.indexCondition() + `) AS candidates,
    'ʛ' ~ '[[:alpha:]]' AS letters, (SELECT count(*) FROM parts) AS parts
FROM (SELECT ` + columns + ` FROM traders AS t WHERE t.organization_id = ?0 AND ` + d.f.directoryParts()[0] + order + ` LIMIT ?7) AS t`
	}
	return `WITH parts AS MATERIALIZED (SELECT FROM directory_arrivals WHERE organization_id = ?0 LIMIT ` + partsLimit + `)
` + end(newestFirst) + ` UNION ALL ` + end(oldestFirst), d.queryArguments(sampleSize, 0)
}

func (d *listing) readSample(ctx context.Context) (s sample, err error) {
	if err := d.setPlan(ctx, byIndex); err != nil {
		return nil, err
	}
	query, args := d.sampleQuery()
	err = d.tx.NewRaw(query, args...).Scan(ctx, &s)
	return s, err
}

// countDirectory adds up the counters that are stored with the rows, either of all traders that are
// not archived, or of those from one source. Counting a million rows would take 50 ms.
func countDirectory(ctx context.Context, tx bun.IDB, orgID uuid.UUID, source string) (total int, err error) {
	err = tx.NewRaw(directoryTotal, orgID, source).Scan(ctx, &total)
	return total, err
}

const directoryTotal = `SELECT
    (SELECT coalesce(sum(s.traders), 0) FROM integrations AS i JOIN sync_state AS s ON s.integration_id = i.id
        WHERE i.organization_id = ?0 AND ?1 IN ('', i.kind))
    + CASE WHEN ?1 IN ('', 'manual') THEN (SELECT count(*) FROM traders WHERE organization_id = ?0 AND integration_id IS NULL) ELSE 0 END
    - (SELECT count(*) FROM traders WHERE organization_id = ?0 AND status = 'archived' AND ?1 IN ('', source))`
