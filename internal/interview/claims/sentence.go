package claims

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Sentence writes what a claim states, for "Says: …": "risks about 1% per trade".
func (c Claim) Sentence() string {
	text := c.predicateText()
	if len(c.On) > 0 && c.Topic != Instruments {
		text += " in " + strings.Join(c.On, ", ")
	}
	switch c.Modality {
	case Sometimes:
		text += " (sometimes, or not for certain)"
	case Usually:
		text += " (usually)"
	case Always, Never, Plain:
	}
	return text
}

// predicateText returns the sentence without its limits.
func (c Claim) predicateText() string {
	switch c.Topic {
	case HoldingTime:
		if c.Op == Is {
			return chooseText(c.Bool, "holds positions ", "does not hold positions ") + map[string]string{"overnight": "overnight", "weekend": "over the weekend"}[c.About]
		}
		return "holds positions for " + c.formatAmount(formatDuration)
	case StrategyLength:
		return "has traded like this for " + c.formatAmount(formatDuration)
	case Instruments:
		return chooseText(c.Only, "trades only ", "trades ") + strings.Join(c.Set, ", ")
	case RiskPerTrade:
		return "risks " + c.formatAmount(c.formatMoney) + " per trade"
	case MaxLossDay:
		return "stops at a loss of " + c.formatAmount(c.formatMoney) + " in a day"
	case AccountCount:
		return "has " + c.formatAmount(FormatNumber) + chooseText(c.Op != Range && c.Value == 1, " account", " accounts")
	case TradesPerDay:
		return "takes " + c.formatAmount(FormatNumber) + chooseText(c.Op != Range && c.Value == 1, " trade", " trades") + " a day"
	case Hours:
		return "trades from " + hourOfDay(c.Value) + " to " + hourOfDay(c.High) + c.zoneName()
	case StopLossUse, OtherPeople, AccountSharing, EAUse, News, Averaging:
	}
	return c.soOrNot()
}

// soOrNot writes what is so or is not.
func (c Claim) soOrNot() string {
	forms := map[string][2]string{
		string(StopLossUse):    {"uses a stop loss", "does not use a stop loss"},
		string(OtherPeople):    {"other people trade, too", "trades alone"},
		string(AccountSharing): {"somebody else has access to the account", "nobody else has access to the account"},
		string(EAUse):          {"uses a program, a copier or signals", "uses no program, copier or signals"},
		"program":              {"uses a program to trade", "trades without a program"},
		"copier":               {"copies trades", "does not copy trades"},
		"signals":              {"follows signals", "does not follow signals"},
		string(News):           {"trades around news", "does not trade around news"},
		string(Averaging):      {"averages, doubles or hedges", "does not average, double or hedge"},
		"martingale":           {"increases the size after losses (martingale)", "does not use martingale"},
		"averaging":            {"adds to losing positions", "does not add to losing positions"},
		"scaling":              {"scales into positions", "does not scale into positions"},
		"hedging":              {"hedges", "does not hedge"},
	}
	form, ok := forms[c.About]
	if !ok {
		form = forms[string(c.Topic)]
	}
	text := chooseText(c.Bool, form[0], form[1])
	if c.Modality == Always && c.Bool && c.Topic != OtherPeople && c.Topic != AccountSharing {
		text = "always " + text
	}
	return text
}

func chooseText(yes bool, a, b string) string {
	if yes {
		return a
	}
	return b
}

// formatAmount writes a value with how it is bounded.
func (c Claim) formatAmount(write func(float64) string) string {
	about := chooseText(c.Approximate, "about ", "")
	switch c.Op {
	case AtMost:
		return "at most " + write(c.Value)
	case AtLeast:
		return "at least " + write(c.Value)
	case Range:
		return about + write(c.Value) + " to " + write(c.High)
	case Equal, Is, OneOf:
	}
	return about + write(c.Value)
}

func (c Claim) formatMoney(x float64) string {
	if c.Unit == Percent {
		return FormatNumber(x) + "%"
	}
	return strings.TrimSpace(FormatNumber(x) + " " + c.Currency)
}

// formatDuration writes seconds as people say them, with years and months.
func formatDuration(seconds float64) string {
	for _, unit := range []struct {
		seconds float64
		name    string
	}{{31557600, "year"}, {2629800, "month"}, {86400, "day"}, {3600, "hour"}, {60, "minute"}, {1, "second"}} {
		if seconds >= unit.seconds {
			n := FormatNumber(seconds / unit.seconds)
			return n + " " + unit.name + chooseText(n == "1", "", "s")
		}
	}
	return FormatNumber(seconds) + " seconds"
}

func hourOfDay(h float64) string {
	minutes := int(math.Round(60 * h))
	return fmt.Sprintf("%d:%02d", minutes/60, minutes%60)
}

func (c Claim) zoneName() string {
	switch c.Zone {
	case "":
		return ""
	case OwnZone:
		return " in the trader's own timezone"
	case ServerZone:
		return " on the platform's clock"
	case UnknownZone:
		return " in a timezone that is not known"
	}
	return " (" + c.Zone + ")"
}

// FormatNumber writes a number with at most three significant digits, and at most three decimals.
func FormatNumber(x float64) string {
	switch {
	case math.Abs(x) >= 100:
		return strconv.FormatFloat(x, 'f', 0, 64)
	case math.Abs(x) < 1:
		x = math.Round(1000*x) / 1000
	}
	return strconv.FormatFloat(x, 'g', 3, 64)
}
