package customapi

import (
	"strconv"
	"strings"
	"time"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/alias"
	"github.com/assayhq/assay/connectors/record"
)

// pageRequest is what decodePage must know about the request for a page.
type pageRequest struct {
	stream record.Stream
	since  time.Time // zero when everything was requested
	limit  int
	cursor string // empty for the first page
	strict bool   // a page that is not valid JSON is an error, although it could be read
}

// decodePage decodes the body of a list page. The error wraps one of package
// alias; the page lacks what only the transfer knows.
func (c *codec) decodePage(body []byte, req pageRequest) (*connectors.Page, error) {
	list, err := alias.ReadPage(body, c.tables.envelope)
	if err != nil {
		return nil, err
	}
	if req.strict && list.Repaired != nil {
		return nil, list.Repaired
	}
	page := &connectors.Page{Seen: len(list.Items)}
	if page.Next, err = list.Cursor(envelopeNextCursor); err != nil {
		return nil, err
	}
	rules := &pageRules{since: req.since, ordered: isOrdered(req.stream)}
	var d *alias.Decoder
	switch resource := req.stream.Resource(); resource {
	case record.Traders:
		d = alias.NewDecoder(c.tables.traders, resource)
		page.Traders = alias.DecodeAll(d, list.Items, c.words.readTrader, rules.observeRecord)
	case record.Accounts:
		d = alias.NewDecoder(c.tables.accounts, resource)
		page.Accounts = alias.DecodeAll(d, list.Items, c.words.readAccount, rules.observeRecord)
	case record.Trades:
		d = alias.NewDecoder(c.tables.trades, resource)
		page.Trades = alias.DecodeAll(d, list.Items, c.words.readTrade, rules.observeRecord)
	case record.Payouts:
		d = alias.NewDecoder(c.tables.payouts, resource)
		page.Payouts = alias.DecodeAll(d, list.Items, c.words.readPayout, rules.observeRecord)
	}
	if len(list.Items) > req.limit {
		d.Find(ruleLimitIgnored, "")
	}
	switch full := len(list.Items) >= req.limit; {
	case list.Bare && full:
		d.Find(ruleBareArrayFull, "")
	case !list.Bare && !list.Envelope.Present(envelopeNextCursor) && (full || req.goesOn(list)):
		d.Find(ruleNextCursorMissing, "")
	}
	if list.Repaired != nil {
		d.Find(alias.RuleInvalidJSON, "")
	}
	if list.Duplicates > 0 {
		d.Find(alias.RuleDuplicateMember, "")
	}
	if page.Next != "" && (list.Envelope.IsNumber(envelopeNextCursor) || req.isCounted(page, rules.previous.id)) {
		d.Find(ruleCursorFormat, "")
	}
	page.Rejected, page.Findings = d.Rejected(), d.Findings()
	return page, nil
}

// goesOn reports whether the envelope says in another way than by next_cursor that
// the list has more records. A total counts only for a whole list: beyond its first
// page, or in a list that is filtered, it says nothing about this page.
func (r *pageRequest) goesOn(list *alias.Page) bool {
	if list.Envelope.Raw(envelopeHasMore) == "true" || strings.HasPrefix(list.Envelope.Raw(envelopeNextLink), `"`) {
		return true
	}
	total, ok := list.Envelope.Count(envelopeTotal)
	return ok && r.cursor == "" && r.since.IsZero() && total > int64(len(list.Items))
}

// isCounted reports whether a page's cursor looks like the number of a page or the count of the
// records so far, and not like the last record's id.
func (r *pageRequest) isCounted(page *connectors.Page, last string) bool {
	next, err := strconv.Atoi(page.Next)
	if err != nil || page.Next == last || page.Seen < r.limit {
		return false
	}
	if r.cursor == "" {
		return next == 1 || next == 2 || next == page.Seen
	}
	previous, err := strconv.Atoi(r.cursor)
	return err == nil && (next == previous+1 || next == previous+page.Seen)
}

// codec decodes what a platform sends. It is immutable.
type codec struct {
	tables *tables
	words  vocabulary
}

func newCodec() *codec { return &codec{newTables(), newVocabulary()} }

// pageRules checks the records of one page for broken rules that no single record
// shows.
type pageRules struct {
	since    time.Time
	ordered  bool
	previous identity
	first    identity
	seen     bool
}

func (p *pageRules) observeRecord(d *alias.Decoder, who identity) {
	// A platform that keeps finer times than it sends may correctly send a time
	// that seems to lie a fraction of a second before updated_since.
	if !p.since.IsZero() && who.updatedAt.Add(time.Second).Before(p.since) {
		d.Find(ruleUpdatedSinceIgnored, who.id)
	}
	if !p.seen {
		p.seen, p.first, p.previous = true, who, who
		return
	}
	if who.numeric != p.first.numeric {
		d.Find(ruleIDTypeMixed, who.id)
	}
	if p.ordered && who.updatedAt.Before(p.previous.updatedAt) {
		d.Find(ruleOrderViolated, who.id)
	}
	p.previous = who
}

// isOrdered reports whether the contract requires a stream's list to be sorted by
// updated_at (platform contract, Trader and Account). The order of ids within the
// same updated_at is not checked, because databases sort texts in several ways.
func isOrdered(stream record.Stream) bool {
	return stream == record.StreamTraders || stream == record.StreamAccounts
}
