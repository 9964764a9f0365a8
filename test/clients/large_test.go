//go:build lighthouse

package clients_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/google/uuid"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/store/syncing/integrations"
)

// largeTraders is how many traders the large organization has, unless ASSAY_TEST_LARGE_TRADERS says otherwise.
const largeTraders = 1_000_000

// large is an organization with as much as the largest customers have, and with the longest texts.
type large struct {
	*api
	db          string // URL of the database
	org         uuid.UUID
	integration string
	webhook     string
	busy        string // a trader with 100,000 trades in ten accounts and 2,000 payouts
	longest     string // a trader whose texts are as long as a platform may send them
	arabic      string // a trader whose name is written from right to left
	talkative   string // an interview with 300 statements
}

// buildLarge fills the organization of an API whose database is empty.
func (a *api) buildLarge(t *testing.T) large {
	t.Helper()
	l := large{api: a, db: a.database, integration: a.connect(t, a.synced.URL)}
	l.org = storetest.One[uuid.UUID](t, storetest.Conn(t, l.db), `SELECT organization_id FROM integrations WHERE id = $1`, l.integration)
	traders := largeTraders
	if text := os.Getenv("ASSAY_TEST_LARGE_TRADERS"); text != "" {
		var err error
		traders, err = strconv.Atoi(text)
		check(t, err)
	}
	begun := time.Now()
	storetest.SeedTraders(t, l.db, l.org, uuid.MustParse(l.integration), traders)
	t.Logf("%d traders added in %s", traders, time.Since(begun).Round(time.Second))
	l.addOddTraders(t)
	l.addActivity(t)
	l.talkative = a.addTalkativeInterview(t)
	l.addInterviews(t)
	l.addHistory(t)
	return l
}

// addOddTraders adds traders with names from right to left, of one long word, of many words, and of all other texts at
// the length that is accepted from platforms.
func (l *large) addOddTraders(t *testing.T) {
	t.Helper()
	word := func(text string, bytes int) string { return strings.Repeat(text, bytes/len(text)+1)[:bytes] }
	storetest.Traders(t, l.db, integrations.Integration{ID: uuid.MustParse(l.integration), OrganizationID: l.org, Kind: record.CustomAPI},
		record.Trader{ID: "busy", FirstName: "Zoe", LastName: "Busy", Email: "zoe.busy@example.com", Country: "DE", KYCStatus: "verified"},
		record.Trader{ID: "ar", FirstName: "محمد", LastName: "عبد الرحمن الهاشمي", Email: "mohammed@example.com", Country: "AE", KYCStatus: "verified", Phone: "+971501234567"},
		record.Trader{ID: "he", FirstName: "אברהם", LastName: "בן-דוד (VIP) 12", Email: "avraham@example.com", Country: "IL", KYCStatus: "ממתין", Tags: []string{"עדיפות", "vip"}},
		record.Trader{ID: "words", FirstName: word("Maria Josefa ", 4096), LastName: word("de la Vega y ", 4096)},
		record.Trader{
			ID: word("T-0000000-", 200), FirstName: word("Llanfairpwllgwyngyll", 4096), LastName: word("Wolfeschlegelstein", 4096),
			Email: word("a", 64) + "@" + word("subdomain.", 240) + "example.com", Country: word("Longlandia", 4096), KYCStatus: word("verification_in_progress", 4096),
			Phone: word("+4912345678", 4096), Tags: []string{word("longtag", 1000), word("tag with words ", 1000)}, Metadata: `{"` + word("key", 500) + `": "` + word("value", 4000) + `"}`,
		},
	)
	id := func(external string) string {
		return storetest.One[uuid.UUID](t, storetest.Conn(t, l.db), `SELECT id FROM traders WHERE organization_id = $1 AND external_id LIKE $2 || '%' AND length(external_id) BETWEEN $3 AND $4`,
			l.org, external, len(external), len(external)+200).String()
	}
	l.busy, l.arabic, l.longest = id("busy"), id("ar"), id("T-0000000-T")
}

// addActivity gives the busy trader ten accounts, 100,000 trades and 2,000 payouts, and other traders 200,000 payouts.
func (l *large) addActivity(t *testing.T) {
	t.Helper()
	conn := storetest.Conn(t, l.db)
	for _, statement := range []string{
		`INSERT INTO accounts (id, organization_id, integration_id, external_id, trader_external_id, platform, login, program, phase, status, currency,
    initial_balance, balance, equity, started_at, content_hash)
SELECT gen_random_uuid(), $1, $2, 'A-' || n, 'busy', 'mt5', (500000 + n)::text, 'Two-step 200k', CASE WHEN n < 3 THEN 'funded' ELSE 'evaluation' END, 'active', (ARRAY['USD', 'EUR'])[1 + n % 2],
    200000, 201250.40, 201198.15, now() - interval '300 days', '' FROM generate_series(0, 9) AS n`,
		`INSERT INTO trades (integration_id, account_external_id, id, symbol, side, volume, open_time, close_time, open_price, close_price, commission, swap, profit, content_hash)
SELECT $2::uuid, 'A-' || n % 10, 't-' || n, (ARRAY['EURUSD', 'XAUUSD', 'GBPJPY', 'US30.cash'])[1 + (hashint4(n) & 3)], CASE WHEN n % 3 = 0 THEN 'sell' ELSE 'buy' END, 0.5 + n % 7 * 0.25, at, at + interval '3 minutes' * (1 + n % 9),
    1.08123, 1.08223, -3.5, 0, (hashint4(n * 7) % 50000) * 0.01 + 4, '' FROM generate_series(1, 100000) AS n, LATERAL (SELECT now() - n * interval '4 minutes' AS at) AS times WHERE $1::uuid IS NOT NULL`,
		`INSERT INTO payouts (id, organization_id, integration_id, external_id, trader_external_id, account_external_id, status, amount, currency, requested_at, paid_at, content_hash)
SELECT gen_random_uuid(), $1, $2, 'PO-' || n, CASE WHEN n <= 2000 THEN 'busy' ELSE 'T-' || lpad(n::text, 7, '0') END, CASE WHEN n <= 2000 THEN 'A-' || n % 10 END,
    (ARRAY['paid', 'pending', 'rejected', 'waiting_for_compliance_review'])[1 + n % 4], 800 + n % 90000 * 13.37, 'USD', now() - n * interval '1 minute', CASE WHEN n % 4 = 0 THEN now() END, ''
FROM generate_series(1, 200000) AS n`,
	} {
		storetest.Exec(t, conn, statement, l.org, l.integration)
	}
	storetest.Exec(t, conn, `VACUUM ANALYZE trades, accounts, payouts, traders`)
}

// multiply copies a row of a table n times, with the columns of change, a JSON object in SQL that may use n.
func (l *large) multiply(t *testing.T, table, where, change string, n int) {
	t.Helper()
	storetest.Exec(t, storetest.Conn(t, l.db), fmt.Sprintf(`INSERT INTO %[1]s OVERRIDING SYSTEM VALUE
SELECT (jsonb_populate_record(source, %[3]s)).* FROM %[1]s AS source, generate_series(1, %[4]d) AS n WHERE %[2]s`, table, where, change, n))
	storetest.Exec(t, storetest.Conn(t, l.db), `ANALYZE `+table)
}

// addInterviews adds 20,000 interviews in all states, most of them completed, and one whose trader has the longest name.
func (l *large) addInterviews(t *testing.T) {
	t.Helper()
	for _, trader := range []string{l.longest, l.arabic} {
		l.call(t, "POST", "/v1/interviews", map[string]any{"trader_id": trader, "auto_questions": 0}, 201)
	}
	l.multiply(t, "interviews", `id = '`+l.talkative+`'`, `jsonb_build_object('id', gen_random_uuid(), 'reference', 'PO-' || n || CASE WHEN n % 50 = 0 THEN repeat('-reference', 9) ELSE '' END,
    'created_at', now() - n * interval '20 minutes', 'completed_at', CASE WHEN n % 5 > 1 THEN now() - n * interval '19 minutes' END, 'submitted_at', CASE WHEN n % 5 > 1 THEN now() - n * interval '19 minutes' END,
    'status', (ARRAY['invited', 'in_progress', 'completed', 'completed', 'completed'])[1 + n % 5], 'attention_level', (ARRAY['none', 'low', 'medium', 'high', 'insufficient_data'])[1 + n / 5 % 5],
    'decision', CASE WHEN n % 15 IN (2, 3) THEN 'approved' END, 'decided_at', CASE WHEN n % 15 IN (2, 3) THEN now() END, 'record_purge_at', NULL, 'media_purge_at', NULL)`, 20_000)
}

// addHistory adds runs, quarantined records and deliveries.
func (l *large) addHistory(t *testing.T) {
	t.Helper()
	conn := storetest.Conn(t, l.db)
	storetest.Exec(t, conn, `INSERT INTO sync_runs (id, integration_id, cycle_id, resource, trigger, mode, status, pages, requests, records_seen, records_inserted, records_unchanged, throttled_ms, started_at, finished_at, error)
SELECT gen_random_uuid(), $1, gen_random_uuid(), (ARRAY['traders', 'accounts', 'trades', 'payouts'])[1 + n % 4], 'schedule', 'incremental', CASE WHEN n % 9 = 0 THEN 'failed' ELSE 'succeeded' END,
    n % 5000, n % 5000, n * 7919::bigint % 10000000, n % 100000, n % 9000000, n % 700000, now() - n * interval '5 minutes', now() - n * interval '5 minutes' + n % 900 * interval '1 second',
    CASE WHEN n % 9 = 0 THEN jsonb_build_object('code', 'platform_unavailable', 'message', 'The platform answered with 503: ' || repeat('please try again later, ', 40)) END FROM generate_series(1, 50000) AS n`, l.integration)
	storetest.Exec(t, conn, `INSERT INTO quarantine (integration_id, resource, key, raw, pointer, rule, detail, count, first_seen_at, last_seen_at)
SELECT $1, (ARRAY['traders', 'trades'])[1 + n % 2], 'key-' || n || CASE WHEN n % 20 = 0 THEN repeat('-very-long', 90) ELSE '' END, '{"id": "' || repeat('x', n % 20 * 100) || '"}', '/profit' || CASE WHEN n % 20 = 1 THEN repeat('/deep', 60) ELSE '' END,
    'number_syntax', 'is not a number' || CASE WHEN n % 20 = 2 THEN repeat(', and more', 60) ELSE '' END, n * 1000, now() - interval '30 days', now() - n * interval '1 minute' FROM generate_series(1, 20000) AS n`, l.integration)
	l.webhook = l.call(t, "POST", "/v1/webhooks", map[string]any{"url": "https://127.0.0.1:9/" + strings.Repeat("long-path/", 40), "events": []string{"trader.created", "interview.completed"}}, 201)["id"].(string)
	storetest.Exec(t, conn, `WITH events AS (INSERT INTO webhook_events (id, organization_id, type, occurred_at)
    SELECT gen_random_uuid(), $1, (ARRAY['trader.created', 'interview.completed'])[1 + n % 2], now() - n * interval '1 minute' FROM generate_series(1, 50000) AS n RETURNING *)
INSERT INTO webhook_deliveries (id, endpoint_id, organization_id, event_id, event_type, sequence, status, attempts, created_at)
SELECT gen_random_uuid(), $2, organization_id, id, type, row_number() OVER (ORDER BY occurred_at), CASE WHEN hashtext(id::text) % 9 = 0 THEN 'failed' ELSE 'succeeded' END, 1, occurred_at FROM events`, l.org, l.webhook)
	storetest.Exec(t, conn, `UPDATE webhook_states SET sequence = 50000 WHERE endpoint_id = $1`, l.webhook)
	storetest.Exec(t, conn, `VACUUM ANALYZE sync_runs, quarantine, webhook_events, webhook_deliveries`)
}

// measurePalette logs how long the answers take that the palette waits for while somebody types: a trader's name, an
// address, an external id, and what nobody is called.
func (l *large) measurePalette(t *testing.T) {
	t.Helper()
	var took []time.Duration
	for _, word := range []string{"maria", "xenia mo", "firm42", "T-0500001", "sven.ka", "محمد", "mail.example", "nobody at all", "zoe busy", "+49"} {
		typed := []rune(word)
		for end := range typed {
			q := url.Values{"search": {string(typed[:end+1])}, "limit": {"5"}}.Encode()
			begun := time.Now()
			answers := make(chan error, 2)
			for _, path := range []string{"/v1/traders?count=none&" + q, "/v1/interviews?" + q} {
				go func() { answers <- l.read(t, path) }()
			}
			for range 2 {
				check(t, <-answers)
			}
			took = append(took, time.Since(begun))
		}
	}
	slices.Sort(took)
	t.Logf("palette: %d answers over HTTP: p50 %s, p95 %s, longest %s", len(took), took[len(took)/2].Round(time.Millisecond), took[len(took)*95/100].Round(time.Millisecond), took[len(took)-1].Round(time.Millisecond))
}

// read reads an answer of the API, which has to be 200, as JSON.
func (l *large) read(t *testing.T, path string) error {
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, l.url+path, http.NoBody)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+l.key)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err == nil && (res.StatusCode != http.StatusOK || !json.Valid(text)) {
		err = fmt.Errorf("GET %s: %d %.200s", path, res.StatusCode, text)
	}
	return err
}

// views are the pages of the large organization.
func (l *large) views() []view {
	busy, longest, arabic, review := "/traders/"+l.busy, "/traders/"+l.longest, "/traders/"+l.arabic, "/interviews/"+l.talkative
	return []view{
		{"home", "/", "Since yesterday"},
		{"traders", "/traders", "traders"},
		{"traders-page", "/traders?page=20000&sort=name", "traders"},
		{"traders-found", "/traders?search=maria", "match"},
		{"traders-columns", "/traders?columns=name,external_id,country,status,tags,phone,registered,added", "traders"},
		{"busy", busy, "Zoe Busy"},
		{"busy-accounts", busy + "?tab=accounts", "Initial balance"},
		{"busy-trades", busy + "?tab=trades", "Net result"},
		{"busy-activity", busy + "?tab=activity&days=365", "Sources"},
		{"busy-payouts", "/payouts?trader_id=" + l.busy, "2,000 rows"},
		{"longest", longest, "Notes"},
		{"longest-files", longest + "?tab=files", "No files yet"},
		{"arabic", arabic, "Notes"},
		{"payouts", "/payouts", "payouts"},
		{"interviews", "/interviews", "interviews"},
		{"interviews-page", "/interviews?page=700", "interviews"},
		{"interview-longest", "/interviews?search=Llanfair", "Interview"},
		{"review", review, "Statements"},
		{"review-transcript", review + "?tab=transcript", "Transcript"},
		{"review-comments", review + "?tab=comments", "omment"},
		{"integration", "/integrations/" + l.integration, "Health history"},
		{"runs", "/integrations/" + l.integration + "?tab=runs", "New or changed"},
		{"quarantine", "/integrations/" + l.integration + "?tab=quarantine", "What is wrong"},
		{"webhooks", "/developers/webhooks", "127.0.0.1"},
		{"deliveries", "/developers/webhooks/" + l.webhook, "127.0.0.1"},
		{"audit", "/audit", "connected a platform"},
	}
}

// overflows is by how many pixels the page is wider than the window, and what sticks out of it first.
const overflows = `(() => {
	const wide = document.documentElement.scrollWidth - innerWidth;
	if (wide <= 0) return "";
	const out = [...document.querySelectorAll("main *")].find((e) => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest(".table"));
	return wide + " px: " + (out?.outerHTML.slice(0, 160) ?? "");
})()`

// TestLargePages opens each page of the large organization at all widths: none is wider than its window. With
// ASSAY_TEST_SCREENSHOTS it takes their pictures, and with ASSAY_TEST_LARGE_VIEWS only of those.
func TestLargePages(t *testing.T) {
	b := newTab(t)
	a := startAPI(t)
	l := a.buildLarge(t)
	a.signedIn(t, b, "owner")
	only := strings.FieldsFunc(os.Getenv("ASSAY_TEST_LARGE_VIEWS"), func(r rune) bool { return r == ',' })
	for _, v := range l.views() {
		if len(only) > 0 && !slices.Contains(only, v.name) {
			continue
		}
		begun := time.Now()
		b.do(t, chromedp.Navigate(a.url+v.path))
		b.sees(t, v.sees)
		b.awaitPaint(t)
		t.Logf("%s is there after %s", v.name, time.Since(begun).Round(time.Millisecond))
		for _, width := range []int64{360, 1100, 1366, 1920} {
			b.do(t, chromedp.EmulateViewport(width, 900))
			b.awaitPaint(t)
			if wide := ask(t, b, chromedp.Evaluate[string](overflows)); wide != "" {
				t.Errorf("%s at %d px is too wide by %s", v.name, width, wide)
			}
			b.screenshot(t, fmt.Sprintf("large-%s-%d.png", v.name, width))
		}
		b.show(t, "dark")
		b.awaitPaint(t)
		b.screenshot(t, fmt.Sprintf("large-%s-dark.png", v.name))
		b.show(t, "light")
	}
	b.wantQuiet(t, a.url)
}
