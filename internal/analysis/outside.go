package analysis

import "time"

// Outside tells of trades of the analysed accounts that lie outside of the
// window, so that an analysis of few trades, or of none, does not look like a
// trader who has none.
//
//openapi:name ActivityOutside
type Outside struct {
	Before *OutsideTrades `json:"before"` // opened before the window; null: none
	After  *OutsideTrades `json:"after"`  // opened after it; null: none
}

// OutsideTrades are trades on one side of the window. Asked for with their first
// and last time as `from` and, a moment later, `to`, they are analysed.
//
//openapi:name ActivityOutsideTrades
type OutsideTrades struct {
	Trades int       `json:"trades" example:"120"` // how many there are
	From   time.Time `json:"from"`                 // the first of them was opened
	To     time.Time `json:"to"`                   // the last of them was opened
}
