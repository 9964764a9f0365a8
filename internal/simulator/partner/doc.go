// Package partner simulates the third-party trading platform: pages by
// number, trades without a time of change, and as many spellings of a record as
// its contract allows. No daemon links it.
//
//	platform, err := partner.Start(partner.Options{
//		Firm: firm.Options{Seed: 1, Traders: 20, AccountsPerTrader: 2, Trades: 500, Payouts: 10},
//	})
//	if err != nil { … }
//	defer platform.Close()
//	// platform.URL, platform.Key and platform.CertPool are what a client needs.
//
// # What it serves
//
// The five lists of the contract, each under its path:
//
//	/v1/customers       page limit updated_gte sort_by=customerNr sort_order
//	/v1/prop-accounts   page limit updated_gte sort_by=accountNr sort_order plan_category_ids platforms
//	/v1/trades/closed   page limit sort_by=closeDate sort_order
//	/v1/trades/open     page limit sort_by=ticket sort_order
//	/v1/payouts         page limit updated_gte plan_category_ids platforms
//
// Any other parameter is refused with 400, so that a test notices a client that
// sends too much. A page is cut out of the list as it is at that moment: when a
// record comes, goes or moves between two requests, the pages behind it shift,
// as they do on platforms that count offsets.
//
// # The records
//
// The world behind the lists is that of internal/simulator/firm, a pure function of
// Options.Firm and time. Records hold the values that a client must store, in the form
// of the contract. The Dialect decides how they are spelled. The platform keeps
// whole seconds.
//
// Tests freeze the world (Speed 0), advance it (Platform.Advance), change it
// (OpenTrade, ModifyTrade, CloseTrade, the Put methods, Delete) and compare what
// was read with the truth (the All methods). All of that may be done inside
// Options.BeforeRequest as well, between any two requests of a client.
//
// # Faults
//
// Every way in which such platforms go wrong can be switched on by name while
// the platform runs: Faults lists them, Platform.SetFault sets one.
package partner
