// Package ruleset holds the thresholds of the detectors: assay's presets and those of firms.
package ruleset

// Ruleset is every threshold of the detectors. assay has presets, and an organization can have
// its own ruleset. A limit that is null is not checked. Shares are between 0 and 1.
type Ruleset struct {
	// The tag "in" holds the smallest and the largest value of a number.

	Name        string `json:"name" api:"max=64" example:"ours"`                             // name of the ruleset: 1 to 64 characters of a-z, 0-9, `_`, and `-`
	Description string `json:"description" api:"max=1000" example:"What our rules ask for."` // description of the ruleset, at most 1,000 characters
	// Largest gap between opens of one decision, in seconds. It has at most five gaps.
	ClusterGapSeconds float64 `json:"cluster_gap_seconds" in:"0,31536000"`
	// Units per lot, by symbol group.
	ContractSizes map[string]float64 `json:"contract_sizes" api:"float,items=1000"`

	Bursts       BurstRules        `json:"bursts"`             // D1: many decisions in a short time
	OneSided     OneSidedRules     `json:"one_sided"`          // D2: trading in one direction
	Holding      HoldingRules      `json:"holding"`            // D3: how long positions are held
	LossChasing  LossChasingRules  `json:"loss_chasing"`       // D4: larger size after losses
	Averaging    AveragingRules    `json:"averaging"`          // D5: adding to losing positions
	Revenge      RevengeRules      `json:"revenge"`            // D6: quick and larger re-entry after losses
	LotSize      LotSizeRules      `json:"lot_size"`           // D7: jumps in lot size
	DayShare     DayShareRules     `json:"day_share"`          // D8: results that come from a few days
	CopiedTrades CopiedTradesRules `json:"copied_trades"`      // D9: equal trades in two accounts
	Opposite     OppositeRules     `json:"opposite_positions"` // D10: opposite positions in two accounts
	Automation   AutomationRules   `json:"automation"`         // D11: timing that looks scheduled
	News         NewsRules         `json:"news"`               // D12: trading around scheduled news
	StyleBreak   StyleBreakRules   `json:"style_break"`        // D13: a change in how a trader trades
}

// BurstRules are thresholds of D1, many decisions in a short time.
type BurstRules struct {
	WindowSeconds  float64 `json:"window_seconds" in:"0,31536000"`       // length of the sliding window in seconds
	MinOpens       int     `json:"min_opens" in:"1,1000000"`             // number of decisions in the window that make a burst
	MediumCount    int     `json:"medium_count" in:"1,1000000"`          // number of bursts that medium severity requires
	MediumShare    float64 `json:"medium_share" in:"0,1"`                // share of decisions in bursts that medium severity requires
	HighShare      float64 `json:"high_share" in:"0,1"`                  // share of decisions in bursts from which the severity is high
	HighInMinute   int     `json:"high_in_60s" in:"1,1000000"`           // number of decisions in 60 seconds from which the severity is high regardless of the share
	MaxP           float64 `json:"max_p_adjusted" in:"0,1"`              // adjusted p-value that medium and high severity must stay below
	MinDayOpens    int     `json:"min_day_opens" in:"1,1000000"`         // smallest number of decisions on a day that is tested
	MinSpanSeconds float64 `json:"min_day_span_seconds" in:"0,31536000"` // smallest time span, in seconds, that is assumed for a day that is tested
}

// OneSidedRules are thresholds of D2, trading in one direction, and results that come from one
// symbol, side, and day.
type OneSidedRules struct {
	MinDecisions     int      `json:"min_decisions" in:"1,1000000"`      // smallest number of decisions for a result
	MediumShare      float64  `json:"medium_share" in:"0,1"`             // share from which the severity is medium
	MediumWilsonLow  float64  `json:"medium_wilson_low" in:"0,1"`        // smallest lower end of the share's confidence interval that medium and high severity require
	HighShare        float64  `json:"high_share" in:"0,1"`               // share from which the severity is high
	HighMinDecisions int      `json:"high_min_decisions" in:"1,1000000"` // number of decisions that high severity requires
	HighMinSymbols   int      `json:"high_min_symbols" in:"1,1000000"`   // number of symbols that high severity requires
	MaxP             float64  `json:"max_p_adjusted" in:"0,1"`           // adjusted p-value from which the severity is at most low
	DailyLossLimit   *float64 `json:"daily_loss_limit" in:"0,1"`         // daily loss limit as a share of the initial balance
	ProfitTarget     *float64 `json:"profit_target" in:"0,1"`            // profit target as a share of the initial balance
	MaxOfDailyLimit  *float64 `json:"max_share_of_loss_limit" in:"0,1"`  // largest share of the daily loss limit that may be lost on one day, symbol, and side
	MaxOfTarget      *float64 `json:"max_share_of_target" in:"0,1"`      // largest share of the profit target that may be won on one day, symbol, and side
}

// HoldingRules are thresholds of D3, how long positions are held.
type HoldingRules struct {
	MinTrades int `json:"min_trades" in:"1,1000000"` // smallest number of trades for a result
	// Minimum holding time in seconds. If null, short holds have at most low severity.
	MinHoldSeconds    *float64 `json:"min_hold_seconds" in:"0,31536000"`
	MediumTradeShare  float64  `json:"medium_trade_share" in:"0,1"`        // share of trades under the minimum holding time from which the severity is medium
	MediumProfitShare float64  `json:"medium_profit_share" in:"0,1"`       // share of gross profit under the minimum holding time from which the severity is medium
	ShortHoldSeconds  *float64 `json:"short_hold_seconds" in:"0,31536000"` // A second, longer limit in seconds
	ShortHoldShare    float64  `json:"short_hold_share" in:"0,1"`          // share of trades or gross profit under the second limit
}

// LossChasingRules are thresholds of D4, larger size after losses.
type LossChasingRules struct {
	SizeRatio       float64 `json:"size_ratio" in:"0,1000"`           // ratio to the size of the previous decision from which the size counts as raised
	MinLosses       int     `json:"min_losses" in:"1,1000000"`        // smallest number of losses for a result
	MinWins         int     `json:"min_wins" in:"1,1000000"`          // smallest number of wins for a result
	MediumRate      float64 `json:"medium_rate" in:"0,1"`             // rate of raises after losses from which the severity is medium
	MaxP            float64 `json:"max_p_adjusted" in:"0,1"`          // adjusted p-value from which the severity is at most low
	HighLadder      int     `json:"high_ladder" in:"1,1000000"`       // number of consecutive losses, each followed by a raise, that make a ladder
	HighLadderCount int     `json:"high_ladder_count" in:"1,1000000"` // number of ladders that high severity requires
	HighGrowth      float64 `json:"high_growth" in:"0,1000"`          // growth of the size over one ladder that high severity requires instead
}

// AveragingRules are thresholds of D5, adding to losing positions.
type AveragingRules struct {
	MinDecisions       int     `json:"min_decisions" in:"1,1000000"`         // smallest number of decisions for a result
	LowDepth           int     `json:"low_depth" in:"1,1000000"`             // number of adverse additions in a basket from which the severity is low
	MediumDepth        int     `json:"medium_depth" in:"1,1000000"`          // number of adverse additions in a basket from which the basket counts for medium severity
	MediumBaskets      int     `json:"medium_baskets" in:"1,1000000"`        // number of baskets of that depth that medium severity requires
	GridSteps          int     `json:"grid_steps" in:"1,1000000"`            // number of steps that make a grid
	GridCV             float64 `json:"grid_step_cv" in:"0,1000"`             // largest coefficient of variation of the distances between the steps of a grid
	BasketCloses       int     `json:"basket_closes" in:"2,100"`             // number of closes that end a basket together
	BasketCloseSeconds float64 `json:"basket_close_seconds" in:"0,31536000"` // time span in seconds within which these closes lie
}

// RevengeRules are thresholds of D6, quick and larger re-entry after losses.
type RevengeRules struct {
	MaxGapSeconds   float64 `json:"max_gap_seconds" in:"0,31536000"`   // Longest gap before a re-entry, in seconds. Later re-entries are not counted.
	MinEach         int     `json:"min_each" in:"1,1000000"`           // smallest number of re-entries after losses, and after wins, for a result
	EventGapSeconds float64 `json:"event_gap_seconds" in:"0,31536000"` // longest gap of an event, in seconds
	EventSizeRatio  float64 `json:"event_size_ratio" in:"0,1000"`      // smallest size of an event, as a ratio to the median size of the previous decisions
	EventMedianOf   int     `json:"event_median_of" in:"1,1000000"`    // number of decisions from which the median is computed
	MediumRate      float64 `json:"medium_rate" in:"0,1"`              // rate from which the severity is medium
	MaxP            float64 `json:"max_p_adjusted" in:"0,1"`           // adjusted p-value from which the severity is at most low
}

// LotSizeRules are thresholds of D7, jumps in lot size.
type LotSizeRules struct {
	MinTrades   int      `json:"min_trades" in:"1,1000000"` // smallest number of trades for a result
	OutlierZ    float64  `json:"outlier_z" in:"0,1000"`     // modified z-score of ln volume above which a trade is an outlier
	BandLow     *float64 `json:"band_low" in:"0,1000"`      // Lower end of the allowed band, as a ratio to the average lots. Without a band, low severity at most.
	BandHigh    *float64 `json:"band_high" in:"0,1000"`     // upper end of the allowed band, as a ratio to the average lots
	MediumShare float64  `json:"medium_share" in:"0,1"`     // share of trades outside the band from which the severity is medium
	HighShare   float64  `json:"high_share" in:"0,1"`       // share from which the severity is high
}

// HasBand reports whether the ruleset limits sizes.
func (r *LotSizeRules) HasBand() bool { return r.BandLow != nil || r.BandHigh != nil }

// DayShareRules are thresholds of D8, results that come from a few days.
type DayShareRules struct {
	MinDays       int      `json:"min_days" in:"1,1000000"`        // smallest number of days with closed trades for a result
	MaxOfNet      *float64 `json:"max_share_of_net" in:"0,1"`      // largest share of the net result that the best day may have
	MaxOfPositive *float64 `json:"max_share_of_positive" in:"0,1"` // Largest share of the sum of all positive days that the best day may have. If null, low severity at most.
	MaxDailyLoss  *float64 `json:"max_daily_loss" in:"0,1"`        // largest loss on one day, as a share of the initial balance
}

// CopiedTradesRules are thresholds of D9, equal trades in two accounts.
type CopiedTradesRules struct {
	MaxLagSeconds float64 `json:"max_lag_seconds" in:"0,31536000"` // longest lag between two matching opens, in seconds
	MinEach       int     `json:"min_each" in:"1,1000000"`         // smallest number of decisions in each account for a result
	DayShifts     int     `json:"day_shifts" in:"1,1000000"`       // number of days by which the trades are shifted in each direction for comparison
	MinMatches    int     `json:"min_matches" in:"1,1000000"`      // number of matches that medium severity requires
	MediumRate    float64 `json:"medium_rate" in:"0,1"`            // rate from which the severity is medium
	HighRate      float64 `json:"high_rate" in:"0,1"`              // rate from which the severity is high
	HighLotCV     float64 `json:"high_lot_ratio_cv" in:"0,1000"`   // largest coefficient of variation of the ratio of lots at which the severity can be high
	HighSymbols   int     `json:"high_symbols" in:"1,1000000"`     // number of symbols that high severity requires
	HighDays      int     `json:"high_days" in:"1,1000000"`        // number of days that high severity requires
}

// OppositeRules are thresholds of D10, opposite positions in two accounts.
type OppositeRules struct {
	MaxOpenGapSeconds float64 `json:"max_open_gap_seconds" in:"0,31536000"` // longest time between the two opens, in seconds
	MinOverlap        float64 `json:"min_overlap" in:"0,1"`                 // smallest overlap of the two positions, as a share of the shorter one
	MinVolumeRatio    float64 `json:"min_volume_ratio" in:"0,1000"`         // smallest ratio of the two volumes
	MaxVolumeRatio    float64 `json:"max_volume_ratio" in:"0,1000"`         // largest ratio of the two volumes
	LowCount          int     `json:"low_count" in:"1,1000000"`             // number of opposite positions from which the severity is low
	MediumCount       int     `json:"medium_count" in:"1,1000000"`          // number of opposite positions from which the severity is medium
	HighCount         int     `json:"high_count" in:"1,1000000"`            // number of opposite positions from which the severity is high
	HighNetShare      float64 `json:"high_net_share" in:"0,1"`              // share of the sum of absolute results below which the absolute value of the sum counts as canceled out
}

// AutomationRules are thresholds of D11, timing that looks scheduled.
type AutomationRules struct {
	MinDecisions   int     `json:"min_decisions" in:"1,1000000"`     // smallest number of decisions for a result
	MaxP           float64 `json:"max_p_adjusted" in:"0,1"`          // adjusted p-value from which the severity is at most low
	MaxIdleSeconds float64 `json:"max_idle_seconds" in:"0,31536000"` // longest pause in seconds on a day that counts as a day without rest
	IdleDayShare   float64 `json:"idle_day_share" in:"0,1"`          // share of days without rest from which it is a signal
	MinDays        int     `json:"min_days" in:"1,1000000"`          // smallest number of days for a result
	ModalShare     float64 `json:"modal_share" in:"0,1"`             // share of the most frequent stop or target distance from which it is a signal
	MediumSignals  int     `json:"medium_signals" in:"1,1000000"`    // number of signals that medium severity requires
}

// NewsRules are thresholds of D12, trading around scheduled news.
type NewsRules struct {
	WindowSeconds    float64  `json:"window_seconds" in:"0,31536000"`    // length of the window before and after an event, in seconds
	ExemptionSeconds *float64 `json:"exemption_seconds" in:"0,31536000"` // positions that were opened at least this many seconds earlier may close in the window
	MinDecisions     int      `json:"min_decisions" in:"1,1000000"`      // smallest number of decisions for a result
	MediumShare      float64  `json:"medium_share" in:"0,1"`             // share from which the severity is medium
	HighShare        float64  `json:"high_share" in:"0,1"`               // share from which the severity is high
	MaxP             float64  `json:"max_p_adjusted" in:"0,1"`           // adjusted p-value from which the severity is at most low
}

// StyleBreakRules are thresholds of D13, a change in how a trader trades.
type StyleBreakRules struct {
	MinEach        int     `json:"min_each" in:"1,1000000"`    // smallest number of decisions before and after the change for a result
	MediumD        float64 `json:"medium_d" in:"0,1"`          // smallest Kolmogorov–Smirnov distance for medium severity, measured at the lower end of its confidence interval
	MaxP           float64 `json:"max_p_adjusted" in:"0,1"`    // adjusted p-value from which the severity is at most low
	MediumMixShift float64 `json:"medium_symbol_mix" in:"0,1"` // smallest total variation distance for medium severity, measured at the lower end of its confidence interval
}
