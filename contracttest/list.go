package contracttest

import (
	"encoding/json"
	"math/big"
	"regexp"
	"strings"
	"sync"
	"time"
)

// kind is the type of a field.
type kind int

const (
	aText kind = iota
	anID
	anEmail
	aTime
	aNumber
	anEnum
	aSide
	anObject
	manyTexts
)

// field is one field of a record, as the contract describes it.
type field struct {
	name, alias string
	kind        kind
	required    bool
	decisive    bool           // a value that cannot be read costs the record, unless the field is absent
	quotable    bool           // a number that may be sent as a string, with thousands separators
	fixed       bool           // never changes, so it tells records apart
	values      []string       // values of an enumeration
	form        *regexp.Regexp // check of a text; nil if any text is valid
	formName    string
}

// ordering is what the contract says about the order of a list.
type ordering int

const (
	anyOrder   ordering = iota // not specified
	byTime                     // updated_at drives the cursor's order
	byTimeByID                 // updated_at ascending, then id ascending
)

// list is one of the four lists.
type list struct {
	name   string
	path   string
	parent string // field that refers to the list above; empty if none does
	order  ordering
	fields []field
	// finish checks rules that involve several fields.
	finish func(r *reading, h *head)
}

// lists are the four lists in polling order.
var lists = sync.OnceValue(func() []list {
	country := regexp.MustCompile(`^[A-Z]{2}$`)
	currency := regexp.MustCompile(`^[A-Z]{3}$`)
	phone := regexp.MustCompile(`^\+[1-9]\d{1,14}$`)
	email := regexp.MustCompile(`^[^\s@]+@[^\s@]+$`)
	nothing := func(*reading, *head) {}
	return []list{
		{name: "traders", path: "/traders", order: byTime, finish: nothing, fields: []field{
			{name: "id", kind: anID, required: true},
			{name: "updated_at", kind: aTime, required: true},
			{name: "email", kind: anEmail, form: email, formName: "an email address"},
			{name: "first_name"},
			{name: "last_name"},
			{name: "full_name"},
			{name: "country", form: country, formName: "ISO 3166-1 alpha-2"},
			{name: "phone", form: phone, formName: "E.164"},
			{name: "registered_at", alias: "created_at", kind: aTime, fixed: true},
			{name: "kyc_status", kind: anEnum, values: []string{"not_started", "pending", "verified", "failed"}},
			{name: "tags", kind: manyTexts},
			{name: "metadata", kind: anObject},
		}},
		{name: "accounts", path: "/accounts", parent: "trader_id", order: byTimeByID, finish: finishAccount, fields: []field{
			{name: "id", kind: anID, required: true},
			{name: "trader_id", kind: anID, required: true},
			{name: "updated_at", kind: aTime, required: true},
			{name: "platform", kind: anEnum, values: []string{"mt4", "mt5", "ctrader", "matchtrader", "tradelocker", "dxtrade", "other"}},
			{name: "login", kind: anID},
			{name: "program"},
			{name: "phase", kind: anEnum, values: []string{"evaluation", "verification", "funded", "other"}},
			{name: "status", kind: anEnum, values: []string{"active", "passed", "breached", "closed", "suspended"}},
			{name: "currency", form: currency, formName: "ISO 4217"},
			{name: "initial_balance", kind: aNumber, quotable: true},
			{name: "balance", kind: aNumber, quotable: true},
			{name: "equity", kind: aNumber, quotable: true},
			{name: "started_at", kind: aTime, fixed: true},
			{name: "metadata", kind: anObject},
		}},
		{name: "trades", path: "/trades", parent: "account_id", finish: finishTrade, fields: []field{
			{name: "id", kind: anID, required: true},
			{name: "account_id", kind: anID, required: true},
			{name: "symbol", required: true, fixed: true},
			{name: "side", kind: aSide, required: true},
			{name: "open_time", kind: aTime, required: true, fixed: true},
			{name: "updated_at", kind: aTime, required: true},
			{name: "volume", alias: "lots", kind: aNumber},
			{name: "close_time", kind: aTime, decisive: true},
			{name: "open_price", kind: aNumber},
			{name: "close_price", kind: aNumber},
			{name: "stop_loss", kind: aNumber},
			{name: "take_profit", kind: aNumber},
			{name: "commission", kind: aNumber},
			{name: "swap", kind: aNumber},
			{name: "profit", kind: aNumber},
		}},
		{name: "payouts", path: "/payouts", parent: "trader_id", finish: finishPayout, fields: []field{
			{name: "id", kind: anID, required: true},
			{name: "trader_id", kind: anID, required: true},
			{name: "status", kind: anEnum, required: true, values: []string{"pending", "approved", "paid", "rejected", "cancelled"}},
			{name: "updated_at", kind: aTime, required: true},
			{name: "account_id", kind: anID},
			{name: "amount", kind: aNumber},
			{name: "currency", form: currency, formName: "ISO 4217"},
			{name: "requested_at", kind: aTime, fixed: true},
			{name: "paid_at", kind: aTime},
		}},
	}
})

// listNamed returns the list with a name.
func listNamed(name string) *list {
	for i := range lists() {
		if lists()[i].name == name {
			return &lists()[i]
		}
	}
	panic("contracttest: no list " + name)
}

// hasValue reports whether a member has a value.
func (r *reading) hasValue(name string) bool {
	v, ok := r.members[name]
	return ok && v[0] != 'n' && string(v) != `""`
}

// scalarText returns a scalar's text without quotes and commas.
func (r *reading) scalarText(name string) string {
	var text string
	v := r.members[name]
	if json.Unmarshal(v, &text) != nil {
		text = string(v)
	}
	return strings.ReplaceAll(text, ",", "")
}

func finishAccount(r *reading, h *head) {
	h.floats = r.hasValue("equity") && r.hasValue("balance") && !equalNumbers(r.scalarText("equity"), r.scalarText("balance"))
}

// equalNumbers reports whether two texts are the same number, such as 100 and 100.00, or the same text.
func equalNumbers(a, b string) bool {
	if fits, ok := isDecimal(a); !fits || !ok {
		return a == b
	}
	if fits, ok := isDecimal(b); !fits || !ok {
		return a == b
	}
	x, okX := new(big.Rat).SetString(strings.TrimPrefix(a, "+"))
	y, okY := new(big.Rat).SetString(strings.TrimPrefix(b, "+"))
	return okX && okY && x.Cmp(y) == 0
}

// closingSlack is how far a trade's close time may be after its updated_at, because the clocks of
// a broker and of a database differ.
const closingSlack = time.Minute

// longestHeld is longer than a position is held.
const longestHeld = 10 * 365 * 24 * time.Hour

func finishTrade(r *reading, h *head) {
	if !r.usable { // it is unknown whether it is open
		return
	}
	opened, _, _ := parseInstant(strings.TrimSpace(r.scalarText("open_time")))
	if c := h.closed; !c.IsZero() && (!c.After(opened.Add(-longestHeld)) || !c.Before(h.updated.Add(longestHeld))) {
		// Platforms write the first or last time that they can store for a position that is open.
		r.rejectField(&field{name: "close_time"}, "stands for no time, because it lies ten years or more before open_time or after updated_at: "+r.scalarText("close_time"))
		h.closed = time.Time{}
	}
	h.open = h.closed.IsZero()
	if h.open == r.hasValue("close_price") {
		r.found.add(ruleClosed, r.id, "close_time and close_price are not set together")
	}
	switch {
	case h.open:
	case h.closed.Before(opened):
		r.found.add(ruleClosed, r.id, "close_time lies before open_time")
	case h.updated.Add(closingSlack).Before(h.closed):
		r.found.add(ruleBumped, r.id, "updated_at "+h.sentAt+" lies before close_time "+r.scalarText("close_time"))
	}
}

func finishPayout(r *reading, _ *head) {
	if r.usable && r.hasValue("paid_at") && !strings.EqualFold(r.scalarText("status"), "paid") {
		r.found.add(rulePaid, r.id, "paid_at is set while status is "+truncateLine(r.scalarText("status"), 20))
	}
}
