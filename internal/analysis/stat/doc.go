// Package stat holds the statistics that findings about trading activity rest
// on: pure functions of numbers, the same result for the same input, no state.
//
// A function whose value can be undefined also returns whether it is defined,
// and no function returns NaN or an infinity for finite input. A p is between
// 0 and 1; where nothing can be tested it is 1, which supports no finding. The
// minimum sample in a comment is the size below which a value is undefined or
// not to be relied on; enforcing what a finding needs is left to its rule.
package stat
