package analysis

// Ruleset holds every threshold of the detectors. It is data: presets are JSON
// files, and an organization may keep its own. A limit that is null is not
// checked. Shares are between 0 and 1.
type Ruleset struct {
	Name        string `json:"name"`        // 1 to 64 of a-z, 0-9, _ and -
	Description string `json:"description"` // at most 1,000 bytes
	// ClusterGapSeconds is the largest gap between opens of one decision.
	ClusterGapSeconds float64 `json:"cluster_gap_seconds"`
	// SignificanceQ is the false discovery rate of the correction.
	SignificanceQ float64 `json:"significance_q"`
	// ContractSizes are units per lot, by symbol group.
	ContractSizes map[string]float64 `json:"contract_sizes"`

	Bursts       BurstRules        `json:"bursts"`
	OneSided     OneSidedRules     `json:"one_sided"`
	Holding      HoldingRules      `json:"holding"`
	LossChasing  LossChasingRules  `json:"loss_chasing"`
	Averaging    AveragingRules    `json:"averaging"`
	Revenge      RevengeRules      `json:"revenge"`
	LotSize      LotSizeRules      `json:"lot_size"`
	DayShare     DayShareRules     `json:"day_share"`
	CopiedTrades CopiedTradesRules `json:"copied_trades"`
	Opposite     OppositeRules     `json:"opposite_positions"`
	Automation   AutomationRules   `json:"automation"`
	News         NewsRules         `json:"news"`
	StyleBreak   StyleBreakRules   `json:"style_break"`
}

// BurstRules are thresholds of D1, many decisions in a short time.
type BurstRules struct {
	WindowSeconds  float64 `json:"window_seconds"`
	MinOpens       int     `json:"min_opens"` // decisions that make a burst
	MediumCount    int     `json:"medium_count"`
	MediumShare    float64 `json:"medium_share"` // of decisions
	HighShare      float64 `json:"high_share"`
	HighInMinute   int     `json:"high_in_60s"`    // decisions in 60 seconds, at which no p is asked for
	MaxP           float64 `json:"max_p_adjusted"` // of medium and high
	MinDayOpens    int     `json:"min_day_opens"`  // of a day that is tested
	MinSpanSeconds float64 `json:"min_day_span_seconds"`
}

// OneSidedRules are thresholds of D2, trading in one direction and results that
// come from one symbol, side and day.
type OneSidedRules struct {
	MinDecisions     int      `json:"min_decisions"`
	MediumShare      float64  `json:"medium_share"`
	MediumWilsonLow  float64  `json:"medium_wilson_low"`
	HighShare        float64  `json:"high_share"`
	HighMinDecisions int      `json:"high_min_decisions"`
	HighMinSymbols   int      `json:"high_min_symbols"`
	MaxP             float64  `json:"max_p_adjusted"`
	DailyLossLimit   *float64 `json:"daily_loss_limit"`        // share of the initial balance
	ProfitTarget     *float64 `json:"profit_target"`           // share of the initial balance
	MaxOfDailyLimit  *float64 `json:"max_share_of_loss_limit"` // lost on one day, symbol and side
	MaxOfTarget      *float64 `json:"max_share_of_target"`     // won on one day, symbol and side
}

// HoldingRules are thresholds of D3, how long positions are held.
type HoldingRules struct {
	MinTrades         int      `json:"min_trades"`
	MinHoldSeconds    *float64 `json:"min_hold_seconds"`
	MediumTradeShare  float64  `json:"medium_trade_share"`  // under the minimum hold
	MediumProfitShare float64  `json:"medium_profit_share"` // of gross profit, under the minimum hold
	ShortHoldSeconds  *float64 `json:"short_hold_seconds"`  // a second, longer limit
	ShortHoldShare    float64  `json:"short_hold_share"`    // of trades or gross profit under it
}

// LossChasingRules are thresholds of D4, larger size after losses.
type LossChasingRules struct {
	SizeRatio       float64 `json:"size_ratio"` // of the decision before, from which size counts as raised
	MinLosses       int     `json:"min_losses"`
	MinWins         int     `json:"min_wins"`
	MediumRate      float64 `json:"medium_rate"` // raised after losses
	MaxP            float64 `json:"max_p_adjusted"`
	HighLadder      int     `json:"high_ladder"`       // losses in a row, each followed by a raise
	HighLadderCount int     `json:"high_ladder_count"` // how often
	HighGrowth      float64 `json:"high_growth"`       // of size over one ladder
}

// AveragingRules are thresholds of D5, adding to losing positions.
type AveragingRules struct {
	LowDepth           int     `json:"low_depth"` // adverse adds in a basket
	MediumDepth        int     `json:"medium_depth"`
	MediumBaskets      int     `json:"medium_baskets"`
	GridSteps          int     `json:"grid_steps"`
	GridCV             float64 `json:"grid_step_cv"` // of the distances between steps
	BasketCloses       int     `json:"basket_closes"`
	BasketCloseSeconds float64 `json:"basket_close_seconds"`
}

// RevengeRules are thresholds of D6, quick and larger re-entry after losses.
type RevengeRules struct {
	MaxGapSeconds   float64 `json:"max_gap_seconds"` // re-entries later than this are not counted
	MinEach         int     `json:"min_each"`        // re-entries after losses, and after wins
	EventGapSeconds float64 `json:"event_gap_seconds"`
	EventSizeRatio  float64 `json:"event_size_ratio"` // of the median of the decisions before
	EventMedianOf   int     `json:"event_median_of"`
	MediumRate      float64 `json:"medium_rate"`
	MaxP            float64 `json:"max_p_adjusted"`
}

// LotSizeRules are thresholds of D7, jumps of lot size.
type LotSizeRules struct {
	MinTrades   int      `json:"min_trades"`
	OutlierZ    float64  `json:"outlier_z"`    // modified z-score of ln volume
	BandLow     *float64 `json:"band_low"`     // of the average lot
	BandHigh    *float64 `json:"band_high"`    // of the average lot
	MediumShare float64  `json:"medium_share"` // of trades outside
	HighShare   float64  `json:"high_share"`
}

// DayShareRules are thresholds of D8, results that come from few days.
type DayShareRules struct {
	MinDays       int      `json:"min_days"`              // with closed trades
	MaxOfNet      *float64 `json:"max_share_of_net"`      // best day of the net result
	MaxOfPositive *float64 `json:"max_share_of_positive"` // best day of all positive days
	MaxDailyLoss  *float64 `json:"max_daily_loss"`        // share of the initial balance
}

// CopiedTradesRules are thresholds of D9, equal trades in two accounts.
type CopiedTradesRules struct {
	MaxLagSeconds float64 `json:"max_lag_seconds"`
	MinEach       int     `json:"min_each"`
	DayShifts     int     `json:"day_shifts"` // in each direction
	MinMatches    int     `json:"min_matches"`
	MediumRate    float64 `json:"medium_rate"`
	HighRate      float64 `json:"high_rate"`
	HighLotCV     float64 `json:"high_lot_ratio_cv"`
	HighSymbols   int     `json:"high_symbols"`
	HighDays      int     `json:"high_days"`
}

// OppositeRules are thresholds of D10, opposite positions in two accounts.
type OppositeRules struct {
	MaxOpenGapSeconds float64 `json:"max_open_gap_seconds"`
	MinOverlap        float64 `json:"min_overlap"` // share of the shorter position
	MinVolumeRatio    float64 `json:"min_volume_ratio"`
	MaxVolumeRatio    float64 `json:"max_volume_ratio"`
	LowCount          int     `json:"low_count"`
	MediumCount       int     `json:"medium_count"`
	HighCount         int     `json:"high_count"`
	HighNetShare      float64 `json:"high_net_share"` // |sum of results| of the sum of |results|, below which they cancel out
}

// AutomationRules are thresholds of D11, timing that looks scheduled.
type AutomationRules struct {
	MinDecisions   int     `json:"min_decisions"`
	MaxP           float64 `json:"max_p_adjusted"`
	MaxIdleSeconds float64 `json:"max_idle_seconds"` // longest pause of a day without rest
	IdleDayShare   float64 `json:"idle_day_share"`
	MinDays        int     `json:"min_days"`
	ModalShare     float64 `json:"modal_share"` // of one stop or target distance
	MediumSignals  int     `json:"medium_signals"`
}

// NewsRules are thresholds of D12, trading around scheduled news.
type NewsRules struct {
	WindowSeconds    float64  `json:"window_seconds"`    // before and after an event
	ExemptionSeconds *float64 `json:"exemption_seconds"` // positions opened earlier than this may close
	MinDecisions     int      `json:"min_decisions"`
	MediumShare      float64  `json:"medium_share"`
	HighShare        float64  `json:"high_share"`
	MaxP             float64  `json:"max_p_adjusted"`
}

// StyleBreakRules are thresholds of D13, a change of how somebody trades.
type StyleBreakRules struct {
	MinEach        int     `json:"min_each"`
	MediumD        float64 `json:"medium_d"` // Kolmogorov–Smirnov distance
	MaxP           float64 `json:"max_p_adjusted"`
	MediumMixShift float64 `json:"medium_symbol_mix"` // total variation distance
}
