// Package statement reads the CSV, XLSX and HTML files that a trader's platform
// exports into the same trades that the connectors deliver. They are a third source
// beside the two kinds of platform.
//
// A wrong import looks plausible, so the reader refuses where it would have to
// guess: if no date shows the order of day and month, if no number shows the
// decimal mark, or if a row looks like a trade but cannot be read. A refusal
// says what was seen, what was expected, and with which option to send the
// file again.
//
// A file is read twice: a survey finds the tables and decides, once for the
// whole file, how numbers and dates are written; the conversion then counts the
// trades and makes their ids unique. Trades.Each reads it once more and makes the
// trades, so that a million of them are never in memory. Only deals and fills are,
// because a trade is made of several, and there may be fewer of those.
//
// The packages below it hold one subject each, from the bottom up: words, refusal and amount, then sheet, which opens
// files, and value, which reads cells, then format, the known exports as data, table, which finds tables and says what
// their rows are, broker, which makes plain tables of the exports of some brokers, and pairing, which makes trades of
// executions.
package statement
