package customapi_test

import (
	"context"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/customapi"
	"github.com/assayhq/assay/connectors/fetch"
	"github.com/assayhq/assay/contracttest"
	"github.com/assayhq/assay/internal/sample"
	"github.com/assayhq/assay/internal/simulator/fault"
	"github.com/assayhq/assay/internal/simulator/firm"
	"github.com/assayhq/assay/internal/simulator/reference"
	"github.com/assayhq/assay/store/seal"
)

// agreed are the faults that the live check and the kit must judge alike: each
// fault of the reference platform on all routes, and on each route that it can
// affect.
func agreed() []string {
	faults := []string{"", "status-500,times=1", "status-500,times=2,endpoint=/trades", "html-200,times=1,endpoint=/accounts", "cut-body,times=2,endpoint=/traders"}
	for _, info := range reference.Faults() {
		text := info.Name
		switch info.Name {
		case "slow":
			text += ",delay=1ms"
		case "drip":
			text += ",delay=1ms,size=4096"
		case "gzip-bomb":
			text += ",size=64MiB"
		}
		faults = append(faults, text)
		endpoints := info.Endpoints
		if len(endpoints) == 0 {
			endpoints = []string{"/health", "/traders", "/accounts", "/trades", "/payouts"}
		}
		switch info.Name {
		case "huge-body", "gzip-bomb", "status-502", "status-503", "status-429-zero", "status-429-date", "status-429-fraction", "status-429-negative", "status-429-huge":
			continue // expensive, or the same as others
		}
		for _, endpoint := range endpoints {
			if endpoint != "/traders/{id}" {
				faults = append(faults, text+",endpoint="+endpoint)
			}
		}
	}
	return faults
}

// The kit's profile live-check gives the same verdict as the live check, step by step, for every
// fault. It takes long because the waits that platforms ask for are real.
func TestAgreementWithTheKit(t *testing.T) {
	t.Parallel()
	faults := sample.Cases(agreed(), 60)
	at := make(chan struct{}, 160) // checks at once, most of which wait to try again
	var checks sync.WaitGroup
	differences := make([]string, len(faults))
	for i, fault := range faults {
		checks.Go(func() {
			at <- struct{}{}
			defer func() { <-at }()
			differences[i] = disagreement(t, fault)
		})
	}
	checks.Wait()
	for i, difference := range differences {
		if difference != "" {
			t.Errorf("%s: %s", faults[i], difference)
		}
	}
	t.Logf("%d faults and places", len(faults))
}

// disagreement runs both checks against a fault and returns where they differ.
func disagreement(t *testing.T, text string) string {
	server, err := reference.Start(reference.Options{
		Firm: firm.Options{Seed: 7, Start: time.Date(2026, 3, 4, 15, 0, 0, 0, time.UTC), Traders: 12, AccountsPerTrader: 1, Trades: 60, Payouts: 12},
	})
	if err != nil {
		return err.Error()
	}
	defer server.Close()
	set := func() error {
		if text == "" {
			return nil
		}
		name, o, err := fault.Parse(text)
		if err != nil {
			return err
		}
		return server.SetFault(name, o)
	}
	const enough = time.Minute // for all retries of the live check
	limit := enough
	if strings.HasPrefix(text, "hang") || strings.HasPrefix(text, "stall") || strings.HasPrefix(text, "status-429") {
		limit = 4 * time.Second
	}
	if err := set(); err != nil {
		return err.Error()
	}
	live := liveCheck(t.Context(), server, limit)
	if err := set(); err != nil { // its counts start again
		return err.Error()
	}
	longest := time.Millisecond
	if strings.HasPrefix(text, "rate-limit") {
		longest = time.Minute
	}
	kit, err := contracttest.Check(t.Context(), contracttest.Options{
		URL: server.URL, Key: server.Key, RootCAs: server.CertPool, Profile: contracttest.LiveCheck,
		Timing: contracttest.Timing{Interval: -1, Attempt: limit / 6, Backoff: time.Millisecond, MaxWait: longest},
	})
	if err != nil {
		return err.Error()
	}
	if live.OK != (kit.Verdict == contracttest.Conformant) {
		return "the live check says " + map[bool]string{true: "ok", false: "not ok"}[live.OK] + ", the kit " + string(kit.Verdict) + ": " + strings.Join(kit.Failures(), " ")
	}
	for i, step := range live.Steps {
		result := kit.Results[i]
		if result.ID != "live."+step.Name {
			return "the kit's case " + result.ID + " is not the step " + step.Name
		}
		hurried := limit < enough // it may have ended at another step
		if !hurried && (step.Status == connectors.StepFailed) != (result.Status == contracttest.Failed) {
			return "step " + step.Name + " is " + string(step.Status) + " (" + step.Message + "), the kit's case " + string(result.Status) + " (" + result.Message + ")"
		}
	}
	return ""
}

func liveCheck(ctx context.Context, server *reference.Server, limit time.Duration) connectors.Report {
	client := fetch.New(fetch.Options{RootCAs: server.CertPool, AllowCIDRs: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Backoff: time.Millisecond})
	defer client.Close()
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	source := customapi.New(client).Open(connectors.Config{BaseURL: server.URL, APIKey: seal.NewSecret(server.Key)})
	return source.Check(ctx, nil)
}
