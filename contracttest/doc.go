// Package contracttest checks whether a trading platform keeps the customer platform contract. It
// reads the platform as assay does, also sends requests that assay never sends, and reports for
// each rule whether it holds, why it matters and how to fix what breaks it. It is a module of its
// own that uses only the standard library, so that platforms can embed it in their own tests:
//
//	func TestContract(t *testing.T) {
//		contracttest.Test(t, contracttest.Options{URL: server.URL, Key: key, RootCAs: pool})
//	}
//
// Check returns a Report. Package render writes reports in formats for people and machines. The
// command contracttest, which is in every release of assay, does both from a shell.
//
// # Cases
//
// Every rule is a Case: an id, the sentence of the contract that states it, a level, why it
// matters, and how to fix it. Cases lists them. A broken MUST costs records or makes assay refuse
// the platform. A broken SHOULD is accepted but will cause trouble. Cases of level INFO cover
// what the contract does not specify and never fail.
//
// # Profiles
//
// LiveCheck is what assay runs when a connection is saved. It gives the same verdict, except that
// it is more patient with a platform that throttles. If GET /health fails, no profile requests
// anything else. Core is everything that can be checked in half a minute. Full reads more pages
// and watches the live platform for a while. Each profile includes the previous one.
//
// # What it costs the platform
//
// All requests are GETs, except two of level INFO. They are sent at five a second, and their
// number is limited for a platform of any size: the report says what was read. Memory is limited
// too, because pages are judged while they are read and only the identity of a record is kept.
package contracttest
