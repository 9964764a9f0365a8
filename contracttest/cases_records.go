package contracttest

import (
	"fmt"
	"net/url"
	"slices"
)

// recordCases check the fields of records. They are judged after all pages have been read.
func recordCases(l *list) []Case {
	judged := func(rule, title, says string, level Level, why, fix string) Case {
		return Case{
			ID: l.name + "." + rule, Title: title, Clause: clauseFields, Level: level, Profile: Core, Rule: says, Why: why, Fix: fix, rests: true,
			check: func(r *run) outcome { return r.judgeRecords(l, rule) },
		}
	}
	cases := []Case{
		judged(ruleRequired, "required fields are present and valid", requiredRule(l), Must,
			"assay cannot store or update a record without them. The record goes to quarantine and is missing from the directory.",
			"Send every required field in every record: ids as strings that never change, times as RFC 3339, and enumerations with the contract's values."),
		judged(ruleTypes, "optional fields are valid", "The types of the table of fields; unknown optional fields may be null or omitted.", Must,
			"A value of another type is lost, and the record is stored without it.",
			"Send null or omit the field if there is no value. Send numbers as JSON numbers, times as RFC 3339 with an offset, and tags as an array of strings."),
		judged(ruleForms, "values have the JSON type of the contract", "Money: JSON number.", Should,
			"assay accepts a plain number in a string, and a number for a string. The first thousands separator or rounded value breaks that.",
			"Send numbers without quotes and texts with quotes. Only numbers of accounts may be strings."),
		judged(ruleUTC, "times are in UTC", "Timestamps: RFC 3339 UTC.", Should,
			"Other offsets are accepted, but they suggest local times, which jump back by an hour each autumn, as does updated_at.",
			"Convert times to UTC and end them with Z."),
		judged(ruleUTF8, "text is UTF-8", "UTF-8 JSON.", Must,
			"Bytes that are not UTF-8 are replaced, so names no longer match. In ids they cost the record, because several ids would look the same.",
			"Convert texts of old databases (Latin-1, Windows-1252) to UTF-8 before they are written as JSON."),
		judged(ruleText, "text can be stored", "UTF-8 JSON.", Should,
			"NUL and half of a surrogate pair are not text. They are replaced, so names no longer match. In ids they cost the record.",
			"Truncate texts between characters rather than between UTF-16 units, and remove NUL."),
		judged(ruleIDs, "ids are whole numbers or strings", "Ids sent as numbers are accepted and kept as strings.", Should,
			"Ids that pass through a float are rounded beyond 15 digits, and white space around ids is removed. Then two records may have the same id.",
			"Send ids as strings, without spaces around them."),
	}
	if l.name != "trades" {
		cases = append(cases, judged(ruleFormats, "codes and addresses have the required format", formatRule(l), Should,
			"People are matched by email, and totals are grouped by currency and country, exactly as sent.",
			"Send ISO 3166-1 alpha-2 countries and ISO 4217 currencies in capitals, phones as E.164 (+4930123456), and plain email addresses."))
	}
	if l.name == "traders" || l.name == "accounts" {
		cases = append(cases, judged(ruleEnums, "enumerations have the contract's values", "kyc_status, platform, phase and status: enum or null.", Must,
			"A record with an unknown value is left out of filters and reports.",
			"Map your values to the contract's. platform and phase also allow other. Send null if there is no value."))
	}
	return append(append(cases, judged(ruleSpelling, "enumerations are in lower case", "The values of the enumerations.", Should,
		"assay ignores case. Other clients of the same API may not.", "Send the values as the contract spells them.")), ownRules(l, judged)...)
}

// ownRules are the rules that apply to only one list.
func ownRules(l *list, judged func(rule, title, says string, level Level, why, fix string) Case) []Case {
	switch l.name {
	case "trades":
		return []Case{
			judged(ruleClosed, "close_time and close_price are set together", "close_time and close_price are set together; both are null while open.", Must,
				"A trade is open while close_time is null. If only one of the two is set, profit and holding time are wrong.",
				"Set both when the position closes, and neither before. If close_time is before open_time, check the time zone of both."),
			judged(ruleBumped, "updated_at changes when a trade closes", "updated_at must change when the position opens, changes or closes.", Must,
				"A trade that closes without a new updated_at is never sent again, so it stays open in assay.",
				"Set updated_at to the time when the row changed, rather than when the position opened. If updated_at is right, close_time is in another time zone."),
		}
	case "payouts":
		return []Case{judged(rulePaid, "paid_at is null until status is paid", "paid_at: null until status is paid.", Must,
			"A payment date on an unpaid payout makes a wrong statement look true.",
			"Set paid_at together with status paid.")}
	}
	return nil
}

func requiredRule(l *list) string {
	text := "Required:"
	for i := range l.fields {
		if l.fields[i].required {
			text += " " + l.fields[i].name
		}
	}
	return text + "."
}

func formatRule(l *list) string {
	if l.name == "traders" {
		return "email; country: ISO 3166-1 alpha-2; phone: E.164 when known."
	}
	return "currency: ISO 4217."
}

// judgeRecords judges the problems found in all records of a list.
func (r *run) judgeRecords(l *list, rule string) outcome {
	if o := r.requireReadable(l); o != nil {
		return *o
	}
	r.seen = nil
	e := r.evidence[l.name]
	if found := e.problems[rule]; found != nil {
		r.recordExamplePage(l, rule)
		return fail(found.String())
	}
	if rule == ruleIDs && e.numeric > 0 && e.numeric < e.records {
		return fail(fmt.Sprintf("ids of %d of %d records are numbers, the others strings", e.numeric, e.records))
	}
	if e.records == 0 {
		return skip(SkipNoData, "there are no records")
	}
	return pass(fmt.Sprintf("%d records", e.records))
}

// recordExamplePage records a page that shows the problem.
func (r *run) recordExamplePage(l *list, rule string) {
	var best *reply
	for _, p := range r.pages {
		if p.page == nil || p.page.problems[rule] == nil || !slices.Contains(r.exchangesOf(l), p.exchanges[0]) {
			continue
		}
		if best == nil || p.exchanges[0] < best.exchanges[0] {
			best = p
		}
	}
	if best != nil {
		r.recordUse(&best.answer)
	}
}

// exchangesOf returns the first exchanges of a list's pages.
func (r *run) exchangesOf(l *list) []int {
	var all []int
	for key, p := range r.pages {
		if len(key) > len(l.path) && key[:len(l.path)+1] == l.path+"?" && len(p.exchanges) > 0 {
			all = append(all, p.exchanges[0])
		}
	}
	return all
}

// infoCases report what the contract does not specify.
func infoCases() []Case {
	info := func(id, title, why string, check func(r *run) outcome) Case {
		return Case{
			ID: id, Title: title, Clause: "not in the contract", Level: Info, Profile: Core,
			Rule: "The contract does not say.", Why: why, Fix: "No action is needed.", check: check,
		}
	}
	return []Case{
		info("info.stale-cursor", "a cursor that was used before", "assay continues from a cursor that is up to a day old, and starts over if it is refused.", (*run).staleCursor),
		info("info.garbage-cursor", "a cursor that the platform never made", "Only other clients send one.", (*run).garbageCursor),
		info("info.head", "HEAD", "assay sends GET alone.", func(r *run) outcome { return r.reportMethod("HEAD") }),
		info("info.post", "POST", "assay sends GET alone.", func(r *run) outcome { return r.reportMethod("POST") }),
		info("info.account-id", "account_id of /trades", "The parameter is optional, and assay does not send it: a trader's trades are read with all others.", (*run).accountFilter),
		info("info.gzip", "compression", "assay accepts gzip, which saves the platform most of its traffic.", (*run).reportGzip),
		info("info.content-type", "the media type", "assay ignores it; browsers and proxies do not.", (*run).contentType),
		info("info.date", "the platform's clock", "assay moves updated_since back if the platform's clock is slow.", (*run).reportClock),
		markDependent(info("info.repeats", "records that were sent again", "A duplicate record is harmless because the service upserts by id.", (*run).reportRepeats)),
		markDependent(info("info.text-marks", "byte order marks and duplicate members", "assay skips the mark and uses the last of two members.", (*run).reportTextMarks)),
	}
}

// markDependent marks a case that depends on what the other cases have read.
func markDependent(c Case) Case {
	c.rests = true
	return c
}

// accountFilter requests the trades of one account.
func (r *run) accountFilter() outcome {
	l := listNamed("trades")
	if o := r.requireReadable(l); o != nil {
		return *o
	}
	heads := r.walkLargePages(l).heads
	if len(heads) == 0 {
		return skip(SkipNoData, "there are no trades")
	}
	r.seen = nil
	account := heads[0].parent
	p := r.readPage(l, pageQuery{limit: liveLimit, more: url.Values{"account_id": {account}}})
	if p.page == nil {
		return noteFailure(&p.answer, "account_id is refused: "+p.text)
	}
	for i := range p.page.heads {
		if p.page.heads[i].parent != account {
			return note("account_id is ignored: trades of other accounts are returned too")
		}
	}
	return note("account_id filters")
}

func (r *run) staleCursor() outcome {
	for i := range lists() {
		l := &lists()[i]
		if r.requireReadable(l) != nil || r.firstPage(l).page.next == "" {
			continue
		}
		r.seen = nil
		p := r.reloadPage(l, pageQuery{limit: liveLimit, cursor: r.firstPage(l).page.next})
		if p.page != nil {
			return note("a cursor that was used before works again")
		}
		return noteFailure(&p.answer, fmt.Sprintf("a cursor that was used before is answered with status %d", p.status))
	}
	return skip(SkipNoData, "no list has a second page")
}

func (r *run) garbageCursor() outcome {
	p := r.fetchPage(listNamed("traders"), pageQuery{limit: 1, cursor: "contracttest-never-made"}, false)
	r.recordUse(&p.answer)
	if p.status == 0 {
		return noteFailure(&p.answer, "no answer: "+p.text)
	}
	return note(fmt.Sprintf("answered with status %d", p.status))
}

func (r *run) reportMethod(name string) outcome {
	a := r.sendRequest(request{method: name, path: "/health", key: withKey, once: true})
	if a.status == 0 {
		return noteFailure(a, "no answer: "+a.text)
	}
	return note(fmt.Sprintf("%s /health is answered with status %d", name, a.status))
}

func (r *run) reportGzip() outcome {
	for i := range lists() {
		if p := r.firstPage(&lists()[i]); p.page != nil {
			if p.header.Get("Content-Encoding") == "" {
				return note("lists are sent without compression")
			}
			return note("lists are sent as " + truncateLine(p.header.Get("Content-Encoding"), 20))
		}
	}
	return skip(SkipDepends, "no list can be read")
}

func (r *run) contentType() outcome {
	for i := range lists() {
		if p := r.firstPage(&lists()[i]); p.page != nil {
			return note("lists are sent as " + truncateLine(p.header.Get("Content-Type"), 60))
		}
	}
	return skip(SkipDepends, "no list can be read")
}

func (r *run) reportClock() outcome {
	a, _ := r.requestHealth()
	date, skew, ok := r.compareClocks(a)
	if !ok {
		return note("responses have no Date")
	}
	if skew.Abs().Minutes() < 1 {
		return note("the platform's clock is right")
	}
	direction := "ahead of"
	if skew < 0 {
		direction = "behind"
	}
	return note(fmt.Sprintf("the platform's clock says %s, which is %s %s this machine's", date, skew.Abs(), direction))
}

func (r *run) reportRepeats() outcome {
	n := 0
	for _, w := range r.walks {
		n += w.repeats
	}
	r.seen = nil
	return note(fmt.Sprintf("%d records were sent again, unchanged, on the same or a later page", n))
}

func (r *run) reportTextMarks() outcome {
	marks, twice := 0, 0
	for _, e := range r.evidence {
		marks += e.marks
		twice += e.twice
		if found := e.problems[ruleTwice]; found != nil {
			twice += found.countRecords()
		}
	}
	return note(fmt.Sprintf("%d pages begin with a byte order mark, %d objects have a member twice", marks, twice))
}
