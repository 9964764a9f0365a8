package demo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
)

// interviewsFile is kept once the sample interviews are made, so that those which somebody deletes stay
// deleted.
const interviewsFile = "interviews"

// reportLimit bounds the wait for the reports that are decided on.
const reportLimit = 2 * time.Minute

// stage is how far a trader goes with an interview.
type stage int

const (
	invited   stage = iota
	opened          // looks at the link's page
	declined        // does not consent
	started         // leaves in the middle
	submitted       // answers every question
)

// question is a question of a sample interview, with the trader's answer.
type question struct {
	Topic  string `json:"topic"`
	Prompt string `json:"prompt"`
	answer string
	mode   string // one of answerModes
}

// The modes of answers.
const (
	onCamera = "video"
	byVoice  = "audio"
	written  = "text"
)

// sample is an interview that the demo makes.
type sample struct {
	reference, reason string
	to                stage
	questions         []question
	auto              int           // questions about the trader's own trades, which assay adds
	leaves            bool          // the page for a while during the first answer
	age               time.Duration // by which it is put back, so that its time is over
	abandoned         bool          // by each process that worked on its report
	decision, why     string        // of the person who reviewed it
	communicated      bool          // the trader knows the decision
	comment           string
}

// The questions of the samples.
func askHolding(mode, answer string) question {
	return question{"holding_time", "How long do you usually hold a position?", answer, mode}
}

func askRisk(mode, answer string) question {
	return question{"risk_per_trade", "How much of the account do you risk on one trade?", answer, mode}
}

func askStops(mode, answer string) question {
	return question{"stop_loss_use", "Do you use a stop loss?", answer, mode}
}

func askInstruments(mode, answer string) question {
	return question{"instruments", "Which instruments do you trade?", answer, mode}
}

func askPrograms(mode, answer string) question {
	return question{"ea_use", "Do you use expert advisors or other programs?", answer, mode}
}

// otherAnswer is what a trader writes to questions that assay adds.
const otherAnswer = "The market moved the way I expected, so I kept to my plan. I don't remember more about it."

// listSamples lists interviews in every state that an interview can be brought into by use. Those that are decided on
// come first, because their reports are waited for.
func listSamples() []sample {
	unanswered := []question{askHolding(onCamera, ""), askRisk(onCamera, ""), askStops(onCamera, "")}
	return []sample{
		{
			reference: "DEMO-1", reason: "payout_review", to: submitted, questions: []question{
				askHolding(written, "Most of my positions stay open for several hours, some overnight."),
				askInstruments(written, "Mainly gold and the major currency pairs, and sometimes the Nasdaq."),
				askPrograms(written, "No, I place every trade by hand."),
			}, decision: "approved", why: "The answers agree with the trades.", communicated: true,
		},
		{
			reference: "DEMO-2", reason: "rule_breach", to: submitted, questions: []question{
				askHolding(byVoice, "I keep a position for two or three minutes."),
				askInstruments(written, "Only gold."),
				askStops(written, "Yes, always. I never open a trade without a stop loss."),
			}, decision: "rejected", why: "Positions were open for hours, in many instruments, and many of them without a stop loss.",
			comment: "Two or three minutes? Look at the holding times beside it.",
		},
		{
			reference: "DEMO-3", reason: "phase_upgrade", to: submitted, questions: []question{
				askHolding(written, "It depends on the market."),
				askRisk(written, "Around one percent, two at most."),
				askStops(written, "On most trades."),
			}, decision: "needs_review", why: "Ask again how long positions are held.",
		},
		{
			reference: "DEMO-4", reason: "payout_review", to: submitted, leaves: true, auto: 2, questions: []question{
				askHolding(onCamera, "Usually about five minutes."),
				askStops(onCamera, "I use a stop loss on every trade."),
				askInstruments(onCamera, "Only the euro against the dollar."),
			},
		},
		{
			reference: "DEMO-5", reason: "payout_review", to: submitted, questions: []question{
				askHolding(onCamera, "I keep them open for several hours."),
				askRisk(byVoice, "I never risk more than one percent."),
				askPrograms(written, "No. I trade by hand on my phone."),
			},
		},
		{reference: "DEMO-6", reason: "random_check", to: started, questions: unanswered},
		{reference: "DEMO-7", reason: "phase_upgrade", to: opened, questions: unanswered},
		{reference: "DEMO-8", reason: "payout_review", to: declined, questions: unanswered},
		{reference: "DEMO-9", reason: "random_check", to: invited, questions: unanswered, age: 4 * 24 * time.Hour},
		{reference: "DEMO-10", reason: "rule_breach", to: started, questions: unanswered, age: 5 * 24 * time.Hour},
		{reference: "DEMO-11", reason: "payout_review", to: submitted, abandoned: true, questions: []question{askHolding(byVoice, "For about one hour.")}},
	}
}

// ensureInterviews makes the sample interviews once. Their absence does not stop the start, because
// everything else can be used without them.
func (s *Stack) ensureInterviews(ctx context.Context, api *client, databaseURL string) error {
	if made, err := s.readKept(interviewsFile); err != nil || made != "" {
		return err
	}
	err := s.makeInterviews(ctx, api, databaseURL)
	if err != nil && ctx.Err() == nil {
		s.warn("not all sample interviews are made, the next start goes on with them: %v", err)
		return nil
	}
	if err != nil {
		return err
	}
	return os.WriteFile(s.keptPath(interviewsFile), []byte("made\n"), 0o600)
}

func (s *Stack) makeInterviews(ctx context.Context, api *client, databaseURL string) error {
	ids, err := chooseTraders(ctx, api)
	if err != nil {
		return err
	}
	all := listSamples()
	if len(ids) < len(all) {
		return fmt.Errorf("%d traders have asked for payouts, and %d are needed", len(ids), len(all))
	}
	made := make(map[string]sample)
	for i, one := range all {
		s.Say("making sample interviews: %d of %d", i+1, len(all))
		id, err := s.makeInterview(ctx, api, one, ids[i])
		if err == nil && id != "" && one.age > 0 {
			err = putBack(ctx, databaseURL, id, one.age)
		}
		if err == nil && id != "" && one.abandoned {
			err = abandonReport(ctx, databaseURL, id)
		}
		if err != nil {
			return fmt.Errorf("interview %s: %w", one.reference, err)
		}
		if id != "" && one.decision != "" {
			made[id] = one
		}
	}
	s.Say("making sample interviews: waiting for reports")
	for id, one := range made {
		if err := decide(ctx, api, id, one); err != nil {
			return fmt.Errorf("interview %s: %w", one.reference, err)
		}
	}
	return nil
}

// chooseTraders returns the ids of traders who have asked for payouts, with the most trades first.
func chooseTraders(ctx context.Context, api *client) ([]string, error) {
	var payouts struct {
		Data []struct {
			Trader *struct {
				ID string `json:"id"`
			} `json:"trader"`
		} `json:"data"`
	}
	if err := api.callAPI(ctx, http.MethodGet, "/v1/payouts?limit=100", nil, &payouts); err != nil {
		return nil, err
	}
	trades := make(map[string]int)
	for _, p := range payouts.Data {
		if p.Trader == nil {
			continue
		}
		if _, known := trades[p.Trader.ID]; known {
			continue
		}
		var trader struct {
			Stats struct {
				ClosedTrades int `json:"closed_trades"`
			} `json:"stats"`
		}
		if err := api.callAPI(ctx, http.MethodGet, "/v1/traders/"+p.Trader.ID, nil, &trader); err != nil {
			return nil, err
		}
		trades[p.Trader.ID] = trader.Stats.ClosedTrades
	}
	ids := make([]string, 0, len(trades))
	for id := range trades {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b string) int { return cmp.Or(trades[b]-trades[a], cmp.Compare(a, b)) })
	return ids, nil
}

// makeInterview makes an interview and goes with it as far as its trader does. The id is empty if
// the interview is there already.
func (s *Stack) makeInterview(ctx context.Context, api *client, one sample, trader string) (id string, err error) {
	var made struct {
		Interview struct {
			ID string `json:"id"`
		} `json:"interview"`
		InviteURL string `json:"invite_url"`
	}
	err = api.callAPI(ctx, http.MethodPost, "/v1/interviews", map[string]any{
		"trader_id": trader, "reference": one.reference, "reason": one.reason, "questions": one.questions, "auto_questions": one.auto,
		"answer_modes": []string{onCamera, byVoice, written},
	}, &made)
	if refused, ok := errors.AsType[*apiError](err); ok && refused.status == http.StatusConflict {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	t := openLink(made.InviteURL)
	switch one.to {
	case opened:
		err = t.look(ctx)
	case declined:
		err = t.decline(ctx)
	case started:
		_, err = t.start(ctx)
	case submitted:
		err = s.answerAll(ctx, t, one)
	}
	return made.Interview.ID, err
}

// answerAll answers an interview and submits it.
func (s *Stack) answerAll(ctx context.Context, t *trader, one sample) error {
	asked, err := t.start(ctx)
	if err != nil {
		return err
	}
	for i, id := range asked {
		q := question{answer: otherAnswer, mode: written}
		if i < len(one.questions) {
			q = one.questions[i]
		}
		if err := t.serve(ctx, id); err != nil {
			return err
		}
		if q.mode == written || !s.Recordings {
			err = t.write(ctx, id, q.answer)
		} else {
			err = t.speak(ctx, id, q.mode, i == 0 && one.leaves, func() (recording, error) { return s.record(ctx, q.answer, q.mode == onCamera) })
		}
		if err != nil {
			return err
		}
	}
	return t.submit(ctx)
}

// putBack makes an interview older, so that its time is over. The scheduler ends it.
func putBack(ctx context.Context, databaseURL, id string, age time.Duration) error {
	db, err := pgx.Connect(ctx, databaseURL)
	if err != nil {
		return err
	}
	defer db.Close(ctx)
	for _, statement := range []string{
		`UPDATE interview_consents SET decided_at = decided_at - $2::interval WHERE interview_id = $1`,
		`UPDATE interview_devices SET checked_at = checked_at - $2::interval WHERE interview_id = $1`,
		`UPDATE interviews SET created_at = created_at - $2::interval, opened_at = opened_at - $2::interval, started_at = started_at - $2::interval,
    invite_expires_at = invite_expires_at - $2::interval, complete_by = complete_by - $2::interval WHERE id = $1`,
	} {
		if _, err := db.Exec(ctx, statement, id, age); err != nil {
			return err
		}
	}
	return nil
}

// abandonReport leaves the report of an interview as processes do that have died on it again and again. The next
// one gives it up, and a person may ask for it once more.
func abandonReport(ctx context.Context, databaseURL, id string) error {
	db, err := pgx.Connect(ctx, databaseURL)
	if err != nil {
		return err
	}
	defer db.Close(ctx)
	const deaths = 10 // as many processes have to die until a step is given up
	_, err = db.Exec(ctx, `UPDATE interview_steps SET status = 'running', attempts = $2, job_at = now(), leased_until = now(), started_at = now()
WHERE interview_id = $1 AND step = 'report' AND status IN ('pending', 'queued')`, id, deaths)
	return err
}

// decide decides on an interview as a reviewer does, when its report is there.
func decide(ctx context.Context, api *client, id string, one sample) error {
	path := "/v1/interviews/" + id
	limited, cancel := context.WithTimeout(ctx, reportLimit)
	defer cancel()
	for {
		var interview struct {
			Status string `json:"status"`
		}
		if err := api.callAPI(limited, http.MethodGet, path, nil, &interview); err != nil {
			return err
		}
		if interview.Status == "completed" {
			break
		}
		select {
		case <-time.After(time.Second):
		case <-limited.Done():
			return fmt.Errorf("no report after %s: %w", reportLimit, limited.Err())
		}
	}
	if one.comment != "" {
		if err := api.callAPI(ctx, http.MethodPost, path+"/comments", map[string]any{"body": one.comment, "at_ms": 500}, nil); err != nil {
			return err
		}
	}
	if err := api.callAPI(ctx, http.MethodPost, path+"/decision", map[string]any{"decision": one.decision, "reason": one.why}, nil); err != nil || !one.communicated {
		return err
	}
	return api.callAPI(ctx, http.MethodPatch, path+"/communication", map[string]any{"done": true}, nil)
}
