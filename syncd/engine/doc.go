// Package engine runs sync cycles: it reads an integration's streams page by
// page through a connector, merges them into the store, and decides what
// follows from the outcome.
//
// A cycle is one pass over an integration's streams; a run is one stream (or
// resource) within it. The state of both is in the store, under a lease, and
// is saved with every page, so that any process can continue where another one
// stopped.
//
//	claim → plan the next run → fetch page n+1 while page n is written → commit
//
// Code that decides without reading or writing anything is in plan.go, outcome.go
// and rules.go.
package engine
