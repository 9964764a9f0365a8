// Package partnerplatform connects a supported third-party trading platform:
// customers, accounts, trades and payouts as lists that are paged by number
// and mostly say nothing of when a record changed.
//
// It asks for pages, decides whether and where a list goes on, decodes records
// and runs the live check. What it reads, which names it takes for which
// field, and every rule it can find broken are listed in README.md.
package partnerplatform
