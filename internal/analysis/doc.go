// Package analysis computes statistics over a trader's trades: metrics,
// detectors of patterns that risk desks ask about, and the data of charts.
//
// It is pure and deterministic. The same Input gives the same Activity, byte by
// byte once marshalled; there is no clock and no I/O, and what tests put in another
// order they put in the same orders each time. Both daemons
// use it, so it imports nothing of assay but connectors/record.
//
// # Packages
//
// A trader's trades come in as a trades.Input, and detectors and charts read them as a
// trades.View. Each detector returns a detect.Result; those that compare accounts are in
// compare, and that of changes in style is in style. An analysis gives a result.Activity.
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
// at most three seconds while something of it is open, and of fifteen seconds
// altogether, counts as one decision, and tests count decisions.
//
// # Chance
//
// Who looks at enough accounts, symbols and days finds something in every honest
// trader. So whatever compares traders or tests a hypothesis has a p-value that is
// corrected twice: within the detector by Holm's method for everything it has looked
// at (pairs of accounts, searched ones included, traits, ways to look), then over the
// detectors of the run by Benjamini and Hochberg's. Medium and high need the corrected
// p, below 0.01, and an effect whose interval's lower end is above the threshold; high
// against another person needs a corrected p below 0.001, and three times at least of
// what chance gives. Without a p there is neither, whatever the count.
// TestHonestCrowds and TestPlantedInCrowds measure what this finds of honest traders
// and of planted patterns. What only describes (holding times, sizes, days, closed losses) has no p:
// it is judged by limits that a firm sets.
//
// A sample below a metric's minimum is reported as
// insufficient_data and never as a clean result. What detectors say is an
// observation under a ruleset: no finding claims intent, and none claims that a
// firm's rule was broken.
package analysis
