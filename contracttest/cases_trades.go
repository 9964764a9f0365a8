package contracttest

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// shownKey returns the key shown to people: a trade's account and id.
func shownKey(key string) string { return truncateLine(strings.ReplaceAll(key, "\x00", " / "), 80) }

// tradeCases check what only trades have.
func tradeCases() []Case {
	return []Case{
		{
			ID: "trades.history", Title: "trades of the last 90 days can be read", Clause: clauseLimits, Level: Must, Profile: Core,
			Rule:  "Keep at least 90 days of trades reachable through updated_since.",
			Why:   "The first sync reads 90 days, and the analysis is based on them. With a shorter history, every trader looks like one who has just begun.",
			Fix:   "Do not limit updated_since, and keep trades of the last 90 days in the table that the route reads.",
			check: (*run).tradeHistory,
		},
		{
			ID: "trades.open", Title: "open trades are listed", Clause: clauseLists, Level: Should, Profile: Core,
			Rule:  "Do not filter out open trades.",
			Why:   "Holding times, exposure and averaging are analyzed while positions are open. A trade that appears only when it closes was never seen open.",
			Fix:   "Remove the condition on close_time from the query of /trades, if there is one. Open trades have close_time and close_price null. If the difference is a credit or a rounded equity, nothing is wrong.",
			check: (*run).tradeOpen,
		},
	}
}

// history is how far back the first sync of trades goes.
const history = 90 * 24 * time.Hour

func (r *run) tradeHistory() outcome {
	l := listNamed("trades")
	if o := r.requireReadable(l); o != nil {
		return *o
	}
	since := r.now.Add(-history)
	p, o := r.readFiltered(l, formatInstant(since.Truncate(time.Microsecond)))
	if o != nil {
		return *o
	}
	w, oldest := r.walkLargePages(l), []head(nil)
	for _, h := range w.byAge() {
		if h.updated.After(since.Add(time.Hour)) && len(oldest) < 5 {
			oldest = append(oldest, h)
		}
	}
	if len(oldest) == 0 {
		return skip(SkipNoData, "no trade of the last 90 days was among those that were read from the beginning of the list")
	}
	reached := pass(fmt.Sprintf("trades since %.0f days ago can be read", r.now.Sub(oldest[0].updated).Hours()/24))
	if containsAny(p.page.heads, oldest) {
		return reached
	}
	if !w.isSorted() { // they may appear anywhere
		all := r.walkList(l, pageQuery{limit: bigLimit, since: formatInstant(since.Truncate(time.Microsecond))}, corePages)
		switch {
		case containsAny(all.heads, oldest):
			return reached
		case all.err != nil:
			return unjudgedOutcome(all.err)
		case !all.ended:
			return skip(SkipUnseen, "the oldest trades are not on the first pages, and trades are not ordered by updated_at")
		}
	}
	if again := r.followPages(l, pageQuery{limit: bigLimit}, len(w.replies), true); !containsAny(again.heads, oldest) {
		return skip(SkipUnseen, "the oldest trades changed during the check; run it again")
	}
	return fail(fmt.Sprintf("updated_since=%s omitted trade %s, which changed at %s", formatInstant(since.Truncate(time.Second)), truncateLine(oldest[0].id, 60), oldest[0].sentAt))
}

// containsAny reports whether one of the records is among the others, in the same version.
func containsAny(heads, records []head) bool {
	return slices.ContainsFunc(records, func(want head) bool {
		return slices.ContainsFunc(heads, func(h head) bool { return h.versionKey() == want.versionKey() })
	})
}

// openTrades returns the trades that were open in their newest version.
func (r *run) openTrades() map[string]head {
	newest := make(map[string]head)
	for _, h := range r.evidence["trades"].refers {
		if old, ok := newest[h.key]; !ok || h.updated.After(old.updated) {
			newest[h.key] = h
		}
	}
	for key := range newest {
		if h := newest[key]; !h.open {
			delete(newest, key)
		}
	}
	return newest
}

func (r *run) tradeOpen() outcome {
	l := listNamed("trades")
	if o := r.requireReadable(l); o != nil {
		return *o
	}
	r.walkLargePages(l)
	if p, o := r.readFiltered(l, formatInstant(r.now.Add(-24*time.Hour).Truncate(time.Second))); o == nil && p.page.next != "" {
		r.readPage(l, pageQuery{limit: bigLimit, since: formatInstant(r.now.Add(-time.Hour).Truncate(time.Second))})
	}
	r.watched = r.openTrades()
	if n := len(r.watched); n > 0 {
		return pass(fmt.Sprintf("%d open trades were found", n))
	}
	if r.listPaging(l).status == Failed {
		return dependsOn(l.name+".paging", "pages have no cursor, so open trades may be on pages that cannot be reached")
	}
	if id := r.hiddenPosition(); id != "" {
		return fail("account " + truncateLine(id, 60) + " has an equity that differs from its balance, as open positions cause, but all of its trades are closed")
	}
	return skip(SkipUnseen, "no open trade was found, and nothing shows that there should be one. Open one on a test account and run the check again")
}

// hiddenPosition finds an account that may have open positions and whose trades, requested with account_id,
// were read completely and are all closed.
func (r *run) hiddenPosition() string {
	trades, asked := listNamed("trades"), 0
	if r.requireReadable(listNamed("accounts")) != nil {
		return ""
	}
	r.walkLargePages(listNamed("accounts"))
	for _, a := range r.evidence["accounts"].refers {
		if !a.floats || asked == 2 {
			continue
		}
		asked++
		w := r.walkList(trades, pageQuery{limit: bigLimit, more: url.Values{"account_id": {a.id}}}, 2)
		if w.err != nil || !w.ended && w.hollow == 0 {
			continue
		}
		closed, open := 0, 0
		for i := range w.heads {
			switch h := &w.heads[i]; { // the parameter is optional: trades of other accounts may be included
			case h.parent != a.id:
			case h.open:
				open++
			default:
				closed++
			}
		}
		if closed > 0 && open == 0 {
			return a.id
		}
	}
	return ""
}

// referenceCases check the references between records.
func referenceCases() []Case {
	const fix = "Send the id that the record has in its own list, with the same spelling and type. Internal numbers, logins and ids of deleted rows do not work."
	refer := func(id, title, rule, why string, check func(r *run) outcome) Case {
		return Case{ID: id, Title: title, Clause: clauseFields, Level: Must, Profile: Core, Rule: rule, Why: why, Fix: fix, rests: true, check: check}
	}
	return []Case{
		refer("accounts.trader", "an account's trader exists", "trader_id: required; must equal a trader id.",
			"An account with an unknown trader belongs to nobody, so neither it nor its trades appear in any interview.",
			func(r *run) outcome {
				return r.checkReferences("accounts", "traders", func(h *head) string { return h.parent })
			}),
		refer("trades.account", "a trade's account exists", "account_id: required; must match an account id.",
			"A trade without its account has neither a currency nor a trader, and is counted nowhere. The first backfill must return every account, including closed ones.",
			func(r *run) outcome {
				return r.checkReferences("trades", "accounts", func(h *head) string { return h.parent })
			}),
		refer("payouts.trader", "a payout's trader exists", "trader_id: required.",
			"A payout without a trader cannot be compared with what a trader says.",
			func(r *run) outcome {
				return r.checkReferences("payouts", "traders", func(h *head) string { return h.parent })
			}),
		refer("payouts.account", "a payout's account exists", "account_id: account the payout came from.",
			"A payout with an unknown account cannot be compared with the account's profit.",
			func(r *run) outcome {
				return r.checkReferences("payouts", "accounts", func(h *head) string { return h.account })
			}),
	}
}

// checkReferences looks up the records of another list that the records of one list refer to.
func (r *run) checkReferences(from, to string, ref func(*head) string) outcome {
	source, target := listNamed(from), listNamed(to)
	for _, l := range []*list{source, target} {
		if o := r.requireReadable(l); o != nil {
			return *o
		}
	}
	r.walkLargePages(source)
	r.walkLargePages(target)
	r.seen = nil
	var unknown []string
	sampled, e := 0, r.evidence[to]
	for i := range r.evidence[from].refers {
		id := ref(&r.evidence[from].refers[i])
		if id == "" {
			continue
		}
		if sampled++; !e.hasRecord(id) && len(unknown) < 2 {
			unknown = append(unknown, id)
		}
	}
	switch {
	case sampled == 0:
		return skip(SkipNoData, "no record of /"+from+" refers to one")
	case len(unknown) == 0:
		return pass(fmt.Sprintf("%d references of /%s lead to /%s", sampled, from, to))
	case to == "traders":
		return r.lookedUp(from, unknown)
	case e.problems[ruleRequired] != nil:
		return dependsOn(to+".required", "assay cannot use some records of /"+to)
	case !e.whole:
		return skip(SkipUnseen, fmt.Sprintf("only a part of /%s was read, and a single record cannot be requested; the profile full reads more", to))
	}
	// Records that have been added since are at the end of the list.
	r.readPage(target, pageQuery{limit: bigLimit, since: formatInstant(r.now.Add(-time.Hour).Truncate(time.Second))})
	for _, id := range unknown {
		if !e.hasRecord(id) {
			return fail(fmt.Sprintf("/%s refers to %s, which is not in /%s", from, truncateLine(id, 60), to))
		}
	}
	return pass(fmt.Sprintf("%d references of /%s lead to /%s", sampled, from, to))
}

// lookedUp requests traders one at a time.
func (r *run) lookedUp(from string, ids []string) outcome {
	for _, id := range ids {
		if id == "." || id == ".." {
			return fail("/" + from + " refers to the trader " + id + ", whose id cannot be part of a path")
		}
		a := r.requestStatus("/traders/"+url.PathEscape(id), nil, withKey)
		switch a.status {
		case http.StatusOK:
		case http.StatusNotFound:
			return fail(fmt.Sprintf("/%s refers to the trader %s, and GET /traders/{id} answers 404", from, truncateLine(id, 60)))
		default:
			return blameCase(a, "trader.by-id", "the trader "+truncateLine(id, 60)+" cannot be requested")
		}
	}
	return pass(fmt.Sprintf("%d traders that had not been read were requested one by one", len(ids)))
}

// closingCases check again the trades that were open at the beginning.
func closingCases() []Case {
	return []Case{{
		ID: "trades.closing", Title: "a trade keeps its id when it closes", Clause: "States and transitions", Level: Must, Profile: Core, rests: true,
		Rule:  "updated_at is bumped; the next poll returns it and the closed version replaces the open one by id.",
		Why:   "A trade that closes with another id, or without a new updated_at, stays open in assay and is counted twice.",
		Fix:   "Keep the position's id from open to close, and set updated_at to the time of the change whenever anything about the trade changes.",
		check: (*run).tradeClosing,
	}}
}

func (r *run) tradeClosing() outcome {
	l := listNamed("trades")
	if o := r.requireReadable(l); o != nil {
		return *o
	}
	if len(r.watched) == 0 {
		return skip(SkipUnseen, "no open trade was found that could have closed")
	}
	since := formatInstant(r.now.Add(-10 * time.Minute).Truncate(time.Second))
	closed, o := r.watchClosing(l, since)
	if o != nil {
		return *o
	}
	if o := r.stillListed(l, closed); o != nil {
		return *o
	}
	if len(closed) == 0 {
		return skip(SkipUnseen, fmt.Sprintf("none of %d open trades closed during the check", len(r.watched)))
	}
	return pass(fmt.Sprintf("%d trades kept their ids when they closed", len(closed)))
}

// stillListed looks for the trades that were open and have not been seen to close: each must
// still be listed if it is requested from its own updated_at on. Trades that have closed are
// added to closed. It returns nil if nothing is wrong.
func (r *run) stillListed(l *list, closed map[string]bool) *outcome {
	var rest []head
	for key := range r.watched {
		if !closed[key] {
			rest = append(rest, r.watched[key])
		}
	}
	slices.SortFunc(rest, func(a, b head) int { return b.updated.Compare(a.updated) })
	rest = rest[:min(len(rest), 20)] // the newest trades, because a few pages hold them
	if len(rest) == 0 {
		return nil
	}
	listed, whole := make(map[string]head), false
	q := pageQuery{limit: bigLimit, since: rest[len(rest)-1].since()}
	for range corePages {
		p := r.reloadPage(l, q)
		if p.page == nil {
			o := blameCase(&p.answer, "trades.since", "the list cannot be read since "+q.since)
			return &o
		}
		for _, h := range p.page.heads {
			listed[h.key] = h
		}
		if q.cursor = p.page.next; q.cursor == "" {
			whole = !p.page.fullBare(bigLimit)
			break
		}
	}
	for i := range rest {
		now, found := listed[rest[i].key]
		switch {
		case !found && whole && r.sinceHolds(l, "inclusive").status == Passed && r.sinceHolds(l, "fraction").status == Passed:
			o := fail("trade " + shownKey(rest[i].key) + " was open at the beginning and is no longer in the list")
			return &o
		case found && !now.open && !now.updated.After(rest[i].updated) && !now.closed.Truncate(time.Second).Equal(now.updated):
			// It may also have closed within the second of updated_at, on a platform that keeps whole seconds.
			o := fail("trade " + shownKey(rest[i].key) + " has closed without a new updated_at")
			return &o
		case found && !now.open:
			closed[rest[i].key] = true
		}
	}
	return nil
}

// findNewest returns the newest version of a record on a page.
func (p *page) findNewest(key string) (h head, found bool) {
	for i := range p.heads {
		if p.heads[i].key == key {
			h, found = p.heads[i], true
		}
	}
	return h, found
}

// watchClosing polls until a watched trade has closed. The Full profile polls for a while, Core
// once.
func (r *run) watchClosing(l *list, since string) (map[string]bool, *outcome) {
	closed := make(map[string]bool)
	until := time.Now()
	if r.o.Profile == Full {
		until = until.Add(r.o.Timing.Watch)
	}
	for {
		p := r.reloadPage(l, pageQuery{limit: bigLimit, since: since})
		if p.page == nil {
			o := blameCase(&p.answer, "trades.since", "the list cannot be read since "+since)
			return nil, &o
		}
		for key := range r.watched {
			if h, found := p.page.findNewest(key); found && !h.open && h.updated.After(r.watched[key].updated) {
				closed[key] = true
			}
		}
		if len(closed) > 0 || !time.Now().Before(until) || !sleep(r.client.ctx, min(r.o.Timing.Watch/10, 5*time.Second)) {
			return closed, nil
		}
	}
}
