// Package roles holds what the two processes may do with the database, as SQL.
package roles

import _ "embed"

// The roles whose members the processes' users are.
const (
	APIServer = "assay_apiserver"
	Syncd     = "assay_syncd"
)

//go:embed roles.sql
var grants string

// Grants gives the two roles what they need and takes everything else from them.
// It may be carried out again at any time, by the owner of the tables.
func Grants() string { return grants }
