// Package firm generates the trading firm behind a platform: traders, accounts,
// trades and payouts with eighty-five days of history, which go on living. It
// knows no contract: platforms give its records ids, order and spelling.
//
// A world is a pure function of Options and time. Tests freeze it (Speed 0),
// move it (World.Advance), put and delete records of their own (Table), and
// compare what was read with the truth. The package uses the standard library
// only.
package firm
