// Package schedule says which integrations are due, and which housekeeping. The schedule
// itself is data in the store: store/work claims due rows in every syncd, none is a
// leader, and a process that dies loses nothing, because its leases run out and others
// claim them.
package schedule
