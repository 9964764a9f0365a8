// Package statement reads what a trader's platform exports, CSV, XLSX and HTML
// files, into the same trades that the connectors give: a third source beside
// the two kinds of platform.
//
// A wrong import looks plausible, so the reader refuses where it would have to
// guess: an order of day and month that no date tells, a decimal mark that no
// number tells, a row that looks like a trade and cannot be read. A Refusal
// says what was seen, what was expected, and with which option to send the
// file again.
//
// A file is read twice: a survey finds the tables and decides, once for the
// whole file, how numbers and dates are written; the conversion then counts the
// trades and makes their ids unique. Trades.Each reads it once more and makes the
// trades, so that a million of them are never in memory. Only deals and fills are,
// because a trade is made of several, and there may be fewer of those.
package statement
