package partnerplatform

import (
	"time"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/alias"
	"github.com/assayhq/assay/connectors/record"
)

// codec decodes what a platform sends. It is immutable.
type codec struct{ tables *tables }

func newCodec() *codec { return &codec{newTables()} }

// decodePage decodes the body of the page that the cursor asked for and decides
// where the list continues. The page lacks what only the transfer knows.
func (c *codec) decodePage(body []byte, r route, req connectors.PageRequest, at cursor) (*connectors.Page, error) {
	list, err := alias.ReadPage(body, c.tables.envelope)
	if err != nil {
		return nil, err
	}
	rules := newPageRules(r, req)
	page := &connectors.Page{Seen: len(list.Items)}
	d := c.decodeRecords(page, r.spec.Stream, list.Items, rules)
	total, ok := totalCount(list.Envelope)
	if !ok {
		d.Find(ruleTotalCountWrong, "")
	}
	if list.Repaired != nil {
		d.Find(alias.RuleInvalidJSON, "")
	}
	if list.Duplicates > 0 {
		d.Find(alias.RuleDuplicateMember, "")
	}
	next, more, broken, err := at.advance(sighting{
		rows: page.Seen, total: total, hash: rules.hashIDs(d.Rejected()), enough: rules.hasEnough(d),
	}, r.maxPages)
	if err != nil {
		return nil, err
	}
	if more {
		page.Next = next.String()
	}
	if next.total != unknown && next.total <= maxPage*pageLimit && rules.closedSince.IsZero() {
		page.Read, page.Total = min(int64(next.frontier)*pageLimit, next.total), next.total
	}
	for _, rule := range broken {
		d.Find(rule, "")
	}
	page.Rejected, page.Findings = d.Rejected(), d.Findings()
	return page, nil
}

// decodeRecords decodes the items as records of the stream.
func (c *codec) decodeRecords(page *connectors.Page, stream record.Stream, items []string, rules *pageRules) *alias.Decoder {
	resource := stream.Resource()
	switch stream {
	case record.StreamTraders:
		d := alias.NewDecoder(c.tables.customers, resource)
		page.Traders = alias.DecodeAll(d, items, readCustomer, rules.observeRecord)
		return d
	case record.StreamAccounts:
		d := alias.NewDecoder(c.tables.accounts, resource)
		page.Accounts = alias.DecodeAll(d, items, readAccount, rules.observeRecord)
		return d
	case record.StreamPayouts:
		d := alias.NewDecoder(c.tables.payouts, resource)
		page.Payouts = alias.DecodeAll(d, items, readPayout, rules.observeRecord)
		return d
	}
	d, decode := alias.NewDecoder(c.tables.trades, resource), closedTrade
	if stream == record.StreamTradesOpen {
		decode = openTrade
	}
	page.Trades = alias.DecodeAll(d, items, decode, rules.observeRecord)
	return d
}

// totalCount reads the length of the whole list. It is unknown if the envelope has
// none. ok is false if the value is no length.
func totalCount(envelope *alias.Record) (total int64, ok bool) {
	if total, ok := envelope.Count(envelopeTotal); ok {
		return total, true
	}
	i, _ := envelope.ChooseAlias(envelopeTotal)
	return unknown, i < 0
}

// pageRules checks the records of one page for broken rules that no single record
// shows.
type pageRules struct {
	since       time.Time // records must not be older; zero allows any age
	closedSince time.Time // the run need not go back further; zero means that it must
	hash        uint64    // of the records' keys

	// Positions among the records, and close times, of the newest ones (the first
	// of them) and the oldest ones (the last of them).
	seen             int
	newest, oldest   int
	newestAt, lastAt time.Time
	sample           string // id of the newest
}

func newPageRules(r route, req connectors.PageRequest) *pageRules {
	p := &pageRules{hash: hashOffset}
	switch {
	case r.updatedGTE:
		p.since = req.UpdatedSince
	case r.newestFirst && !req.Backfill:
		p.closedSince = req.UpdatedSince
	}
	return p
}

func (p *pageRules) observeRecord(d *alias.Decoder, who identity) {
	p.hashTexts(who.account, who.id)
	// A platform that keeps finer times than it sends may correctly send a time
	// that seems to lie a fraction of a second before updated_gte.
	if !p.since.IsZero() && !who.updatedAt.IsZero() && who.updatedAt.Add(time.Second).Before(p.since) {
		d.Find(ruleUpdatedGTEIgnored, who.id)
	}
	if p.closedSince.IsZero() {
		return
	}
	if p.seen == 0 || who.closedAt.After(p.newestAt) {
		p.newest, p.newestAt, p.sample = p.seen, who.closedAt, who.id
	}
	if p.seen == 0 || !who.closedAt.After(p.lastAt) {
		p.oldest, p.lastAt = p.seen, who.closedAt
	}
	p.seen++
}

// hasEnough reports whether an incremental run of closed trades can stop: the
// oldest close time on the page is earlier than the run must go back. On a page
// with the oldest trades first this proves nothing, because sort_order is ignored
// and new trades come last. Without this exception such a platform's trades would
// never arrive again after the backfill.
func (p *pageRules) hasEnough(d *alias.Decoder) bool {
	if p.closedSince.IsZero() || p.seen == 0 {
		return false
	}
	if p.oldest < p.newest {
		d.Find(ruleOrderViolated, p.sample)
		return false
	}
	return p.lastAt.Before(p.closedSince)
}

// The parameters of FNV-1a with 64 bits.
const (
	hashOffset = 14695981039346656037
	hashPrime  = 1099511628211
)

// hashTexts adds texts to the hash, in their order.
func (p *pageRules) hashTexts(texts ...string) {
	h := p.hash
	for _, s := range texts {
		for i := range len(s) {
			h = (h ^ uint64(s[i])) * hashPrime
		}
		h = (h ^ 0xff) * hashPrime // a separator that no text holds
	}
	p.hash = h
}

// hashIDs returns a hash of the ids on the page. Values may change between two
// reads of a page, but the ids on it show whether it is the same. It is not 0.
func (p *pageRules) hashIDs(rejected []record.Rejected) uint64 {
	for _, r := range rejected {
		p.hashTexts(r.Key)
	}
	return max(p.hash, 1)
}
