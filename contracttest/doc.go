// Package contracttest proves that a trading platform keeps the customer
// platform contract. It reads the platform as assay does, asks what assay never
// asks, and says of each rule whether it holds, why it matters and how to fix
// what breaks it. It uses the standard library only, so that platforms can
// embed it in their own tests:
//
//	func TestContract(t *testing.T) {
//		contracttest.Test(t, contracttest.Options{URL: server.URL, Key: key, RootCAs: pool})
//	}
//
// Check returns a Report, which package render of this folder writes in the
// forms that people and machines read; the command cmd/contracttest does both
// from a shell.
//
// # Cases
//
// Every rule is a Case: an id, the sentence of the contract that it stands for,
// a level, why it matters, and how to fix it. Cases lists them. A MUST that is
// broken costs records or makes assay refuse the platform; a SHOULD is accepted
// but will hurt some day. What the contract does not say is a case of level
// INFO, which tells and never fails.
//
// # Profiles
//
// LiveCheck is what assay runs when a connection is saved, and gives the same
// verdict, but that it is more patient with a platform that throttles. When GET
// /health fails, no profile asks for anything else. Core is all that half a minute can show. Full reads more pages and
// watches the platform live for a while. Each profile holds the one before.
//
// # What it costs the platform
//
// Requests are GETs but for two of level INFO, five a second, and bounded
// whatever the platform's size: the report says what was read. Memory is
// bounded too: pages are judged while they are read, and of a record no more
// is kept than its identity.
package contracttest
