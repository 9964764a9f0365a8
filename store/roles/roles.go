// Package roles contains the database permissions of the two processes, as SQL.
package roles

import _ "embed"

// The roles of which the processes' database users are members.
const (
	APIServer = "assay_apiserver"
	Syncd     = "assay_syncd"
)

//go:embed roles.sql
var grants string

// Grants returns SQL that grants the two roles their permissions and revokes all others. The owner
// of the tables may run it again at any time.
func Grants() string { return grants }
