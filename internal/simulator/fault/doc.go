// Package fault breaks contracts on purpose: a platform has a registry of named
// faults. Each can be switched on with options while the platform runs, and every
// exchange passes the hooks of the faults that strike it.
//
// This package has the faults that any HTTP platform can have: of status,
// connection, body, envelope and text. A platform adds those of its own contract.
// The package uses the standard library only.
package fault
