package invite

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/interviews"
)

// Reasons lists the reasons for interviews. The last is the default.
func Reasons() []string {
	return []string{"payout_review", "phase_upgrade", "rule_breach", "random_check", "other"}
}

// TopicGeneral is the topic of questions from which no claim is expected.
const TopicGeneral = "general"

// Topics lists the topics of questions: the topics of claims, and TopicGeneral.
func Topics() []string {
	return []string{
		"holding_time", "instruments", "risk_per_trade", "stop_loss_use", "account_count", "other_people", "account_sharing", "ea_use",
		"news", "hours_timezone", "trades_per_day", "max_loss_day", "martingale_hedging", "strategy_length", TopicGeneral,
	}
}

// MostQuestions returns the most questions that the trader may be asked, and the longest total time
// for thinking about and one take of each. Before the start it includes as many questions from the
// trader's data as may be added.
func MostQuestions(i interviews.Interview) (count int, length time.Duration) {
	count = len(i.Questions)
	budget := time.Duration(0)
	for _, q := range i.Questions {
		length += time.Duration(q.ThinkSeconds+q.MaxSeconds) * time.Second
		budget += time.Duration(q.MaxSeconds*q.MaxTakes) * time.Second
	}
	if i.StartedAt != nil {
		return count, length
	}
	added := min(i.AutoQuestions, automaticRoom(budget))
	return count + added, length + time.Duration(added)*(DefaultThinkSeconds+DefaultMaxSeconds)*time.Second
}

// Question is a question to ask.
type Question struct {
	Prompt       string
	Topic        string
	ThinkSeconds int
	MaxSeconds   int
	MaxTakes     int
	Required     bool
	source       string // custom if empty
	findingKind  *string
}

// The sources of questions.
const (
	sourceTemplate = "template"
	sourceCustom   = "custom"
	sourceAuto     = "auto"
)

// Default times of a question, in seconds.
const (
	DefaultThinkSeconds = 30
	DefaultMaxSeconds   = 120
	DefaultMaxTakes     = 1
)

// MaxRecording limits the length of all takes of an interview together.
const MaxRecording = 3 * time.Hour

// DefaultQuestions are the questions of an interview that is created without any.
func DefaultQuestions() []Question {
	list := []Question{
		{Topic: "strategy_length", Prompt: "How do you trade, in your own words, and how long have you traded like this?"},
		{Topic: "instruments", Prompt: "Which instruments do you trade, and why these?"},
		{Topic: "holding_time", Prompt: "How long do you usually keep a position open, and what makes you close it?"},
		{Topic: "risk_per_trade", Prompt: "How much do you risk on a single trade, and how do you choose its size?"},
		{Topic: "stop_loss_use", Prompt: "How do you use stop losses, and what do you do when a trade goes against you?"},
		{Topic: "hours_timezone", Prompt: "At what hours do you trade, in which time zone, and what do you do around news?"},
		{Topic: "ea_use", Prompt: "Which tools do you use in your trading, such as expert advisors, copiers or signals?"},
		{Topic: "account_sharing", Prompt: "Which accounts do you trade, here and elsewhere, and does anybody else trade them or trade the same way?"},
	}
	for i := range list {
		q := &list[i]
		q.ThinkSeconds, q.MaxSeconds, q.MaxTakes, q.Required, q.source = DefaultThinkSeconds, DefaultMaxSeconds, DefaultMaxTakes, true, sourceTemplate
	}
	return list
}

// Budget returns the longest total length of all takes of the questions.
func Budget(questions []Question) (d time.Duration) {
	for _, q := range questions {
		d += time.Duration(q.MaxSeconds*q.MaxTakes) * time.Second
	}
	return d
}

// insertQuestions adds questions from an index on.
func insertQuestions(ctx context.Context, tx bun.IDB, id uuid.UUID, from int, questions []Question) error {
	for i, q := range questions {
		_, err := tx.NewRaw(`INSERT INTO interview_questions (id, interview_id, index, prompt, topic, think_seconds, max_seconds, max_takes, required, source, finding_kind)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, store.NewID(), id, from+i, q.Prompt, q.Topic, q.ThinkSeconds, q.MaxSeconds, q.MaxTakes, q.Required,
			cmp.Or(q.source, sourceCustom), q.findingKind).Exec(ctx)
		if err != nil {
			return err
		}
	}
	return nil
}

// AddPrepared adds the most questions of those prepared from the trader's data, the best
// first, as far as there is room.
func AddPrepared(ctx context.Context, tx bun.IDB, id uuid.UUID, ready json.RawMessage, most int) error {
	var prepared []interviews.AutoQuestion
	if ready != nil {
		if err := json.Unmarshal(ready, &prepared); err != nil {
			return fmt.Errorf("read prepared questions: %w", err)
		}
	}
	var there struct {
		Count   int   `bun:"count"`
		Seconds int64 `bun:"seconds"`
	}
	err := tx.NewRaw(`SELECT count(*) AS count, coalesce(sum(max_seconds * max_takes), 0) AS seconds FROM interview_questions WHERE interview_id = ?`, id).Scan(ctx, &there)
	if err != nil {
		return err
	}
	var added []Question
	for _, q := range prepared[:min(len(prepared), most, automaticRoom(time.Duration(there.Seconds)*time.Second))] {
		added = append(added, Question{
			Prompt: q.Prompt, Topic: q.Topic, ThinkSeconds: DefaultThinkSeconds, MaxSeconds: DefaultMaxSeconds, MaxTakes: DefaultMaxTakes,
			Required: true, source: sourceAuto, findingKind: store.TextOrNil(q.FindingKind),
		})
	}
	return insertQuestions(ctx, tx, id, there.Count, added)
}

// automaticRoom returns how many questions from the trader's data fit in addition to questions with
// the given total length of takes.
func automaticRoom(budget time.Duration) int {
	return max(int((MaxRecording-budget)/(DefaultMaxSeconds*DefaultMaxTakes*time.Second)), 0)
}
