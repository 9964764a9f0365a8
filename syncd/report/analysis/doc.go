// Package analysis computes statistics over a trader's trades: metrics,
// detectors of patterns that risk desks ask about, and the data of charts.
//
// It is pure and deterministic. The same Input gives the same Activity, byte by
// byte once marshalled; there is no clock, no I/O, no randomness. Both daemons
// use it, so it imports nothing of assay but connectors/record.
//
// # Conventions
//
// Money is the account's currency, and amounts of different currencies are
// never added: what needs one sum is computed per currency or per account, and
// says which. Net is the stored profit, which is net by contract. Times are
// microseconds of the Unix epoch, UTC. Sums are compensated (Neumaier).
//
// Tickets are not independent decisions: platforms and people split orders. An
// entry cluster, a chain of opens of one account, symbol and side with gaps of
// at most three seconds, counts as one decision, and tests count decisions.
//
// Every detector with a p-value takes part in one Benjamini–Hochberg correction
// over the whole report. Severity always needs an effect size; a p-value alone
// never makes a finding. A sample below a metric's minimum is reported as
// insufficient_data and never as a clean result. What detectors say is an
// observation under a ruleset: no finding claims intent, and none claims that a
// firm's rule was broken.
package analysis
