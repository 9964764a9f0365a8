// Package tradertest makes traders whose character is known, so that tests can
// say which findings the analysis must and must not have. Everything follows
// from seeds: the same seed gives the same trades.
//
// Traders live in a Market, in which prices move at random from minute to
// minute, for twelve weeks from Monday, 2026-01-05. Their results follow from
// the prices, so that a martingale's or a grid's losses come as they would.
package tradertest
