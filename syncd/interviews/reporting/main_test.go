package reporting_test

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/goleak"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/customapi"
	"github.com/assayhq/assay/connectors/fetch"
	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/interview/prose"
	"github.com/assayhq/assay/internal/interview/report"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/store/interviews/answering"
	"github.com/assayhq/assay/store/interviews/invite"
	"github.com/assayhq/assay/store/interviews/steps"
	"github.com/assayhq/assay/store/interviews/worker"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/store/work"
	"github.com/assayhq/assay/syncd/interviews/reporting"
	"github.com/assayhq/assay/syncd/interviews/step"
)

// patience is how long a step may take on a busy machine.
const patience = 10 * time.Minute

func TestMain(m *testing.M) {
	storetest.ServeChild(workOn)
	goleak.VerifyTestMain(storetest.Suite{M: m})
}

// organization is one with a platform. A trader there makes three trades a
// day, and once twelve in a salvo.
type organization struct {
	storetest.OrgDB
	platform *httptest.Server
	asked    chan string // paths that the platform was asked for
	trader   uuid.UUID
	model    string        // URL of a language model; empty when there is none
	hangs    bool          // the platform does not answer
	wait     time.Duration // for the platform
}

func setup(t *testing.T) *organization {
	t.Helper()
	b := &organization{OrgDB: storetest.NewOrgDB(t), asked: make(chan string, 100), wait: patience}
	b.platform = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b.asked <- r.URL.Path
		if b.hangs {
			<-r.Context().Done()
			return
		}
		http.Error(w, `{"error":"no such trader"}`, http.StatusNotFound)
	}))
	t.Cleanup(b.platform.Close)
	i := storetest.Integration(t, b.DB, b.Org, b.platform.URL)
	batch := record.Batch{
		Traders:  []record.Trader{{ID: "t-1", FirstName: "Ada", Email: "ada@example.com"}},
		Accounts: []record.Account{{ID: "A-1", TraderID: "t-1", Login: "7001", Platform: "mt5", Currency: "USD", InitialBalance: "100000"}},
	}
	for d := 1; d <= 30; d++ {
		day := time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, -d).Add(9 * time.Hour)
		for n := range 15 {
			at := day.Add(time.Duration(n) * 5 * time.Second)
			if n >= 12 {
				at = day.Add(time.Duration(n-11) * time.Hour)
			}
			batch.Trades = append(batch.Trades, record.Trade{
				ID: fmt.Sprintf("x-%d-%d", d, n), AccountID: "A-1", Symbol: "EURUSD", Side: record.Buy, OpenTime: at, CloseTime: at.Add(20 * time.Minute),
				Volume: "0.5", OpenPrice: "1.1", Profit: "5",
			})
		}
	}
	storetest.Records(t, b.URL, i, batch)
	b.Exec(t, `UPDATE sync_state SET last_started_at = now() + interval '1 hour', last_finished_at = now() + interval '2 hours'`) // each interview's cycle is over
	b.trader = storetest.One[uuid.UUID](t, b.Conn, `SELECT id FROM traders WHERE external_id = 't-1'`)
	return b
}

// invited makes an interview of the trader, answered in writing.
func (b *organization) invited(t *testing.T, auto int) invite.Made {
	t.Helper()
	n := storetest.NewInterview("Ada", "ada@example.com")
	n.Trader, n.TraderID, n.AutoQuestions, n.AnswerModes = nil, &b.trader, auto, []interviews.AnswerMode{interviews.AnswerText}
	return storetest.Interview(t, b.DB, b.Org, n)
}

// submitted makes an interview that was submitted, with a transcript of what was
// written.
func (b *organization) submitted(t *testing.T, said string) uuid.UUID {
	t.Helper()
	id, question := b.handedIn(t, said)
	b.transcribed(t, id, question, said)
	return id
}

// handedIn makes a submitted interview without a transcript, and returns its first
// question, too.
func (b *organization) handedIn(t *testing.T, said string) (id, question uuid.UUID) {
	t.Helper()
	made := b.invited(t, 0)
	s, i := storetest.Started(t, b.DB, made)
	for _, q := range i.Questions {
		if _, err := answering.SealWritten(t.Context(), b.DB, s, q.ID, said); err != nil {
			t.Fatal(err)
		}
	}
	if err := answering.Submit(t.Context(), b.DB, s); err != nil {
		t.Fatal(err)
	}
	if err := worker.Skip(t.Context(), b.DB, storetest.Claim(t, b.DB, b.Org, made.ID, steps.Media)); err != nil {
		t.Fatal(err)
	}
	return made.ID, i.Questions[0].ID
}

// transcribed adds the transcript of what was written.
func (b *organization) transcribed(t *testing.T, id, question uuid.UUID, said string) {
	t.Helper()
	text, err := json.Marshal(map[string]any{
		"engine": "typed", "language": "en", "quality": "standard", "timing": "answer_level",
		"segments": []any{map[string]any{"id": "s1", "question_id": question, "take": 1, "start_ms": 0, "end_ms": 0, "speaker": "trader", "text": said, "confidence": 1}},
	})
	if err != nil {
		t.Fatal(err)
	}
	c := storetest.Claim(t, b.DB, b.Org, id, steps.Transcript)
	if err := worker.FinishTranscript(t.Context(), b.DB, c, worker.Transcript{Engine: "typed", Quality: "standard", Transcript: text}); err != nil {
		t.Fatal(err)
	}
}

// pool returns what works on the steps in a process.
func (b *organization) pool(lease time.Duration) (*work.Pool, func(), error) {
	log := slog.New(slog.DiscardHandler)
	if os.Getenv("ASSAY_TEST_LOG") != "" {
		log = slog.New(slog.NewTextHandler(os.Stderr, nil))
	}
	options := fetch.Options{AllowCIDRs: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}
	if b.platform != nil {
		options.RootCAs = x509.NewCertPool()
		options.RootCAs.AddCert(b.platform.Certificate())
	}
	client := fetch.New(options)
	registry, err := connectors.NewRegistry(customapi.New(client))
	if err != nil {
		return nil, nil, err
	}
	release := client.Close
	steps := step.New(step.Config{Store: b.DB, Registerer: prometheus.NewRegistry(), Log: log, Lease: lease})
	c := reporting.Config{Steps: steps, Store: b.DB, Log: log, Connectors: registry, Slots: 1, Wait: b.wait}
	if b.model != "" {
		if c.Prose, err = prose.New(prose.Config{URL: b.model, Model: "m", Patience: patience}); err != nil {
			return nil, nil, err
		}
		release = func() {
			client.Close()
			c.Prose.Close()
		}
	}
	return work.New(work.Config{Registerer: prometheus.NewRegistry(), Log: log, Kinds: reporting.New(c).Kinds()}), release, nil
}

// run works steps until the test ends.
func (b *organization) run(t *testing.T) {
	t.Helper()
	q, release, err := b.pool(20 * time.Second)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	go func() { done <- q.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("queue: %v", err)
		}
		release()
	})
}

// step waits until a step has a status, and returns the interview then.
func (b *organization) step(t *testing.T, id uuid.UUID, name steps.Name, want steps.Status) interviews.Detail {
	t.Helper()
	var i interviews.Detail
	storetest.Within(t, patience, fmt.Sprintf("step %s is %s", name, want), func() bool {
		var err error
		if i, err = interviews.Read(t.Context(), b.DB, b.Org, id); err != nil {
			t.Fatal(err)
		}
		return i.Step(name).Status == want
	})
	return i
}

func reportOf(t *testing.T, i interviews.Detail) (r report.Report) {
	t.Helper()
	if err := json.Unmarshal(i.Report, &r); err != nil {
		t.Fatalf("report %s: %v", i.Report, err)
	}
	return r
}

// workOn works on the steps of a database until the process is killed. Its lease is short, so that
// others notice its death soon.
func workOn(ctx context.Context, db *store.DB) error {
	b := &organization{}
	b.DB = db
	q, _, err := b.pool(2 * time.Second)
	if err != nil {
		return err
	}
	return q.Run(ctx)
}
