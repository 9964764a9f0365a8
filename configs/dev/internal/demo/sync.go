package demo

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// syncLimit bounds the wait for a first sync that makes no progress.
const syncLimit = 3 * time.Minute

// integration is what the demo reads of an Integration (service API).
type integration struct {
	ID            string     `json:"id"`
	Kind          string     `json:"kind"`
	BaseURL       string     `json:"base_url"`
	HealthStatus  string     `json:"health_status"`
	FinishedAt    *time.Time `json:"last_sync_finished_at"`
	LastSuccessAt *time.Time `json:"last_success_at"`
	Counters      counters   `json:"counters"`
	LastError     *struct {
		Code    string `json:"code"`
		Message string `json:"message"`
		Hint    string `json:"hint"`
	} `json:"last_error"`
}

type counters struct {
	Traders  int `json:"traders"`
	Accounts int `json:"accounts"`
	Trades   int `json:"trades"`
	Payouts  int `json:"payouts"`
}

// report is what the demo reads of a ConnectionReport.
type report struct {
	OK    bool `json:"ok"`
	Steps []struct {
		Name    string `json:"name"`
		Status  string `json:"status"`
		Message string `json:"message"`
		Hint    string `json:"hint"`
	} `json:"steps"`
}

// failure describes the steps that failed.
func (r report) failure() error {
	var lines []string
	for _, step := range r.Steps {
		if step.Status == "failed" {
			lines = append(lines, fmt.Sprintf("%s: %s %s", step.Name, step.Message, step.Hint))
		}
	}
	return errors.New("the live check of the reference platform failed:\n    " + strings.Join(lines, "\n    "))
}

// integrate finds the platform's integration, or makes it, and returns its id.
func (s *Stack) integrate(ctx context.Context, api *client, p platform) (id string, err error) {
	var list struct {
		Data []integration `json:"data"`
	}
	err = api.call(ctx, http.MethodGet, "/v1/integrations", nil, &list)
	if refused, ok := errors.AsType[*apiError](err); ok && refused.status == http.StatusUnauthorized {
		return "", fmt.Errorf("the API key in %s is not this database's or was revoked; remove that file to make a new organization: %w", s.path("owner.json"), err)
	}
	if err != nil {
		return "", err
	}
	for _, i := range list.Data {
		if i.Kind == "custom_api" && i.BaseURL == p.BaseURL {
			return i.ID, s.revive(ctx, api, i)
		}
	}
	s.Say("connecting the reference platform: live check")
	var created struct {
		integration
		Report report `json:"report"`
	}
	err = api.call(ctx, http.MethodPost, "/v1/integrations", map[string]any{
		"kind": "custom_api", "name": "Reference platform", "base_url": p.BaseURL, "api_key": p.APIKey, "sync_interval_seconds": 60,
	}, &created)
	if err != nil {
		return "", err
	}
	if !created.Report.OK {
		return "", created.Report.failure()
	}
	return created.ID, nil
}

// revive checks an integration that has stopped polling.
func (s *Stack) revive(ctx context.Context, api *client, i integration) error {
	if i.HealthStatus != "check_failed" && i.HealthStatus != "blocked" {
		return nil
	}
	s.Say("the integration is %s: repeating the live check", i.HealthStatus)
	var r report
	if err := api.call(ctx, http.MethodPost, "/v1/integrations/"+i.ID+"/test", struct{}{}, &r); err != nil {
		return err
	}
	if !r.OK {
		return r.failure()
	}
	return nil
}

// awaitSync waits until the first sync has succeeded, and shows how it goes.
func (s *Stack) awaitSync(ctx context.Context, api *client, id string) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() { cancel(s.Supervisor.Wait(ctx)) }()

	var last counters
	started := time.Now()
	for changed, polls := started, 0; ; polls++ {
		var i integration
		if err := api.call(ctx, http.MethodGet, "/v1/integrations/"+id, nil, &i); err != nil {
			return errors.Join(context.Cause(ctx), err)
		}
		if i.Counters != last {
			last, changed = i.Counters, time.Now()
			s.Say("arrived: %d traders, %d accounts, %d trades, %d payouts", last.Traders, last.Accounts, last.Trades, last.Payouts)
		}
		switch {
		case i.FinishedAt != nil && i.LastSuccessAt != nil && last.Traders > 0:
			if polls > 0 {
				s.Say("the first sync landed after %s", time.Since(started).Round(100*time.Millisecond))
			}
			return nil
		case time.Since(changed) > syncLimit:
			return stalled(i)
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func stalled(i integration) error {
	text := fmt.Sprintf("the first sync makes no progress (health %s)", i.HealthStatus)
	if i.LastError != nil {
		text += fmt.Sprintf(": %s: %s %s", i.LastError.Code, i.LastError.Message, i.LastError.Hint)
	}
	return errors.New(text)
}
