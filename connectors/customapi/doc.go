// Package customapi connects a customer's own platform, which implements the
// customer platform contract: traders, accounts, trades and payouts as lists
// that are paged by cursor.
//
// It asks for pages, decodes them into records and runs the live check. What
// it reads, which names it takes for which field, and every rule it can find
// broken are listed in README.md.
package customapi
