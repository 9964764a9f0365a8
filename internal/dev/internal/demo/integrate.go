package demo

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
)

// report is the part of a ConnectionReport that the demo reads.
type report struct {
	OK    bool `json:"ok"`
	Steps []struct {
		Name    string `json:"name"`
		Status  string `json:"status"`
		Message string `json:"message"`
		Hint    string `json:"hint"`
	} `json:"steps"`
}

// describeFailure describes the steps that failed.
func (r report) describeFailure() string {
	var steps []string
	for _, step := range r.Steps {
		if step.Status == "failed" {
			steps = append(steps, fmt.Sprintf("%s: %s %s", step.Name, step.Message, step.Hint))
		}
	}
	return strings.Join(steps, "; ")
}

// ensureIntegrations finds the demo's integrations, or makes them, and notes their
// ids. An integration that does not work is shown but does not stop the start,
// because a user of the API may have changed it, on purpose or not.
func (s *Stack) ensureIntegrations(ctx context.Context, api *client, platforms []*platform) error {
	var list struct {
		Data []integration `json:"data"` // newest first
	}
	err := api.callAPI(ctx, http.MethodGet, "/v1/integrations", nil, &list)
	if refused, ok := errors.AsType[*apiError](err); ok && refused.status == http.StatusUnauthorized {
		return fmt.Errorf("the API key in %s is not this database's or was revoked; remove that file to make a new organization: %w", s.keptPath("owner.json"), err)
	}
	if err != nil {
		return err
	}
	for _, p := range platforms {
		if err := s.ensureIntegration(ctx, api, list.Data, p); err != nil {
			return err
		}
	}
	return nil
}

// ensureIntegration finds a platform's integration in the list, or makes it.
func (s *Stack) ensureIntegration(ctx context.Context, api *client, list []integration, p *platform) error {
	own, err := s.ownIntegration(list, p)
	if err != nil {
		return err
	}
	if own == nil {
		return s.createIntegration(ctx, api, p)
	}
	p.id = own.ID
	if err := s.saveIntegration(p); err != nil {
		return err
	}
	s.repairIntegration(ctx, api, *own, p)
	return ctx.Err()
}

// ownIntegration returns the integration that an earlier run made. If it was
// deleted or its id is not kept, it returns the platform's oldest one, preferably
// one that is polled, or nil if there is none.
func (s *Stack) ownIntegration(list []integration, p *platform) (*integration, error) {
	kept, err := os.ReadFile(s.keptPath(p.kept))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	if id := strings.TrimSpace(string(kept)); id != "" {
		if at := slices.IndexFunc(list, func(i integration) bool { return i.ID == id }); at >= 0 {
			return &list[at], nil
		}
		s.warn("the %s's integration that an earlier run made, %s, is gone", p.name, id)
	}
	var own *integration
	for _, i := range slices.Backward(list) {
		if i.Kind != p.kind || i.BaseURL != p.ready.BaseURL {
			continue
		}
		if isPolled(i) {
			return &i, nil
		}
		if own == nil {
			own = &i
		}
	}
	return own, nil
}

// saveIntegration keeps the id of a platform's integration for the next run.
func (s *Stack) saveIntegration(p *platform) error {
	return writeSecret(s.keptPath(p.kept), []byte(p.id+"\n"))
}

// createIntegration makes a platform's integration.
func (s *Stack) createIntegration(ctx context.Context, api *client, p *platform) error {
	s.Say("connecting the %s: live check", p.name)
	var created struct {
		integration
		Report report `json:"report"`
	}
	err := api.callAPI(ctx, http.MethodPost, "/v1/integrations", map[string]any{
		"kind": p.kind, "name": p.label, "base_url": p.ready.BaseURL, "api_key": p.ready.APIKey, "sync_interval_seconds": 60,
	}, &created)
	if err != nil {
		return fmt.Errorf("connect the %s: %w", p.name, err)
	}
	if !created.Report.OK {
		s.warn("the live check of the %s failed: %s", p.name, created.Report.describeFailure())
	}
	p.id = created.ID
	return s.saveIntegration(p)
}

// repairIntegration gives an integration that has stopped polling, or that has
// another address, the settings with which it was made, which checks it, and
// hurries one that polls rarely. awaitSync sees whether that has helped.
func (s *Stack) repairIntegration(ctx context.Context, api *client, i integration, p *platform) {
	var err error
	switch {
	case isStopped(i) || i.BaseURL != p.ready.BaseURL:
		if isStopped(i) {
			s.Say("the %s's integration is %s: repeating the live check with the platform's address and key", p.name, i.HealthStatus)
		} else {
			s.Say("the %s's integration points at %s: pointing it at the platform", p.name, i.BaseURL)
		}
		err = api.callAPI(ctx, http.MethodPatch, "/v1/integrations/"+i.ID, map[string]any{
			"base_url": p.ready.BaseURL, "api_key": p.ready.APIKey, "is_active": true,
		}, nil)
	case i.HealthStatus == "failing" && i.IsActive:
		s.Say("the %s's integration is failing: asking for a sync", p.name)
		err = api.callAPI(ctx, http.MethodPost, "/v1/integrations/"+i.ID+"/sync", struct{}{}, nil)
	}
	if err != nil && ctx.Err() == nil {
		s.warn("the %s's integration stays as it is: %v", p.name, err)
	}
}

// isPolled reports whether an integration is read from time to time.
func isPolled(i integration) bool { return i.IsActive && !isStopped(i) }
