// Package firm generates the trading firm behind a platform: traders, accounts,
// trades and payouts with eighty-five days of history, which continue to change. It
// knows no contract: platforms give its records ids, order and spelling.
//
// A world is a pure function of Options and time. Tests freeze it (Speed 0),
// advance it (World.Advance), add and delete records of their own (Table), and
// compare what was read with the records here. The package uses only the standard
// library.
package firm
