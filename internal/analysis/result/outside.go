package result

import "time"

// Outside is the trades of the analyzed accounts that lie outside the window. It shows that a
// trader with few or no trades in the window has others.
//
//openapi:name ActivityOutside
type Outside struct {
	Before *OutsideTrades `json:"before"` // Trades opened before the window. Null if there are none.
	After  *OutsideTrades `json:"after"`  // Trades opened after the window. Null if there are none.
}

// OutsideTrades is the trades on one side of the window. To analyze them, request an analysis
// with their first time as `from` and a moment after their last time as `to`.
//
//openapi:name ActivityOutsideTrades
type OutsideTrades struct {
	Trades int       `json:"trades" example:"120"` // number of trades
	From   time.Time `json:"from"`                 // when the first of the trades was opened
	To     time.Time `json:"to"`                   // when the last of the trades was opened
}
