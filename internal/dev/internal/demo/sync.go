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

// integration is the part of an Integration (service API) that the demo reads.
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

// isStopped reports whether an integration waits for a live check to pass.
func isStopped(i integration) bool {
	return i.HealthStatus == "check_failed" || i.HealthStatus == "blocked"
}

// arrival is how far the first sync of a platform has come.
type arrival struct {
	*platform
	counters counters
	changed  time.Time // when a counter moved last
	looks    int
}

// awaitSync waits until the first sync of each platform has succeeded, and shows
// their progress. A sync that fails or makes no more progress is shown but does not
// stop the start, because the API can then show why. An error is the end of ctx or
// of a process.
func (s *Stack) awaitSync(ctx context.Context, api *client, platforms []*platform) error {
	ctx, cancel := s.whileAllRun(ctx)
	defer cancel()
	started := time.Now()
	var awaited []*arrival
	for _, p := range platforms {
		awaited = append(awaited, &arrival{platform: p, changed: started})
	}
	for {
		var still []*arrival
		for _, a := range awaited {
			if !s.hasArrived(ctx, api, a, started) {
				still = append(still, a)
			}
		}
		awaited = still
		if len(awaited) == 0 || ctx.Err() != nil {
			return context.Cause(ctx)
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// hasArrived checks the progress of a first sync, and reports whether there is
// nothing more to wait for.
func (s *Stack) hasArrived(ctx context.Context, api *client, a *arrival, started time.Time) bool {
	var i integration
	if err := api.callAPI(ctx, http.MethodGet, "/v1/integrations/"+a.id, nil, &i); err != nil {
		if ctx.Err() == nil {
			s.warn("not waiting for the first sync of the %s: %v", a.name, err)
		}
		return true
	}
	a.looks++
	if c := i.Counters; c != a.counters {
		a.counters, a.changed = c, time.Now()
		s.Say("read from the %s so far: %d traders, %d accounts, %d trades, %d payouts", a.name, c.Traders, c.Accounts, c.Trades, c.Payouts)
	}
	switch {
	case !isPolled(i):
		s.warn("the %s's integration is not polled: %s", a.name, describeState(i))
	case i.FinishedAt != nil && i.LastSuccessAt != nil && i.Counters.Traders > 0:
		if a.looks > 1 {
			s.Say("the first sync of the %s took %s", a.name, time.Since(started).Round(100*time.Millisecond))
		}
	case len(a.faults) > 0 && i.FinishedAt != nil || time.Since(a.changed) > cmp.Or(s.SyncLimit, syncLimit):
		s.warn("the first sync of the %s has not succeeded: %s", a.name, describeState(i))
	default:
		return false
	}
	return true
}

// describeState describes the state of an integration.
func describeState(i integration) string {
	text := "health " + i.HealthStatus
	if !i.IsActive {
		text += ", switched off"
	}
	if i.LastError != nil {
		text += fmt.Sprintf(", %s: %s %s", i.LastError.Code, i.LastError.Message, i.LastError.Hint)
	}
	return text
}

// warn reports in one line a problem that does not keep the stack from running.
func (s *Stack) warn(format string, args ...any) {
	s.Say("warning: %s", strings.Join(strings.Fields(fmt.Sprintf(format, args...)), " "))
}
