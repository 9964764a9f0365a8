// Package schedule decides when an integration is due and hands it to the engine.
// The schedule itself is data in the store: every syncd claims due rows, none is a
// leader, and a process that dies loses nothing, because its leases run out and
// others claim them.
package schedule
