// Package partnerplatform connects a supported third-party trading platform:
// customers, accounts, trades and payouts as lists that are paged by number and
// mostly do not say when a record changed.
//
// It requests pages, decides whether and where a list continues, decodes records
// and runs the live check. README.md lists what it reads, which names it accepts
// for which field, and every rule that it can find broken.
package partnerplatform
