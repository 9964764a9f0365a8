package reporting

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/internal/analysis/load"
	"github.com/assayhq/assay/internal/analysis/trades"
	"github.com/assayhq/assay/store/activity"
	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/store/interviews/worker"
	"github.com/assayhq/assay/syncd/interviews/step"
)

// loadTrades loads the trades with which an interview is compared: those of its
// window, which ends at the given time.
func (p *Pipeline) loadTrades(ctx context.Context, i *interviews.Interview, until time.Time) (*load.Loaded, error) {
	r := load.Request{
		TraderID: i.TraderID, From: until.AddDate(0, 0, -i.Activity.WindowDays), To: until, AccountIDs: i.Activity.AccountIDs, Location: zoneOf(i.Activity.Timezone),
	}
	if i.Activity.Preset != nil {
		r.Preset = *i.Activity.Preset
	}
	l, err := load.Load(ctx, p.Store, i.OrganizationID, r)
	_, unknown := errors.AsType[*load.UnknownAccountError](err)
	switch {
	case unknown, errors.Is(err, load.ErrUnknownPreset), errors.Is(err, activity.ErrTooManyTrades):
		return nil, step.Permanent(fmt.Errorf("analyze activity: %w", err))
	case err != nil:
		return nil, fmt.Errorf("load activity: %w", err)
	}
	return l, nil
}

// zoneOf returns the timezone that an interview names. UTC also stands for an
// interview without a timezone, so it leaves the choice to the trader's files.
func zoneOf(name string) *time.Location {
	zone, err := time.LoadLocation(name)
	if err != nil || zone.String() == time.UTC.String() {
		return nil
	}
	return zone
}

// windowEnd returns the end of the window of an interview: when it was submitted, or when its time was
// over, so that a later report looks at the same trades.
func windowEnd(i *interviews.Interview, now time.Time) time.Time {
	return *cmp.Or(i.SubmittedAt, i.EndedAt, &now)
}

// analyzeActivity does the step activity.
func (p *Pipeline) analyzeActivity(ctx context.Context, claim worker.Claim) (outcome string, err error) {
	i, err := interviews.ReadHead(ctx, p.Store, claim.OrganizationID, claim.InterviewID)
	if err != nil {
		return "", err
	}
	release, err := p.reservePlace(ctx)
	if err != nil {
		return "", err
	}
	defer release()
	s, err := p.studyTrades(ctx, &i, claim.Now())
	if err != nil {
		return "", err
	}
	p.handover.keep(i.ID, s) // before the report can begin
	return "done", worker.FinishActivity(ctx, p.Store, claim, s.text)
}

// studyTrades loads and analyzes the trades of an interview.
func (p *Pipeline) studyTrades(ctx context.Context, i *interviews.Interview, now time.Time) (s studied, err error) {
	if s.loaded, err = p.loadTrades(ctx, i, windowEnd(i, now)); err != nil {
		return s, err
	}
	s.activity = s.loaded.Analyse()
	if s.text, err = json.Marshal(s.activity); err != nil {
		return s, step.Permanent(fmt.Errorf("encode activity: %w", err))
	}
	return s, nil
}

// isKnown reports whether anything is known about the trader's trading: an account,
// or a trade of a file.
func isKnown(l *load.Loaded) bool {
	return slices.ContainsFunc(l.Input.Accounts, func(a trades.Account) bool { return !a.Peer })
}

// formatID returns an id as reports write it, which is empty when there is none.
func formatID(id *uuid.UUID) string {
	if id == nil {
		return ""
	}
	return id.String()
}
