// Package fault breaks contracts on purpose: a platform has a registry of named
// faults, each of which can be switched on with options while it runs, and
// every exchange passes the hooks of those that strike it.
//
// Here are the faults that any HTTP platform can have: of status, connection,
// body, envelope and text. A platform adds those of its own contract. The
// package uses the standard library only.
package fault
