package reporting

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/internal/interview/report"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/directory"
	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/store/interviews/worker"
	"github.com/assayhq/assay/store/syncing"
	"github.com/assayhq/assay/store/syncing/integrations"
)

// pollEvery is how often the state of the platform's cycle is polled.
const pollEvery = 250 * time.Millisecond

// prepareQuestions does the step prepare. It asks the platform for the trader,
// waits for a while for the cycle that the interview has requested, and makes
// questions from the data at that time.
func (p *Pipeline) prepareQuestions(ctx context.Context, claim worker.Claim) (outcome string, err error) {
	i, err := interviews.ReadHead(ctx, p.Store, claim.OrganizationID, claim.InterviewID)
	if err != nil {
		return "", err
	}
	if i.AutoQuestions == 0 || i.Status != interviews.Invited && i.Status != interviews.Expired {
		return "skipped", worker.Skip(ctx, p.Store, claim)
	}
	if err := p.refreshTrader(ctx, &i); err != nil {
		return "", err
	}
	release, err := p.reservePlace(ctx)
	if err != nil {
		return "", err
	}
	defer release()
	l, err := p.loadTrades(ctx, &i, claim.Now())
	if err != nil {
		return "", err
	}
	var made []interviews.AutoQuestion
	if isKnown(l) {
		for _, q := range report.Questions(&l.Input, l.Analyse()) {
			made = append(made, interviews.AutoQuestion{Prompt: q.Prompt, Topic: q.Topic, FindingKind: q.FindingKind})
		}
	}
	return "done", worker.FinishPreparation(ctx, p.Store, claim, made)
}

// refreshTrader reads what the platform knows by now. Questions are made even if
// the platform fails, so only the database's errors are returned.
func (p *Pipeline) refreshTrader(ctx context.Context, i *interviews.Interview) error {
	owner, err := directory.FindOwner(ctx, p.Store.Bun, i.OrganizationID, i.TraderID)
	if err != nil || !owner.Synced() {
		return err
	}
	until := time.Now().Add(p.Wait)
	if err := p.askForTrader(ctx, i.OrganizationID, *owner.IntegrationID, *owner.ExternalID, until); err != nil {
		return err
	}
	return p.awaitCycle(ctx, i, *owner.IntegrationID, until)
}

// askForTrader asks the platform whether it still knows the trader, if the platform
// supports that. The cycle brings all other changes.
func (p *Pipeline) askForTrader(ctx context.Context, orgID, integration uuid.UUID, externalID string, until time.Time) error {
	config, err := integrations.ReadConfig(ctx, p.Store, orgID, integration)
	if errors.Is(err, store.ErrNotFound) {
		return nil // the platform was disconnected
	}
	if err != nil {
		return err
	}
	connector, ok := p.Connectors.Connector(config.Kind)
	if !ok || !canAnswer(&config.Integration) || config.Unconfirmed {
		return nil // a trader whom another platform does not know is not missing
	}
	reader, ok := connector.Open(connectors.Config{
		IntegrationID: integration.String(), BaseURL: config.BaseURL, APIKey: config.APIKey, Scope: (*connectors.AccountScope)(config.AccountScope),
	}).(connectors.TraderReader)
	if !ok {
		return nil
	}
	asking, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	_, err = reader.ReadTrader(asking, externalID)
	failed, ofPlatform := errors.AsType[*connectors.Error](err)
	switch {
	case err == nil, ctx.Err() != nil:
		return ctx.Err()
	case ofPlatform && failed.Code == connectors.CodeNotFound:
		return integrations.NoteTraderMissing(ctx, p.Store, orgID, integration, externalID, failed.Endpoint, failed.HTTPStatus)
	}
	p.Log.InfoContext(ctx, "platform did not answer about the interview's trader", "integration_id", integration, "error", err)
	return nil
}

// canAnswer reports whether assay may send requests to the platform, and can expect
// answers.
func canAnswer(i *integrations.Integration) bool {
	switch i.HealthStatus {
	case syncing.HealthBlocked, syncing.HealthCheckFailed, syncing.HealthFailing:
		return false
	}
	return i.IsActive
}

// awaitCycle waits, for a limited time, until a cycle of the platform has ended
// that began after the interview was created.
func (p *Pipeline) awaitCycle(ctx context.Context, i *interviews.Interview, integration uuid.UUID, until time.Time) error {
	limit := time.NewTimer(time.Until(until))
	defer limit.Stop()
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		state, err := integrations.Read(ctx, p.Store, i.OrganizationID, integration)
		switch {
		case errors.Is(err, store.ErrNotFound), err == nil && !canAnswer(&state):
			return nil
		case err != nil:
			return err
		case hasEnded(&state, i.CreatedAt):
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-limit.C:
			return nil
		case <-tick.C:
		}
	}
}

// hasEnded reports whether a cycle has ended that began after the given time.
func hasEnded(i *integrations.Integration, after time.Time) bool {
	return i.LastSyncStartedAt != nil && i.LastSyncFinishedAt != nil && !i.LastSyncStartedAt.Before(after) && !i.LastSyncFinishedAt.Before(*i.LastSyncStartedAt)
}
