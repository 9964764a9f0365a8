package contracttest

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"
)

// run is a check in progress: what has been read and what was found in it. Cases share their
// requests: a page is not requested twice.
type run struct {
	o      *Options
	client *client
	now    time.Time // when the check began

	pages    map[string]*reply
	walks    map[string]*walk
	evidence map[string]*evidence // by list
	seen     []int                // exchanges of the current case
	load     *Load
	watched  map[string]head // trades open at the beginning

	statuses     map[string]*answer // answers of requestStatus, by key and path
	healthAnswer *answer
	healthBody   json.RawMessage
	unreachable  string // why no request can be made
	closed       string // why nothing is requested after /health
}

// evidence is what was found in the records of a list.
type evidence struct {
	problems problems
	requests int
	records  int
	whole    bool
	marks    int                 // pages with a byte order mark
	twice    int                 // pages or records with a duplicate member
	contents map[string]uint64   // hash of what tells records apart, by key
	reused   []string            // keys with differing contents
	parents  map[string]struct{} // ids of the records, up to maxKnown
	refers   []head              // some records, for their references
	numeric  int                 // records whose id is a number
}

// Limits of what is remembered of a list.
const (
	maxKnown  = 200_000
	maxRefers = 2000
)

// reply is a page with its answer.
type reply struct {
	answer
	page *page // nil if it could not be read
}

func newRun(ctx context.Context, o *Options) *run {
	r := &run{
		o: o, client: newClient(ctx, o), now: o.Now(),
		pages: make(map[string]*reply), walks: make(map[string]*walk), evidence: make(map[string]*evidence),
		statuses: make(map[string]*answer),
	}
	for i := range lists() {
		r.evidence[lists()[i].name] = &evidence{
			problems: make(problems), contents: make(map[string]uint64), parents: make(map[string]struct{}),
		}
	}
	return r
}

// recordUse records that the current case depends on an answer.
func (r *run) recordUse(a *answer) {
	for _, n := range a.exchanges {
		if !slices.Contains(r.seen, n) {
			r.seen = append(r.seen, n)
		}
	}
}

// sendRequest sends a request for something other than a page.
func (r *run) sendRequest(q request) *answer {
	a := r.client.do(q)
	r.recordUse(&a)
	return &a
}

// pageQuery holds the query parameters of a list.
type pageQuery struct {
	limit  int // 0 if not sent
	since  string
	cursor string
	more   url.Values // additional parameters
}

func (q *pageQuery) queryValues() url.Values {
	v := url.Values{}
	for name, values := range q.more {
		v[name] = values
	}
	if q.limit > 0 {
		v.Set("limit", strconv.Itoa(q.limit))
	}
	if q.since != "" {
		v.Set("updated_since", q.since)
	}
	if q.cursor != "" {
		v.Set("cursor", q.cursor)
	}
	return v
}

// readPage requests a page, or returns it from memory.
func (r *run) readPage(l *list, q pageQuery) *reply {
	key := l.path + "?" + q.queryValues().Encode()
	p, ok := r.pages[key]
	if !ok {
		p = r.reloadPage(l, q)
		r.pages[key] = p
	}
	r.recordUse(&p.answer)
	return p
}

// loadPage requests a page, or returns it from memory unless it must be read again.
func (r *run) loadPage(l *list, q pageQuery, anew bool) *reply {
	if anew {
		return r.reloadPage(l, q)
	}
	return r.readPage(l, q)
}

// reloadPage requests a page even if it is in memory.
func (r *run) reloadPage(l *list, q pageQuery) *reply {
	p := r.fetchPage(l, q, false)
	r.recordUse(&p.answer)
	r.recordPage(l, p)
	return p
}

// fetchPage sends the request for a page.
func (r *run) fetchPage(l *list, q pageQuery, unpaced bool) *reply {
	p := &reply{}
	p.answer = r.client.do(request{
		path: l.path, query: q.queryValues(), key: withKey, once: unpaced, unpaced: unpaced,
		read: func(body io.Reader) (err error) {
			p.page, err = readPage(body, l, cmp.Or(q.limit, defaultLimit))
			return err
		},
	})
	if p.err == nil && p.status != http.StatusOK {
		p.err, p.text = errStatus, r.client.describeStatus(p.status, p.header)
	}
	if p.err != nil {
		p.page = nil
	}
	return p
}

// recordPage adds what a page shows to the evidence.
func (r *run) recordPage(l *list, p *reply) {
	if p.page == nil {
		return
	}
	e := r.evidence[l.name]
	e.requests++
	e.records += p.page.seen
	e.problems.merge(p.page.problems)
	if p.page.mark {
		e.marks++
	}
	if p.page.duplicate {
		e.twice++
	}
	for i := range p.page.heads {
		e.recordHead(&p.page.heads[i])
	}
}

func (e *evidence) recordHead(h *head) {
	if h.numeric {
		e.numeric++
	}
	if h.key == "" {
		return
	}
	if known, ok := e.contents[h.key]; ok && known != h.content && !slices.Contains(e.reused, h.key) {
		e.reused = append(e.reused, h.key)
	}
	if len(e.contents) < maxKnown {
		e.contents[h.key] = h.content
		e.parents[h.id] = struct{}{}
	}
	if len(e.refers) < maxRefers {
		e.refers = append(e.refers, *h)
	}
}

// hasRecord reports whether a record with the id was read.
func (e *evidence) hasRecord(id string) bool {
	_, ok := e.parents[id]
	return ok
}

// requireReadable returns nil if a list can be read, and otherwise the outcome of a case that
// needs it.
func (r *run) requireReadable(l *list) *outcome {
	p := r.firstPage(l)
	switch {
	case p.page != nil:
		return nil
	case l.name == "payouts" && p.status == http.StatusNotFound:
		o := skip(SkipHidden, "the platform has no payouts: GET /payouts answers 404")
		return &o
	}
	o := unjudgedOutcome(&p.answer)
	if o.status == Failed {
		o = dependsOn(l.name+".readable", "the list cannot be read")
	}
	return &o
}

// firstPage returns the page that the live check reads.
func (r *run) firstPage(l *list) *reply { return r.readPage(l, pageQuery{limit: liveLimit}) }

// listSamples returns how much of the lists was read.
func (r *run) listSamples() []Sample {
	var all []Sample
	for i := range lists() {
		e := r.evidence[lists()[i].name]
		all = append(all, Sample{List: lists()[i].name, Requests: e.requests, Records: e.records, Whole: e.whole})
	}
	return all
}

// readObject requests one object with the key.
func (r *run) readObject(path string) (*answer, json.RawMessage) {
	var raw json.RawMessage
	a := r.sendRequest(request{path: path, key: withKey, read: func(body io.Reader) (err error) {
		raw, err = readObject(body)
		return err
	}})
	return a, raw
}
