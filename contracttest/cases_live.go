package contracttest

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"
)

// liveLimit is the limit that the live check sends.
const liveLimit = 5

// healthCase is the case that decides whether anything else is requested.
const healthCase = "live.health"

// liveCases are the steps of the live check, which assay runs when a connection is saved or
// tested. Their names are those of assay's report.
func liveCases() []Case {
	const clause = "Live check"
	return []Case{
		{
			ID: healthCase, Title: "GET /health says ok", Clause: clause, Level: Must, Profile: LiveCheck,
			Rule:  "GET /health returns 200 with status equal to ok.",
			Why:   "It is the first request. If it fails, assay sends no other one and does not poll the platform.",
			Fix:   `Answer GET /health, with the key, with status 200 and {"status":"ok"}, in lower case. Do not make it depend on anything that can be down for long.`,
			check: (*run).liveHealth,
		},
		{
			ID: "live.traders_without_credentials", Title: "traders cannot be read without a key", Clause: clause, Level: Must, Profile: LiveCheck,
			Rule:  "GET /traders?limit=1 without an Authorization header does not return 200.",
			Why:   "Anybody who finds the address could read the names, addresses and trades of all your customers. assay refuses to connect.",
			Fix:   "Check the key first on every route, and answer 401 without it. Do this in front of the router, because a check in each handler is easily forgotten.",
			check: (*run).liveStrangers,
		},
		liveList("traders", "GET /traders?limit=5 returns the list shape; every record has non-null id and updated_at."),
		{
			ID: "live.traders_next_page", Title: "the next page of traders can be read", Clause: clause, Level: Must, Profile: LiveCheck,
			Rule:  "When next_cursor is a non-empty string, GET /traders?limit=5&cursor=<cursor> succeeds.",
			Why:   "Without a second page, assay only ever sees the first traders.",
			Fix:   "Accept the next_cursor of a page as cursor, with any limit, and begin after the last record of that page. Decode it exactly as you sent it.",
			check: (*run).liveNextPage,
		},
		liveList("accounts", "GET /accounts?limit=5 returns records with id, trader_id, updated_at."),
		liveList("trades", "GET /trades?limit=5 returns records with id, account_id, symbol, side, open_time, updated_at. An empty data is valid."),
		liveList("payouts", "GET /payouts?limit=5 returns records with id, trader_id, status, updated_at, or answers 404."),
	}
}

// liveList is the step that reads the first records of a list.
func liveList(name, rule string) Case {
	l := listNamed(name)
	return Case{
		ID: "live." + name, Title: "the first " + name + " can be used", Clause: "Live check", Level: Must, Profile: LiveCheck, Rule: rule,
		Why: "A list that cannot be read, or a record without its id, references or updated_at, fails the live check, and assay does not poll.",
		Fix: `Answer 200 with {"data":[…],"next_cursor":null} and every required field in every record. The message names what is wrong.`,
		check: func(r *run) outcome {
			p := r.firstPage(l)
			switch {
			case name == "payouts" && p.status == http.StatusNotFound:
				return pass("the platform has no payouts: it answers 404, which the contract allows")
			case p.page == nil:
				return explainRefusal(l, &p.answer, liveFailed(&p.answer))
			}
			if p.page.badCursor != "" {
				return fail(p.page.badCursor)
			}
			if bad := p.page.problems[ruleRequired]; bad != nil {
				return fail(fmt.Sprintf("assay cannot use %d of %d records (%s)", min(bad.countRecords(), p.page.seen), p.page.seen, bad.detail))
			}
			return r.liveStep(&p.answer, fmt.Sprintf("%d records", p.page.seen))
		},
	}
}

// slowFix is the hint for slow answers.
const slowFix = "Make the endpoint faster, for example with an index on updated_at. Requests time out after 20 seconds."

// liveStep returns the outcome of a live check step that passed. Like assay, it warns if the step
// took long, retries included.
func (r *run) liveStep(a *answer, text string) outcome {
	if a.latency > r.o.Timing.Slow {
		return warn(fmt.Sprintf("the answer took %s; the contract asks for less than %s", a.latency.Round(time.Millisecond), r.o.Timing.Slow), slowFix)
	}
	return pass(text)
}

// liveFailed returns the outcome of a step whose request failed. Throttling is no excuse here,
// because assay also gives up on a throttled step.
func liveFailed(a *answer) outcome {
	if errors.Is(a.err, errThrottle) {
		return failedOutcome(a)
	}
	return unjudgedOutcome(a)
}

// liveHealth also decides whether anything else is worth requesting.
func (r *run) liveHealth() outcome {
	o := r.healthStep()
	switch o.status {
	case Failed:
		r.closed = "GET /health failed, so nothing else was requested"
	case Skipped:
		if o.skip == SkipAway {
			r.unreachable = o.text
		}
	}
	return o
}

func (r *run) healthStep() outcome {
	a, raw := r.requestHealth()
	switch {
	case errors.Is(a.err, errNoRoute):
		return skip(SkipAway, a.text)
	case a.status == http.StatusUnauthorized || a.status == http.StatusForbidden:
		a.text = fmt.Sprintf("the key was refused: the platform answered %d to the key that was passed to contracttest", a.status)
		return liveFailed(a)
	case a.err != nil:
		return liveFailed(a)
	case a.status != http.StatusOK:
		a.text = r.client.describeStatus(a.status, a.header)
		return liveFailed(a)
	}
	var health map[string]json.RawMessage
	var status string
	if json.Unmarshal(raw, &health) != nil || json.Unmarshal(health["status"], &status) != nil || status != "ok" {
		return fail(`the member status is not the string "ok"`)
	}
	return r.liveStep(a, "ok")
}

func (r *run) liveStrangers() outcome {
	a := r.requestStatus("/traders", url.Values{"limit": {"1"}}, noKey)
	switch {
	case a.status == http.StatusOK:
		return fail("a request without a key was answered with status 200")
	case a.status == 0 && a.err != nil:
		return liveFailed(a)
	case a.status != http.StatusUnauthorized && a.status != http.StatusForbidden:
		return warn(fmt.Sprintf("a request without a key was answered with status %d instead of 401", a.status), "")
	}
	return r.liveStep(a, fmt.Sprintf("the platform answered %d", a.status))
}

// requestStatus sends a request whose status matters, or returns the answer to an earlier one.
func (r *run) requestStatus(path string, query url.Values, key keyUse) *answer {
	name := string(key) + " " + path
	a, ok := r.statuses[name]
	if !ok {
		a = r.sendRequest(request{path: path, query: query, key: key, read: discardBody})
		r.statuses[name] = a
	}
	r.recordUse(a)
	return a
}

func (r *run) liveNextPage() outcome {
	l := listNamed("traders")
	first := r.firstPage(l)
	switch {
	case first.page == nil:
		return dependsOn("live.traders", "the first page cannot be read")
	case first.page.badCursor != "":
		return dependsOn("live.traders", first.page.badCursor)
	case first.page.next == "":
		return skip(SkipNoData, "there is no second page of five traders")
	}
	p := r.readPage(l, pageQuery{limit: liveLimit, cursor: first.page.next})
	switch {
	case p.page == nil:
		return liveFailed(&p.answer)
	case p.page.badCursor != "":
		return fail(p.page.badCursor)
	case p.page.next == first.page.next:
		return fail("the next page returned the same next_cursor that it was requested with")
	}
	return r.liveStep(&p.answer, fmt.Sprintf("%d records", p.page.seen))
}
