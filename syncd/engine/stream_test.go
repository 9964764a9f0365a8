package engine_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/simulator/fault"
	"github.com/assayhq/assay/internal/simulator/reference"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/seal"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/store/syncing"
	"github.com/assayhq/assay/store/syncing/integrations"
	"github.com/assayhq/assay/syncd/engine"
	"github.com/assayhq/assay/syncd/enginetest"
)

// TestPayoutsNotExposed: payouts may be missing, permanently or for a while.
func TestPayoutsNotExposed(t *testing.T) {
	t.Parallel()
	var log requestLog
	options := small
	options.OnRequest = log.add
	w := enginetest.New(t, options)
	missing := func() {
		t.Helper()
		if err := w.Platform.SetFault("payouts-404", fault.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	asked := func(what string, want int) {
		t.Helper()
		log.count()
		w.Cycle(t)
		if n := len(log.pages("/payouts")); n != want {
			t.Errorf("%s: payouts were asked for %d times, want %d", what, n, want)
		}
	}
	state := func(what, want string) {
		t.Helper()
		if got := text(t, w, `SELECT concat_ws(' ', last_status, ask_again_at > now() + interval '50 minutes', ask_again_at <= now() + interval '1 hour')
            FROM sync_streams WHERE stream = 'payouts'`); got != want {
			t.Errorf("%s: status, asked again in an hour: %q, want %q", what, got, want)
		}
		if i := w.Integration(t); i.HealthStatus != syncing.HealthHealthy || i.LastError != nil {
			t.Errorf("%s: health %s, last error %+v", what, i.HealthStatus, i.LastError)
		}
	}

	missing()
	asked("the first cycle", 1)
	state("the first cycle", "skipped t t")
	if got := text(t, w, `SELECT concat_ws(' ', status, error->>'code', error->>'http_status') FROM sync_runs WHERE resource = 'payouts'`); got != "skipped not_found 404" {
		t.Errorf("the run's status and warning: %s", got)
	}
	asked("within the hour", 0)
	w.Exec(t, `UPDATE sync_streams SET ask_again_at = now() - interval '1 second' WHERE stream = 'payouts'`)
	asked("an hour later", 1)
	state("an hour later", "skipped t t")
	if _, err := integrations.RequestSync(t.Context(), w.DB, store.SystemChange(w.Organization), w.IntegrationID); err != nil {
		t.Fatal(err)
	}
	asked("on a manual sync", 1)
	w.Pass(t) // a live check
	asked("after a live check", 1)
	asked("and then not", 0)

	w.Platform.ClearFaults()
	w.Exec(t, `UPDATE sync_streams SET ask_again_at = now() - interval '1 second' WHERE stream = 'payouts'`)
	asked("exposed at last", 1)
	state("exposed at last", "succeeded")
	w.Compare(t)

	// They may also become missing again, and what was read stays.
	missing()
	asked("hidden again", 1)
	state("hidden again", "skipped t t")
	w.Compare(t)
}

// withMaxPages bounds the pages of the list of trades.
func withMaxPages(n int) func([]connectors.StreamSpec) []connectors.StreamSpec {
	return func(specs []connectors.StreamSpec) []connectors.StreamSpec {
		for i := range specs {
			if specs[i].Stream == record.StreamTrades {
				specs[i].MaxPages = n
			}
		}
		return specs
	}
}

// TestEndlessList: a list that does not end is read in parts.
func TestEndlessList(t *testing.T) {
	t.Parallel()
	var log requestLog
	w := enginetest.New(t, long(&log))
	e := w.NewEngine(t, with(t, w, &through{specs: withMaxPages(4)}))
	for i, want := range []struct {
		status syncing.RunStatus
		pages  int
		start  int
	}{{syncing.RunPartial, 4, 1}, {syncing.RunPartial, 4, 0}, {syncing.RunSucceeded, 2, 0}} {
		log.count()
		cycle(t, w, e)
		pages := log.pages("/trades")
		if len(pages) != want.pages || fromStart(pages) != want.start {
			t.Errorf("cycle %d read %d pages, %d from the start; want %d and %d", i+1, len(pages), fromStart(pages), want.pages, want.start)
		}
		check(t, w, "trades", want.status, "", syncing.HealthHealthy)
	}
	w.Compare(t)
	if got := w.Texts(t, `SELECT concat_ws(' ', resource, rule, count) FROM findings`); !cmp.Equal(got, []string{"trades endless_list 2"}) {
		t.Errorf("findings %q, want endless_list twice", got)
	}
	if got := text(t, w, `SELECT ((SELECT min(started_at) FROM sync_runs WHERE resource = 'trades') = (SELECT watermark FROM sync_streams WHERE stream = 'trades'))::text`); got != "true" {
		t.Error("the watermark is not the start of the first of the runs that read the list")
	}
}

// TestEmptyPagesWithoutEnd: a list whose last page has a cursor too, another one each time, is not
// read for ever.
func TestEmptyPagesWithoutEnd(t *testing.T) {
	t.Parallel()
	w := enginetest.New(t, small)
	asked := 0
	e := w.NewEngine(t, with(t, w, &through{specs: withMaxPages(5000), page: func(ctx context.Context, req connectors.PageRequest, read reader) (*connectors.Page, error) {
		if req.Stream != record.StreamTrades {
			return read(ctx, req)
		}
		asked++
		page := &connectors.Page{Next: fmt.Sprintf("sealed-%d", asked), Release: func() {}}
		if req.Cursor != "" {
			return page, nil
		}
		first, err := read(ctx, req)
		if err == nil {
			first.Next = page.Next
		}
		return first, err
	}}))
	cycle(t, w, e)
	check(t, w, "trades", syncing.RunPartial, "", syncing.HealthDegraded)
	if asked > 110 {
		t.Errorf("the list was asked for %d times", asked)
	}
	if got := w.Texts(t, `SELECT concat_ws(' ', resource, rule, count) FROM findings WHERE rule = 'endless_list'`); !cmp.Equal(got, []string{"trades endless_list 1"}) {
		t.Errorf("findings %q, want endless_list", got)
	}
	if got := text(t, w, `SELECT (count(*) > 0)::text FROM trades`); got != "true" {
		t.Error("the records before the empty pages were not stored")
	}
}

// TestRecordsBehindEmptyPages: a platform that filters after it has cut a page sends more empty pages
// in a row than one run reads. The next run continues behind them.
func TestRecordsBehindEmptyPages(t *testing.T) {
	t.Parallel()
	w := enginetest.New(t, small)
	e := w.NewEngine(t, with(t, w, &through{specs: withMaxPages(1000), page: func(ctx context.Context, req connectors.PageRequest, read reader) (*connectors.Page, error) {
		const empty = "empty-"
		n, err := strconv.Atoi(strings.TrimPrefix(req.Cursor, empty))
		filtered := req.Stream == record.StreamTrades && (req.Cursor == "" || strings.HasPrefix(req.Cursor, empty) && err == nil)
		if filtered && n < 30 {
			return &connectors.Page{Next: empty + strconv.Itoa(n+1), Release: func() {}}, nil
		}
		if filtered {
			req.Cursor = ""
		}
		return read(ctx, req)
	}}))
	cycle(t, w, e)
	check(t, w, "trades", syncing.RunPartial, "", syncing.HealthDegraded)
	cycle(t, w, e)
	check(t, w, "trades", syncing.RunSucceeded, "", syncing.HealthHealthy)
	w.Compare(t)
}

// TestExpiredCheckpoint: after a day a run starts over.
func TestExpiredCheckpoint(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		age  time.Duration
		want int // pages from the start
	}{{"a day old", 24*time.Hour + time.Minute, 1}, {"younger", 23 * time.Hour, 0}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var log requestLog
			w := enginetest.New(t, long(&log))
			if err := w.Platform.SetFault("html-200", fault.Options{Endpoint: "/trades", After: 3}); err != nil {
				t.Fatal(err)
			}
			w.Cycle(t)
			w.Platform.ClearFaults()
			w.Exec(t, `UPDATE sync_streams SET run = jsonb_set(run, '{saved_at}', to_jsonb(now() - $1::interval)) WHERE stream = 'trades' AND run IS NOT NULL`, tt.age)
			log.count()
			w.Cycle(t)
			if pages := log.pages("/trades"); fromStart(pages) != tt.want {
				t.Errorf("%d of %d pages were asked for from the start, want %d", fromStart(pages), len(pages), tt.want)
			}
			w.Compare(t)
		})
	}
}

// TestForgottenCursor: a platform that no longer knows a cursor and does not say so with a status of
// 4xx is asked from the beginning of the list, once, and only if the beginning can be read.
func TestForgottenCursor(t *testing.T) {
	t.Parallel()
	type state struct {
		cycle, asked int // asked counts the requests for trades
		known        bool
	}
	for _, tt := range []struct {
		name   string
		code   connectors.Code
		status int
		fails  func(s state, cursor string) bool
		start  []int // pages from the start that the platform answered, by cycle
		want   []syncing.RunStatus
	}{
		{
			"it answers an error with 200", connectors.CodeUnexpectedResponse, 200,
			func(s state, cursor string) bool { return s.asked == 3 || cursor != "" && !s.known },
			[]int{1, 1},
			[]syncing.RunStatus{syncing.RunFailed, syncing.RunSucceeded},
		},
		{
			"it answers 500", connectors.CodeServerError, 500,
			func(s state, cursor string) bool { return s.asked == 3 || cursor != "" && !s.known },
			[]int{1, 1},
			[]syncing.RunStatus{syncing.RunFailed, syncing.RunSucceeded},
		},
		{
			"a page is slow for a while", connectors.CodeServerError, 504,
			func(s state, cursor string) bool { return s.asked == 3 || cursor != "" && s.cycle < 3 },
			[]int{1, 0, 0},
			[]syncing.RunStatus{syncing.RunFailed, syncing.RunFailed, syncing.RunSucceeded},
		},
		{
			"the whole list fails for a while", connectors.CodeUnexpectedResponse, 200,
			func(s state, _ string) bool { return s.asked == 3 || s.cycle == 2 },
			[]int{1, 0, 0},
			[]syncing.RunStatus{syncing.RunFailed, syncing.RunFailed, syncing.RunSucceeded},
		},
		{
			"one page always fails", connectors.CodeUnexpectedResponse, 200,
			func(s state, _ string) bool { return s.asked >= 3 && (s.asked-3)%4 < 2 },
			[]int{1, 1, 0, 0},
			[]syncing.RunStatus{syncing.RunFailed, syncing.RunFailed, syncing.RunFailed, syncing.RunFailed},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var log requestLog
			w := enginetest.New(t, long(&log))
			var s state
			e := w.NewEngine(t, with(t, w, &through{page: func(ctx context.Context, req connectors.PageRequest, read reader) (*connectors.Page, error) {
				if req.Stream != record.StreamTrades {
					return read(ctx, req)
				}
				s.asked++
				if tt.fails(s, req.Cursor) {
					s.known = false
					return nil, &connectors.Error{Code: tt.code, HTTPStatus: tt.status, Endpoint: "GET /trades", Message: "made by the test"}
				}
				s.known = s.known || req.Cursor == ""
				return read(ctx, req)
			}}))
			for i, want := range tt.want {
				s.cycle = i + 1
				log.count()
				cycle(t, w, e)
				if got := text(t, w, `SELECT last_status FROM sync_streams WHERE stream = 'trades'`); got != string(want) {
					t.Errorf("cycle %d %s, want %s", i+1, got, want)
				}
				if got := fromStart(log.pages("/trades")); got != tt.start[i] {
					t.Errorf("cycle %d read %d pages from the start, want %d", i+1, got, tt.start[i])
				}
			}
			if tt.want[len(tt.want)-1] == syncing.RunSucceeded {
				w.Compare(t)
			}
		})
	}
}

// TestDeletedTraderStays: assay keeps what a platform forgets.
func TestDeletedTraderStays(t *testing.T) {
	t.Parallel()
	w := enginetest.New(t, small)
	w.Cycle(t)
	id := w.Platform.Snapshot().Traders[3].ID
	before := text(t, w, `SELECT t::text FROM traders t WHERE external_id = $1`, id)
	if !w.Platform.Delete(reference.Traders, id) {
		t.Fatal("the platform has no such trader")
	}
	w.Cycle(t)
	// Also a cycle that reads everything again leaves the trader alone.
	w.Exec(t, `UPDATE sync_streams SET watermark = NULL, run = NULL`)
	w.Cycle(t)
	if after := text(t, w, `SELECT t::text FROM traders t WHERE external_id = $1`, id); after != before {
		t.Errorf("the trader's row was\n%s\nand is\n%s", before, after)
	}
	if got := text(t, w, `SELECT traders::text FROM sync_state`); got != "20" {
		t.Errorf("%s traders are counted, want 20", got)
	}
}

// TestUnknownKey: a credential that was sealed with a lost key makes its own
// integration unhealthy and no other.
func TestUnknownKey(t *testing.T) {
	t.Parallel()
	var log requestLog
	w := enginetest.New(t, long(&log))
	e := w.NewEngine(t, func(c *engine.Config) { c.PagesPerSlice = 4 })
	runSlice(t, w, e) // traders, accounts and two pages of trades
	healthy, err := integrations.Create(t.Context(), w.DB, store.SystemChange(storetest.Organization(t, w.DB).ID), integrations.New{
		Kind: record.CustomAPI, Name: "Other", BaseURL: w.Platform.URL,
		APIKey: seal.NewSecret(w.Platform.Key), SyncIntervalSeconds: 60, Check: integrations.CheckOutcome{OK: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	var good []byte
	if err := w.Conn.QueryRow(t.Context(), `SELECT api_key FROM integrations WHERE id = $1`, w.IntegrationID).Scan(&good); err != nil {
		t.Fatal(err)
	}
	w.Exec(t, `UPDATE integrations SET api_key = $2 WHERE id = $1`, w.IntegrationID, sealedElsewhere(t, w))
	log.count()

	claims := due(t, w)
	if len(claims) != 2 {
		t.Fatalf("%d integrations are due, want both", len(claims))
	}
	for _, claim := range claims {
		if err := e.RunSlice(t.Context(), claim); err != nil {
			t.Errorf("slice of %s: %v", claim.IntegrationID, err)
		}
	}
	broken := w.Integration(t)
	if broken.HealthStatus != syncing.HealthDegraded || broken.LastError == nil || broken.LastError.Code != string(connectors.CodeInternal) || broken.LastError.Hint == "" {
		t.Errorf("health %s, last error %+v; want degraded and internal", broken.HealthStatus, broken.LastError)
	}
	if got := text(t, w, `SELECT (records_seen > 0)::text FROM sync_runs WHERE integration_id = $1 AND resource = 'traders'`, healthy.ID); got != "true" {
		t.Error("the other integration was not read")
	}
	for range 2 {
		runSlice(t, w, e)
	}
	if got := w.Integration(t).HealthStatus; got != syncing.HealthFailing {
		t.Errorf("health %s after the third cycle, want failing", got)
	}

	// When the key is back, the backfill continues from its checkpoint, in its row.
	w.Exec(t, `DELETE FROM sync_runs WHERE integration_id <> $1`, w.IntegrationID)
	w.Exec(t, `UPDATE sync_state SET claimable_at = 'infinity' WHERE integration_id <> $1`, w.IntegrationID)
	w.Exec(t, `UPDATE integrations SET api_key = $2 WHERE id = $1`, w.IntegrationID, good)
	log.count()
	cycle(t, w, e)
	if pages := log.pages("/trades"); len(pages) != 8 || fromStart(pages) != 0 {
		t.Errorf("%d pages were read with the key back, %d from the start; want the eight that were missing", len(pages), fromStart(pages))
	}
	if got := w.Integration(t); got.HealthStatus != syncing.HealthHealthy || got.LastError != nil {
		t.Errorf("health %s, last error %+v; want healthy, none", got.HealthStatus, got.LastError)
	}
	if got := text(t, w, `SELECT concat_ws(' ', count(*), min(status)) FROM sync_runs WHERE resource = 'trades'`); got != "1 succeeded" {
		t.Errorf("rows of the backfill and their status: %s", got)
	}
	w.Compare(t)
}

// sealedElsewhere is the platform's key sealed with a key that the engine's
// keyring does not hold.
func sealedElsewhere(t *testing.T, w *enginetest.Fixture) []byte {
	t.Helper()
	text, err := seal.NewKeyring()
	if err != nil {
		t.Fatal(err)
	}
	keyring, err := seal.ParseKeyring([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := keyring.Seal([]byte(w.Platform.Key), seal.Binding{Table: "integrations", Column: "api_key", Row: w.IntegrationID, Organization: w.Organization})
	if err != nil {
		t.Fatal(err)
	}
	return sealed
}

// TestWrongClocks: the database says what time it is.
func TestWrongClocks(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		off  time.Duration
	}{{"right", 0}, {"an hour fast", time.Hour}, {"an hour slow", -time.Hour}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var log requestLog
			w := enginetest.New(t, long(&log), func(c *engine.Config) {
				c.Now = func() time.Time { return time.Now().Add(tt.off) }
				c.PagesPerSlice = 5
			})
			for _, mode := range []string{"backfill", "incremental"} {
				before := databaseNow(t, w)
				w.Cycle(t)
				after := databaseNow(t, w)
				for _, column := range []string{"started_at", "finished_at"} {
					within(t, mode+": the first "+column, moment(t, w, `SELECT min(`+column+`) FROM sync_runs WHERE mode = $1`, mode), before, after)
					within(t, mode+": the last "+column, moment(t, w, `SELECT max(`+column+`) FROM sync_runs WHERE mode = $1`, mode), before, after)
				}
				for _, pick := range []string{"min", "max"} {
					within(t, mode+": a watermark", moment(t, w, `SELECT `+pick+`(watermark) FROM sync_streams`), before, after)
				}
				for _, column := range []string{"last_started_at", "last_finished_at", "last_success_at"} {
					within(t, mode+": "+column, moment(t, w, `SELECT `+column+` FROM sync_state`), before, after)
				}
				slot := moment(t, w, `SELECT slot_at FROM sync_state`)
				within(t, mode+": the next slot", slot, before, after.Add(enginetest.Interval))
				phase := moment(t, w, `SELECT to_timestamp(phase_ms / 1000.0) FROM sync_state`)
				if slot.Sub(phase)%enginetest.Interval != 0 {
					t.Errorf("%s: the slot %s is not on the grid", mode, slot)
				}
				history := moment(t, w, `SELECT started_at - interval '90 days' FROM sync_runs WHERE resource = 'trades' AND mode = 'backfill'`)
				if since := moment(t, w, `SELECT updated_since FROM sync_runs WHERE resource = 'trades' AND mode = 'backfill'`); !since.Equal(history) {
					t.Errorf("%s: the backfill began at %s, want %s", mode, since, history)
				}
			}
			w.Compare(t)
		})
	}
}
