package load

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/internal/analysis"
	"github.com/assayhq/assay/internal/analysis/calendar"
	"github.com/assayhq/assay/internal/analysis/instrument"
	"github.com/assayhq/assay/internal/analysis/result"
	"github.com/assayhq/assay/internal/analysis/ruleset"
	"github.com/assayhq/assay/internal/analysis/trades"
	"github.com/assayhq/assay/internal/analysis/wording"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/activity"
)

// MaxTrades bounds the trades of one analysis, which are held in memory: about
// 150 bytes each.
const MaxTrades = 2_000_000

// Request says what to analyse.
type Request struct {
	TraderID uuid.UUID
	From, To time.Time // open times, From included, To not
	// AccountIDs narrows to some of the accounts; empty is all of them.
	AccountIDs []uuid.UUID
	// Location is the timezone of hours, weekdays and days. Nil means that none was
	// requested.
	Location *time.Location
	// Preset names a preset. Empty means the organization's own ruleset, or the
	// neutral preset if there is none.
	Preset string
}

// ErrUnknownPreset says that there is no preset of the name.
var ErrUnknownPreset = errors.New("unknown preset")

// UnknownAccountError says that an account that was asked for is not one of the
// trader's.
type UnknownAccountError struct{ ID uuid.UUID }

// Error names the account.
func (e *UnknownAccountError) Error() string {
	return fmt.Sprintf("account %s does not belong to the trader", e.ID)
}

// Analyse analyses what the organization has of a trader.
// store.ErrNotFound when it has no such trader, store.ErrTooManyTrades when the
// window holds more than MaxTrades, ErrUnknownPreset, and *UnknownAccountError.
func Analyse(ctx context.Context, db *store.DB, orgID uuid.UUID, r Request) (*result.Activity, error) {
	l, err := Load(ctx, db, orgID, r)
	if err != nil {
		return nil, err
	}
	return l.Analyse(), nil
}

// Loaded is what an analysis is made from.
type Loaded struct {
	Input trades.Input
	// PeersCut says that there may be more accounts to compare with than were found
	// and read.
	PeersCut bool
	// Accounts is how many accounts of the trader platforms have reported that
	// existed at the end of the window, including those that were not requested. It
	// is nil if there are none.
	Accounts *int
	// Ended is how many of these are over by now: passed, breached or closed.
	Ended int
	// ByEmail is how many of the others belong to a trader of another platform who
	// has the same email.
	ByEmail int
	// SameEmail are the traders of other platforms whose data was loaded because
	// they have the same email.
	SameEmail []uuid.UUID
	// FirstTrade is the first open that is known, also before the window; nil
	// without trades.
	FirstTrade *time.Time
	// Outside describes the trades before and after the window.
	Outside result.Outside
	// ClosedWithin is how many trades were opened before the window and closed within it.
	ClosedWithin int
}

// Load loads the input of an analysis. The errors are those of Analyse.
func Load(ctx context.Context, db *store.DB, orgID uuid.UUID, r Request) (*Loaded, error) {
	ruleset, err := rulesetOf(ctx, db, orgID, r.Preset)
	if err != nil {
		return nil, err
	}
	calendar, err := calendarOf(ctx, db, orgID)
	if err != nil {
		return nil, err
	}
	instruments, err := instrumentsOf(ctx, db, orgID)
	if err != nil {
		return nil, err
	}
	s := &sink{request: r}
	query := activity.Query{
		TraderID: r.TraderID, From: r.From, To: r.To, MaxTrades: MaxTrades, Peers: true, Instruments: instruments, InstrumentOf: instruments.KeyOf,
		SameWithin: asDuration(ruleset.CopiedTrades.MaxLagSeconds), FacingWithin: asDuration(ruleset.Opposite.MaxOpenGapSeconds),
	}
	err = activity.Read(ctx, db, orgID, query, s)
	if err != nil {
		return nil, err
	}
	in := s.makeInput()
	in.Ruleset, in.Calendar, in.Instruments = ruleset, calendar, instruments
	l := &Loaded{Input: in, PeersCut: s.cut, Outside: s.outside, ClosedWithin: s.closedWithin}
	l.Accounts, l.Ended, l.ByEmail = s.countAccounts()
	l.FirstTrade, l.SameEmail = s.findFirst(), s.findSameEmail()
	return l, nil
}

// Analyse analyses what was loaded.
func (l *Loaded) Analyse() *result.Activity {
	a := analysis.Analyse(l.Input)
	a.Outside = l.Outside
	if l.ClosedWithin > 0 {
		a.Limitations = append(a.Limitations, wording.FormatText("Trades that were opened earlier and closed in the analyzed time: %d. Their results are in no day, sum or limit. To include them, begin earlier.", l.ClosedWithin))
	}
	if l.PeersCut {
		a.Limitations = append(a.Limitations, "More accounts of other traders may have traded at the same moments than could be compared.")
	}
	return a
}

// asDuration returns a span of a ruleset, which is in seconds.
func asDuration(n float64) time.Duration { return time.Duration(n * float64(time.Second)) }

// rulesetOf returns the preset of the name, or what the organization has.
func rulesetOf(ctx context.Context, db *store.DB, orgID uuid.UUID, preset string) (*ruleset.Ruleset, error) {
	if preset != "" {
		r, ok := ruleset.Preset(preset)
		if !ok {
			return nil, ErrUnknownPreset
		}
		return r, nil
	}
	kept, err := activity.ReadRuleset(ctx, db, orgID)
	if errors.Is(err, store.ErrNotFound) {
		return ruleset.Neutral(), nil
	}
	if err != nil {
		return nil, err
	}
	r, err := ruleset.Decode(kept.Body)
	if err != nil {
		return nil, fmt.Errorf("read ruleset %d of organization %s: %w", kept.Number, orgID, err)
	}
	return r, nil
}

// instrumentsOf returns the instruments of symbols, those of the organization included.
func instrumentsOf(ctx context.Context, db *store.DB, orgID uuid.UUID) (instrument.Names, error) {
	mappings, err := activity.ReadSymbolMappings(ctx, db, orgID)
	if err != nil {
		return nil, err
	}
	own := make(map[string]string, len(mappings))
	for _, m := range mappings {
		own[m.Symbol] = m.Instrument
	}
	return instrument.NewNames(own), nil
}

// calendarOf returns the organization's calendar; nil when it has none.
func calendarOf(ctx context.Context, db *store.DB, orgID uuid.UUID) (*calendar.Calendar, error) {
	kept, err := activity.ReadCalendar(ctx, db, orgID)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	c, err := calendar.Parse(bytes.NewReader(kept.Body))
	if err != nil {
		return nil, fmt.Errorf("read calendar %d of organization %s: %w", kept.Number, orgID, err)
	}
	return c, nil
}
