package demo

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// syncLimit bounds the wait for a first sync that makes no progress, where the
// stack has no limit of its own.
const syncLimit = 3 * time.Minute

// integration is what the demo reads of an Integration (service API).
type integration struct {
	ID            string     `json:"id"`
	Kind          string     `json:"kind"`
	BaseURL       string     `json:"base_url"`
	IsActive      bool       `json:"is_active"`
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

// stopped reports whether an integration waits for a live check to pass.
func stopped(i integration) bool {
	return i.HealthStatus == "check_failed" || i.HealthStatus == "blocked"
}

// awaitSync waits until the first sync has succeeded, and shows how it goes. One
// that does not, or that nothing more is to be expected of, is shown and no
// reason to stop: the API that tells why is there. An error is the end of ctx or
// of a process.
func (s *Stack) awaitSync(ctx context.Context, api *client, id string) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() { cancel(s.Supervisor.Wait(ctx)) }()

	var last counters
	started := time.Now()
	for changed, polls := started, 0; ; polls++ {
		var i integration
		if err := api.call(ctx, http.MethodGet, "/v1/integrations/"+id, nil, &i); err != nil {
			if ctx.Err() == nil {
				s.warn("not waiting for the first sync: %v", err)
			}
			return context.Cause(ctx)
		}
		if i.Counters != last {
			last, changed = i.Counters, time.Now()
			s.Say("arrived: %d traders, %d accounts, %d trades, %d payouts", last.Traders, last.Accounts, last.Trades, last.Payouts)
		}
		switch {
		case !polled(i):
			s.warn("the integration is not polled: %s", state(i))
			return nil
		case i.FinishedAt != nil && i.LastSuccessAt != nil && last.Traders > 0:
			if polls > 0 {
				s.Say("the first sync landed after %s", time.Since(started).Round(100*time.Millisecond))
			}
			return nil
		case len(s.Faults) > 0 && i.FinishedAt != nil || time.Since(changed) > cmp.Or(s.SyncLimit, syncLimit):
			s.warn("the first sync has not succeeded: %s", state(i))
			return nil
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// state describes how an integration is.
func state(i integration) string {
	text := "health " + i.HealthStatus
	if !i.IsActive {
		text += ", switched off"
	}
	if i.LastError != nil {
		text += fmt.Sprintf(", %s: %s %s", i.LastError.Code, i.LastError.Message, i.LastError.Hint)
	}
	return text
}

// warn tells in one line of what is wrong but does not keep the stack from
// running.
func (s *Stack) warn(format string, args ...any) {
	s.Say("warning: %s", strings.Join(strings.Fields(fmt.Sprintf(format, args...)), " "))
}
