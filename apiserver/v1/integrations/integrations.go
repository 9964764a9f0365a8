package integrations

import (
	"context"
	"errors"
	"net/http"

	"github.com/google/uuid"

	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/apiserver/response"
	"github.com/assayhq/assay/apiserver/route"
	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/syncing/integrations"
)

// listIntegrations answers GET /v1/integrations, newest first.
func (a *API) listIntegrations(w http.ResponseWriter, r *http.Request, p store.Page) error {
	list, err := integrations.List(r.Context(), a.reads, route.CallerOrganization(r))
	if err != nil {
		return err
	}
	return response.AnswerCollection(w, r, a.publicURL, response.ConvertRows(list, integrationOf), p)
}

// getIntegration answers GET /v1/integrations/{id}.
func (a *API) getIntegration(w http.ResponseWriter, r *http.Request, id uuid.UUID) error {
	i, err := integrations.Read(r.Context(), a.reads, route.CallerOrganization(r), id)
	if err != nil {
		return err
	}
	return response.AnswerItem(w, r, integrationOf(i))
}

// testUnsaved answers POST /v1/integrations/test with a ConnectionReport, or with events. It
// saves nothing.
func (a *API) testUnsaved(w http.ResponseWriter, r *http.Request) error {
	p, err := a.readIntegration(r)
	if err != nil {
		return err
	}
	events := newCheckStream(w, r)
	report, err := a.runCheck(r.Context(), p.Kind, connectorConfig("", p), events.writeStep)
	if err != nil {
		return events.breakOff(err)
	}
	return events.writeReport(response.Reply{Status: http.StatusOK, Body: reportOf(report)})
}

// createIntegration answers POST /v1/integrations with an IntegrationCreated. The integration is
// saved whatever the report says, but after the check and together with its outcome: a check that
// a stopping server breaks off leaves nothing behind, and the request can be sent again. The
// request is completed even if the client does not wait.
func (a *API) createIntegration(w http.ResponseWriter, r *http.Request) error {
	p, err := a.readIntegration(r)
	if err != nil {
		return err
	}
	n := integrations.New{
		Kind: p.Kind, Name: p.Name, BaseURL: p.BaseURL, APIKey: p.APIKey, AccountScope: p.AccountScope, SyncIntervalSeconds: p.SyncIntervalSeconds,
	}
	compared, err := integrations.ConnectionNeedsTraders(r.Context(), a.store, route.CallerOrganization(r), n)
	if err != nil {
		return err
	}
	source, err := a.openSource(p.Kind, connectorConfig("", p))
	if err != nil {
		return err
	}
	report, err := a.checkOutliving(r.Context(), source, nil)
	if err != nil {
		return err
	}
	if n.Check = outcomeOf(report); compared {
		if n.Traders, err = a.compareDeleted(r.Context(), source, report); err != nil {
			return err
		}
	}
	render := func(i integrations.Integration) response.Reply {
		return response.Reply{
			Status: http.StatusCreated, Location: a.publicURL + "/v1/integrations/" + i.ID.String(),
			Body: createdBody{integrationOf(i), reportOf(report)},
		}
	}
	ctx, cancel := savingContext(r.Context())
	defer cancel()
	i, err := integrations.Create(ctx, a.store, route.NewRepeatableChange(r, render), n)
	if err != nil {
		return err
	}
	return render(i).Write(w)
}

// updateIntegration answers PATCH /v1/integrations/{id}. A change that affects the live check is
// first checked and then saved, whatever the report says, but polling continues only if the check
// passed. If another PATCH has changed the same settings in the meantime, the report is about
// settings that nobody requested: nothing is saved, and the client has to decide again.
func (a *API) updateIntegration(w http.ResponseWriter, r *http.Request, id uuid.UUID) error {
	before, err := integrations.Read(r.Context(), a.store, route.CallerOrganization(r), id)
	if err != nil {
		return err
	}
	patch, err := a.readConditionalPatch(r, before.Kind)
	if err != nil {
		return err
	}
	ctx := r.Context()
	if patch.NeedsCheck() {
		if patch.Check, err = a.checkPatched(r, before, patch); err != nil {
			return err
		}
		var cancel context.CancelFunc
		ctx, cancel = savingContext(ctx)
		defer cancel()
	}
	render := func(i integrations.Integration) response.Reply {
		return response.Reply{Status: http.StatusOK, Body: integrationOf(i), Item: true}
	}
	i, err := integrations.Update(ctx, a.store, route.NewRepeatableChange(r, render), id, patch)
	if patch.Check != nil && errors.Is(err, store.ErrConflict) {
		return &problem.Problem{Code: problem.Conflict, Detail: crossingChange, Cause: err}
	}
	if err != nil {
		return err
	}
	return render(i).Write(w)
}

// readConditionalPatch reads the body of a PATCH of an integration of the kind, and If-Match.
func (a *API) readConditionalPatch(r *http.Request, kind record.Kind) (p integrations.Patch, err error) {
	condition, err := response.IfMatch(r, integrationOf)
	if err != nil {
		return p, err
	}
	p, err = a.readPatch(r, kind)
	p.If = condition
	return p, err
}

// checkPatched runs the live check of an integration with the patch applied. It first checks the
// patch's condition, because a refused patch is not worth a live check.
func (a *API) checkPatched(r *http.Request, before integrations.Integration, p integrations.Patch) (*integrations.LiveCheck, error) {
	if p.If != nil {
		if err := p.If(before); err != nil {
			return nil, err
		}
	}
	cfg, err := a.patchedConfig(r.Context(), before, p)
	if err != nil {
		return nil, err
	}
	compared, err := integrations.PatchNeedsTraders(r.Context(), a.store, before.OrganizationID, before.ID, p)
	if err != nil {
		return nil, err
	}
	source, err := a.openSource(before.Kind, cfg)
	if err != nil {
		return nil, err
	}
	if p.APIKey == nil && p.BaseURL != nil && !integrations.SameOrigin(*p.BaseURL, before.BaseURL) {
		// The check sends the saved key there, also if the change is refused afterwards.
		if err := integrations.RecordKeySent(r.Context(), a.store, route.NewChange(r), before, *p.BaseURL); err != nil {
			return nil, err
		}
	}
	report, err := a.checkOutliving(r.Context(), source, nil)
	if err != nil {
		return nil, err
	}
	live := &integrations.LiveCheck{CheckOutcome: outcomeOf(report), SettingsVersion: before.SettingsVersion}
	if compared {
		// If the traders cannot be read, the platform is compared before anything is written.
		live.Traders, _ = a.firstTraders(r.Context(), source, report)
	}
	return live, nil
}

// crossingChange is what a client learns if another PATCH has crossed its own.
const crossingChange = "The settings of the integration were changed while the live check of this request ran, so nothing was saved. Read the integration and send the request again."

// patchedConfig returns the configuration of an integration with the patch applied. The saved key
// is opened only if the patch contains no new one, so that a key that can no longer be opened can
// be replaced.
func (a *API) patchedConfig(ctx context.Context, i integrations.Integration, p integrations.Patch) (connectors.Config, error) {
	params := integrationParams{BaseURL: i.BaseURL, AccountScope: i.AccountScope}
	if p.BaseURL != nil {
		params.BaseURL = *p.BaseURL
	}
	if p.AccountScope != nil {
		params.AccountScope = *p.AccountScope
	}
	if p.APIKey != nil {
		params.APIKey = *p.APIKey
		return connectorConfig(i.ID.String(), params), nil
	}
	saved, err := integrations.ReadConfig(ctx, a.store, i.OrganizationID, i.ID)
	params.APIKey = saved.APIKey
	return connectorConfig(i.ID.String(), params), err
}

// deleteIntegration answers DELETE /v1/integrations/{id} with 204. It keeps the traders.
func (a *API) deleteIntegration(w http.ResponseWriter, r *http.Request) error {
	id, condition, err := route.ObjectIfMatch(r, integrationOf)
	if err != nil {
		return err
	}
	render := func(struct{}) response.Reply { return response.Reply{Status: http.StatusNoContent} }
	if err := integrations.Delete(r.Context(), a.store, route.NewRepeatableChange(r, render), id, condition); err != nil {
		return err
	}
	return render(struct{}{}).Write(w)
}

// testIntegration answers POST /v1/integrations/{id}/test with a ConnectionReport, or with
// events. It updates the integration's health, unless its settings have changed since the check
// began.
func (a *API) testIntegration(w http.ResponseWriter, r *http.Request) error {
	id, err := a.objects.WithoutBody(r, route.IntegrationsPath)
	if err != nil {
		return err
	}
	saved, err := integrations.ReadConfig(r.Context(), a.store, route.CallerOrganization(r), id)
	if err != nil {
		return err
	}
	source, err := a.openSource(saved.Kind, connectorConfig(id.String(), integrationParams{
		BaseURL: saved.BaseURL, APIKey: saved.APIKey, AccountScope: saved.AccountScope,
	}))
	if err != nil {
		return err
	}
	events := newCheckStream(w, r)
	report, err := a.checkOutliving(r.Context(), source, events.writeStep)
	if err != nil {
		return events.breakOff(err)
	}
	ctx, cancel := savingContext(r.Context())
	defer cancel()
	render := func(bool) response.Reply { return response.Reply{Status: http.StatusOK, Body: reportOf(report)} }
	if _, err := integrations.RecordLiveCheck(ctx, a.store, route.NewRepeatableChange(r, render), id, integrations.LiveCheck{CheckOutcome: outcomeOf(report), SettingsVersion: saved.SettingsVersion}); err != nil {
		return events.breakOff(err)
	}
	return events.writeReport(render(true))
}

// requestSync answers POST /v1/integrations/{id}/sync with whether this call queued a cycle, and
// if not, why.
func (a *API) requestSync(w http.ResponseWriter, r *http.Request) error {
	id, err := a.objects.WithoutBody(r, route.IntegrationsPath)
	if err != nil {
		return err
	}
	render := func(reason integrations.Refusal) response.Reply {
		return response.Reply{Status: http.StatusOK, Body: queuedOf(reason)}
	}
	reason, err := integrations.RequestSync(r.Context(), a.store, route.NewRepeatableChange(r, render), id)
	if err != nil {
		return err
	}
	return render(reason).Write(w)
}
