package report

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/assayhq/assay/internal/analysis/result"
	"github.com/assayhq/assay/internal/analysis/trades"
	"github.com/assayhq/assay/internal/analysis/wording"
	"github.com/assayhq/assay/internal/interview/claims"
)

// AutoQuestion is a question that is made from the trader's own data.
type AutoQuestion struct {
	Prompt      string // at most MaxPrompt characters
	Topic       string // one of claims.Topics, or general
	FindingKind string
}

// MaxAutoQuestions is how many questions are prepared: as many as an interview may
// ask for.
const MaxAutoQuestions = 5

// MaxPrompt bounds a prompt, in characters.
const MaxPrompt = 1000

// topicGeneral is the topic of questions about which no claim is expected.
const topicGeneral = "general"

// template is the question about findings of a kind. The text states facts of the
// trader's own data, asks for the trader's view of them, accuses nobody, and names
// no rule, no threshold and no other trader's account.
type template struct {
	kinds []string
	topic claims.Topic
	// fact returns what was seen. It is empty if it would reveal something about
	// somebody else.
	fact func(m metrics) string
	ask  string
}

// metrics are those of an activity.
type metrics map[string]result.Metric

// formatCount writes a metric as a whole number, formatShare as percents; both
// write "some" if it has no value.
func (m metrics) formatCount(name string) string {
	if v := m[name].Value; v != nil {
		return wording.FormatText("%d", int(math.Round(*v)))
	}
	return "some"
}

func (m metrics) formatShare(name string) string {
	if v := m[name].Value; v != nil {
		return fmt.Sprintf("about %.0f%%", 100**v)
	}
	return "a part"
}

func (m metrics) formatTime(name string) string {
	v := m[name].Value
	if v == nil {
		return "a short time"
	}
	return formatSeconds(*v)
}

// formatLimit writes a parameter of a metric that is a time.
func (m metrics) formatLimit(name, param string) string {
	if v, ok := m[name].Params[param].(float64); ok {
		return formatSeconds(v)
	}
	return "a short time"
}

func formatSeconds(seconds float64) string {
	switch {
	case seconds < 120:
		return fmt.Sprintf("%.0f seconds", seconds)
	case seconds < 7200:
		return fmt.Sprintf("%.0f minutes", seconds/60)
	}
	return fmt.Sprintf("%.0f hours", seconds/3600)
}

func allTemplates() []template {
	return []template{
		{[]string{"bursts"}, topicGeneral, func(m metrics) string {
			return fmt.Sprintf("%s times you opened several positions within %s. The most within two minutes were %s.",
				m.formatCount("burst_count"), m.formatLimit("burst_count", "window_seconds"), m.formatCount("max_in_120s"))
		}, "What leads to these entries?"},
		{[]string{"one_sided_direction"}, topicGeneral, func(m metrics) string {
			return fmt.Sprintf("%s of your trades went in the same direction.", m.formatShare("side_share"))
		}, "How do you decide between buying and selling?"},
		{[]string{"one_sided_loss", "one_sided_gain"}, topicGeneral, func(metrics) string {
			return "On one day, a large part of your result came from one side of one symbol."
		}, "What did you see that day, and how did you choose the sizes?"},
		{[]string{"day_concentration", "day_concentration_net"}, topicGeneral, func(m metrics) string {
			return fmt.Sprintf("Your best day made %s of the profit of all your winning days.", m.formatShare("best_day_share_of_positive"))
		}, "What happened on that day, and how did you choose the sizes?"},
		{[]string{"short_holding", "short_holding_long_limit"}, claims.HoldingTime, func(m metrics) string {
			return fmt.Sprintf("Half of your positions were closed within %s.", m.formatTime("hold_p50"))
		}, "What makes you close a position, and how long do you plan to hold when you open it?"},
		{[]string{"loss_chasing"}, claims.Averaging, func(m metrics) string {
			return fmt.Sprintf("After %s of your losing trades, the next trade in the same symbol was larger.", m.formatShare("raise_rate_after_loss"))
		}, "How do you choose the size of the next trade after a loss?"},
		{[]string{"averaging_down"}, claims.Averaging, func(m metrics) string {
			return fmt.Sprintf("In %s cases you added to a position after the price had moved against it.", m.formatCount("averaging_baskets"))
		}, "When do you add to a position, and when do you stop?"},
		{[]string{"revenge"}, topicGeneral, func(m metrics) string {
			return fmt.Sprintf("When you traded again within %s of a loss, half of these trades followed within %s.",
				m.formatLimit("revenge_rate", "max_gap_seconds"), m.formatTime("reentry_after_loss"))
		}, "What do you do after a losing trade, and what brings you back into the market?"},
		{[]string{"lot_size"}, claims.RiskPerTrade, func(m metrics) string {
			return fmt.Sprintf("%s of your trades had a size far from your usual one.", m.formatShare("lot_outside_share"))
		}, "How do you choose the size of a trade, and when do you use a different one?"},
		{[]string{"daily_loss"}, claims.MaxLossDay, func(m metrics) string {
			return fmt.Sprintf("On your worst day, closed trades lost %s of the initial balance.", m.formatShare("closed_daily_loss"))
		}, "How do you limit your daily loss, and what happened on that day?"},
		{[]string{"copied_trades"}, claims.OtherPeople, nil, "How are trades placed in each of your accounts, which tools do you use, and who else trades this strategy?"},
		{[]string{"opposite_positions"}, claims.Averaging, nil, "When do you hold positions in opposite directions at the same time, in one account or in several, and why?"},
		{[]string{"automation"}, claims.EAUse, func(m metrics) string {
			return fmt.Sprintf("Your trades were opened in %s different hours of the day.", m.formatCount("hours_traded"))
		}, "Which tools, such as expert advisors, copiers, alerts or signals, do you use in your trading, and what does each of them do?"},
		{[]string{"news"}, claims.News, func(m metrics) string {
			return fmt.Sprintf("%s of your trades were opened close to scheduled news.", m.formatShare("news_open_share"))
		}, "How do you trade around news?"},
		{[]string{"style_break"}, claims.HoldingTime, func(metrics) string {
			return "Your holding times, trade sizes or instruments have changed over time."
		}, "What has changed in how you trade, when, and why?"},
	}
}

// Questions makes questions from what was found in the trader's data, the most
// important finding first, one for each subject.
func Questions(in *trades.Input, act *result.Activity) (list []AutoQuestion) {
	asked := map[int]bool{}
	for _, d := range act.Findings() {
		if d.Severity.Rank() < result.Low.Rank() || len(list) == MaxAutoQuestions {
			continue
		}
		for i, t := range allTemplates() {
			if !asked[i] && t.isAbout(d.Kind) {
				asked[i] = true
				list = append(list, AutoQuestion{Prompt: t.makePrompt(in, act, d), Topic: string(t.topic), FindingKind: d.Kind})
			}
		}
	}
	return list
}

func (t template) isAbout(kind string) bool {
	for _, k := range t.kinds {
		if k == kind {
			return true
		}
	}
	return false
}

// makePrompt returns the prompt about a finding.
func (t template) makePrompt(in *trades.Input, act *result.Activity, d result.Detection) string {
	if t.fact == nil {
		return t.ask
	}
	fact := t.fact(act.Metrics)
	fact = strings.ToUpper(fact[:1]) + fact[1:]
	if example := nameExample(in, d.Evidence); example != "" {
		fact += " One of them is " + example + "."
	}
	return fact + " " + t.ask
}

// maxSymbol bounds a symbol in a prompt, in bytes.
const maxSymbol = 24

// nameExample names one of the trader's own trades, if there is room.
func nameExample(in *trades.Input, seen []result.Evidence) string {
	for _, e := range seen {
		for i := range in.Trades {
			trade := &in.Trades[i]
			account := in.Accounts[trade.Account]
			if trade.ID != e.TradeID || account.ID != e.AccountID || account.Peer || !isPlain(in.Symbols[trade.Symbol]) {
				continue
			}
			zone := in.Location
			if zone == nil {
				zone = time.UTC
			}
			return fmt.Sprintf("the %s of %s on %s", trade.Side, in.Symbols[trade.Symbol], time.UnixMicro(trade.Open).In(zone).Format("2 January 2006 at 15:04 MST"))
		}
	}
	return ""
}

// isPlain reports whether a symbol looks like one, because it comes from a
// platform, and a person reads it.
func isPlain(symbol string) bool {
	return symbol != "" && len(symbol) <= maxSymbol && strings.Trim(symbol, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._#/-") == ""
}
