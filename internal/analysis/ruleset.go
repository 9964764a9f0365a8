package analysis

// Ruleset holds every threshold of the detectors. It is data: presets are JSON
// files, and an organization may keep its own. A limit that is null is not
// checked. Shares are between 0 and 1. The tag "in" holds the least and the
// greatest value of each number.
type Ruleset struct {
	Name        string `json:"name" api:"max=64" example:"ours"`                             // 1 to 64 of a-z, 0-9, _ and -
	Description string `json:"description" api:"max=1000" example:"What our rules ask for."` // at most 1,000 bytes
	// ClusterGapSeconds is the largest gap between opens of one decision.
	ClusterGapSeconds float64 `json:"cluster_gap_seconds" in:"0,31536000"`
	// ContractSizes are units per lot, by symbol group.
	ContractSizes map[string]float64 `json:"contract_sizes" api:"float,items=1000"`

	Bursts       BurstRules        `json:"bursts"`             // D1, many decisions in a short time
	OneSided     OneSidedRules     `json:"one_sided"`          // D2, trading in one direction
	Holding      HoldingRules      `json:"holding"`            // D3, how long positions are held
	LossChasing  LossChasingRules  `json:"loss_chasing"`       // D4, larger size after losses
	Averaging    AveragingRules    `json:"averaging"`          // D5, adding to losing positions
	Revenge      RevengeRules      `json:"revenge"`            // D6, quick and larger re-entry after losses
	LotSize      LotSizeRules      `json:"lot_size"`           // D7, jumps of lot size
	DayShare     DayShareRules     `json:"day_share"`          // D8, results that come from few days
	CopiedTrades CopiedTradesRules `json:"copied_trades"`      // D9, equal trades in two accounts
	Opposite     OppositeRules     `json:"opposite_positions"` // D10, opposite positions in two accounts
	Automation   AutomationRules   `json:"automation"`         // D11, timing that looks scheduled
	News         NewsRules         `json:"news"`               // D12, trading around scheduled news
	StyleBreak   StyleBreakRules   `json:"style_break"`        // D13, a change of how somebody trades
}

// BurstRules are thresholds of D1, many decisions in a short time.
type BurstRules struct {
	WindowSeconds  float64 `json:"window_seconds" in:"0,31536000"`       // span that is looked at
	MinOpens       int     `json:"min_opens" in:"1,1000000"`             // decisions that make a burst
	MediumCount    int     `json:"medium_count" in:"1,1000000"`          // from which number on it is medium
	MediumShare    float64 `json:"medium_share" in:"0,1"`                // of decisions
	HighShare      float64 `json:"high_share" in:"0,1"`                  // from which share on it is high
	HighInMinute   int     `json:"high_in_60s" in:"1,1000000"`           // decisions in 60 seconds that make it high whatever the share
	MaxP           float64 `json:"max_p_adjusted" in:"0,1"`              // of medium and high
	MinDayOpens    int     `json:"min_day_opens" in:"1,1000000"`         // of a day that is tested
	MinSpanSeconds float64 `json:"min_day_span_seconds" in:"0,31536000"` // least span of a day that is tested
}

// OneSidedRules are thresholds of D2, trading in one direction and results that
// come from one symbol, side and day.
type OneSidedRules struct {
	MinDecisions     int      `json:"min_decisions" in:"1,1000000"`      // decisions without which nothing is said
	MediumShare      float64  `json:"medium_share" in:"0,1"`             // from which share on it is medium
	MediumWilsonLow  float64  `json:"medium_wilson_low" in:"0,1"`        // least lower end of the share's interval
	HighShare        float64  `json:"high_share" in:"0,1"`               // from which share on it is high
	HighMinDecisions int      `json:"high_min_decisions" in:"1,1000000"` // decisions that high needs
	HighMinSymbols   int      `json:"high_min_symbols" in:"1,1000000"`   // symbols that high needs
	MaxP             float64  `json:"max_p_adjusted" in:"0,1"`           // adjusted p-value above which it is no more than low
	DailyLossLimit   *float64 `json:"daily_loss_limit" in:"0,1"`         // share of the initial balance
	ProfitTarget     *float64 `json:"profit_target" in:"0,1"`            // share of the initial balance
	MaxOfDailyLimit  *float64 `json:"max_share_of_loss_limit" in:"0,1"`  // lost on one day, symbol and side
	MaxOfTarget      *float64 `json:"max_share_of_target" in:"0,1"`      // won on one day, symbol and side
}

// HoldingRules are thresholds of D3, how long positions are held.
type HoldingRules struct {
	MinTrades         int      `json:"min_trades" in:"1,1000000"`          // trades without which nothing is said
	MinHoldSeconds    *float64 `json:"min_hold_seconds" in:"0,31536000"`   // shortest hold; null: none is asked for, and short holds are low at most
	MediumTradeShare  float64  `json:"medium_trade_share" in:"0,1"`        // under the minimum hold
	MediumProfitShare float64  `json:"medium_profit_share" in:"0,1"`       // of gross profit, under the minimum hold
	ShortHoldSeconds  *float64 `json:"short_hold_seconds" in:"0,31536000"` // a second, longer limit
	ShortHoldShare    float64  `json:"short_hold_share" in:"0,1"`          // of trades or gross profit under it
}

// LossChasingRules are thresholds of D4, larger size after losses.
type LossChasingRules struct {
	SizeRatio       float64 `json:"size_ratio" in:"0,1000"`           // of the decision before, from which size counts as raised
	MinLosses       int     `json:"min_losses" in:"1,1000000"`        // losses without which nothing is said
	MinWins         int     `json:"min_wins" in:"1,1000000"`          // wins without which nothing is said
	MediumRate      float64 `json:"medium_rate" in:"0,1"`             // raised after losses
	MaxP            float64 `json:"max_p_adjusted" in:"0,1"`          // adjusted p-value above which it is no more than low
	HighLadder      int     `json:"high_ladder" in:"1,1000000"`       // losses in a row, each followed by a raise
	HighLadderCount int     `json:"high_ladder_count" in:"1,1000000"` // how often
	HighGrowth      float64 `json:"high_growth" in:"0,1000"`          // of size over one ladder
}

// AveragingRules are thresholds of D5, adding to losing positions.
type AveragingRules struct {
	MinDecisions       int     `json:"min_decisions" in:"1,1000000"`         // decisions without which nothing is said
	LowDepth           int     `json:"low_depth" in:"1,1000000"`             // adverse adds in a basket
	MediumDepth        int     `json:"medium_depth" in:"1,1000000"`          // depth from which on it is medium
	MediumBaskets      int     `json:"medium_baskets" in:"1,1000000"`        // baskets of that depth that medium needs
	GridSteps          int     `json:"grid_steps" in:"1,1000000"`            // steps that make a grid
	GridCV             float64 `json:"grid_step_cv" in:"0,1000"`             // of the distances between steps
	BasketCloses       int     `json:"basket_closes" in:"2,100"`             // closes that end a basket together
	BasketCloseSeconds float64 `json:"basket_close_seconds" in:"0,31536000"` // span in which they lie
}

// RevengeRules are thresholds of D6, quick and larger re-entry after losses.
type RevengeRules struct {
	MaxGapSeconds   float64 `json:"max_gap_seconds" in:"0,31536000"`   // re-entries later than this are not counted
	MinEach         int     `json:"min_each" in:"1,1000000"`           // re-entries after losses, and after wins
	EventGapSeconds float64 `json:"event_gap_seconds" in:"0,31536000"` // longest gap of an event
	EventSizeRatio  float64 `json:"event_size_ratio" in:"0,1000"`      // of the median of the decisions before
	EventMedianOf   int     `json:"event_median_of" in:"1,1000000"`    // decisions that the median is taken of
	MediumRate      float64 `json:"medium_rate" in:"0,1"`              // from which rate on it is medium
	MaxP            float64 `json:"max_p_adjusted" in:"0,1"`           // adjusted p-value above which it is no more than low
}

// LotSizeRules are thresholds of D7, jumps of lot size.
type LotSizeRules struct {
	MinTrades   int      `json:"min_trades" in:"1,1000000"` // trades without which nothing is said
	OutlierZ    float64  `json:"outlier_z" in:"0,1000"`     // modified z-score of ln volume
	BandLow     *float64 `json:"band_low" in:"0,1000"`      // of the average lot
	BandHigh    *float64 `json:"band_high" in:"0,1000"`     // of the average lot
	MediumShare float64  `json:"medium_share" in:"0,1"`     // of trades outside
	HighShare   float64  `json:"high_share" in:"0,1"`       // from which share on it is high
}

// DayShareRules are thresholds of D8, results that come from few days.
type DayShareRules struct {
	MinDays       int      `json:"min_days" in:"1,1000000"`        // with closed trades
	MaxOfNet      *float64 `json:"max_share_of_net" in:"0,1"`      // best day of the net result
	MaxOfPositive *float64 `json:"max_share_of_positive" in:"0,1"` // best day of all positive days
	MaxDailyLoss  *float64 `json:"max_daily_loss" in:"0,1"`        // share of the initial balance
}

// CopiedTradesRules are thresholds of D9, equal trades in two accounts.
type CopiedTradesRules struct {
	MaxLagSeconds float64 `json:"max_lag_seconds" in:"0,31536000"` // longest lag between two opens that match
	MinEach       int     `json:"min_each" in:"1,1000000"`         // decisions of either side without which nothing is said
	DayShifts     int     `json:"day_shifts" in:"1,1000000"`       // in each direction
	MinMatches    int     `json:"min_matches" in:"1,1000000"`      // matches that medium needs
	MediumRate    float64 `json:"medium_rate" in:"0,1"`            // from which rate on it is medium
	HighRate      float64 `json:"high_rate" in:"0,1"`              // from which rate on it is high
	HighLotCV     float64 `json:"high_lot_ratio_cv" in:"0,1000"`   // largest variation of the ratio of lots for high
	HighSymbols   int     `json:"high_symbols" in:"1,1000000"`     // symbols that high needs
	HighDays      int     `json:"high_days" in:"1,1000000"`        // days that high needs
}

// OppositeRules are thresholds of D10, opposite positions in two accounts.
type OppositeRules struct {
	MaxOpenGapSeconds float64 `json:"max_open_gap_seconds" in:"0,31536000"` // longest time between two opens
	MinOverlap        float64 `json:"min_overlap" in:"0,1"`                 // share of the shorter position
	MinVolumeRatio    float64 `json:"min_volume_ratio" in:"0,1000"`         // least ratio of the two volumes
	MaxVolumeRatio    float64 `json:"max_volume_ratio" in:"0,1000"`         // greatest ratio of the two volumes
	LowCount          int     `json:"low_count" in:"1,1000000"`             // from which number on it is low
	MediumCount       int     `json:"medium_count" in:"1,1000000"`          // from which number on it is medium
	HighCount         int     `json:"high_count" in:"1,1000000"`            // from which number on it is high
	HighNetShare      float64 `json:"high_net_share" in:"0,1"`              // |sum of results| of the sum of |results|, below which they cancel out
}

// AutomationRules are thresholds of D11, timing that looks scheduled.
type AutomationRules struct {
	MinDecisions   int     `json:"min_decisions" in:"1,1000000"`     // decisions without which nothing is said
	MaxP           float64 `json:"max_p_adjusted" in:"0,1"`          // adjusted p-value above which it is no more than low
	MaxIdleSeconds float64 `json:"max_idle_seconds" in:"0,31536000"` // longest pause of a day without rest
	IdleDayShare   float64 `json:"idle_day_share" in:"0,1"`          // share of days without such a pause
	MinDays        int     `json:"min_days" in:"1,1000000"`          // days without which nothing is said
	ModalShare     float64 `json:"modal_share" in:"0,1"`             // of one stop or target distance
	MediumSignals  int     `json:"medium_signals" in:"1,1000000"`    // signals that medium needs
}

// NewsRules are thresholds of D12, trading around scheduled news.
type NewsRules struct {
	WindowSeconds    float64  `json:"window_seconds" in:"0,31536000"`    // before and after an event
	ExemptionSeconds *float64 `json:"exemption_seconds" in:"0,31536000"` // positions opened earlier than this may close
	MinDecisions     int      `json:"min_decisions" in:"1,1000000"`      // decisions without which nothing is said
	MediumShare      float64  `json:"medium_share" in:"0,1"`             // from which share on it is medium
	HighShare        float64  `json:"high_share" in:"0,1"`               // from which share on it is high
	MaxP             float64  `json:"max_p_adjusted" in:"0,1"`           // adjusted p-value above which it is no more than low
}

// StyleBreakRules are thresholds of D13, a change of how somebody trades.
type StyleBreakRules struct {
	MinEach        int     `json:"min_each" in:"1,1000000"`    // decisions of either side without which nothing is said
	MediumD        float64 `json:"medium_d" in:"0,1"`          // Kolmogorov–Smirnov distance, at the lower end of its interval
	MaxP           float64 `json:"max_p_adjusted" in:"0,1"`    // adjusted p-value above which it is no more than low
	MediumMixShift float64 `json:"medium_symbol_mix" in:"0,1"` // total variation distance, at the lower end of its interval
}
