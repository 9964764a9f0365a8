// Package reference is a complete trading platform behind the customer
// platform contract: the example of how to implement it, and the counterpart
// in tests and demonstrations. It uses the standard library only.
//
//	platform, err := reference.Start(reference.Options{
//		Firm: firm.Options{Seed: 1, Traders: 20, AccountsPerTrader: 2, Trades: 500, Payouts: 10},
//	})
//	if err != nil { … }
//	defer platform.Close()
//	// platform.URL, platform.Key and platform.CertPool are what a client needs.
//
// # What to copy
//
// This package is the contract: routes, authentication, lists, cursors and the
// JSON of records. Everything else is in other packages: the firm whose records
// these are (firm), numbers and times as JSON (wire), TLS (host), and
// how faults are switched on (fault).
//
// Six things decide whether a platform can be polled without losing records.
// Each is in one place here:
//
//   - Authentication comes before everything else, on every route, and compares
//     the key in constant time: host.Bearer.
//   - Lists are ordered by updated_at and then id. The second matters as soon as
//     two records share an updated_at: firm.List.
//   - A cursor is the place of the last record sent, not a count of records, so
//     that changes during a walk neither hide nor repeat pages: cursor.go. In SQL
//     it is WHERE (updated_at, id) > ($1, $2) ORDER BY updated_at, id LIMIT $3.
//   - updated_since is inclusive, and is compared with the same precision that
//     updated_at is sent with: wire.AppendTime.
//   - updated_at grows in the order in which changes become visible: firm.World. With
//     a database, transactions that commit late break this; the ten minutes by
//     which polls overlap cover transactions shorter than that.
//   - Money is decimal from end to end: wire.Decimal.
//
// # The world
//
// The records are generated from a seed, with eighty-five days of history, and
// continue to change: trades open, change and close, balances follow, payouts move
// on, traders sign up. The world is a pure function of Options.Firm and time, so a
// restart with the same options shows the same world. Tests freeze it (Speed 0),
// advance it (Platform.Advance), add and delete records of their own, and compare
// what was read with all records (Platform.Snapshot).
//
// # Faults
//
// Every way in which platforms are known to go wrong can be switched on by name
// while the platform runs: Faults lists them, Platform.SetFault sets one.
package reference
