package history

import (
	"github.com/google/uuid"

	"github.com/assayhq/assay/store"
)

// Statements of Prune.
const (
	PruneRunsSQL   = pruneRunsSQL
	PruneAuditsSQL = pruneAuditsSQL
)

// Statement is a statement with its arguments.
type Statement struct {
	Query string
	Args  []any
}

// RunStatements returns the statements that list a page of an integration's runs.
func RunStatements(integrationID uuid.UUID, f RunFilter, p store.Page) (page, count Statement, err error) {
	l := f.listing(uuid.Nil, integrationID)
	query, args, err := l.pageQuery(p)
	page = Statement{`SELECT ` + l.columns + query, args}
	count.Query, count.Args = l.countQuery()
	return page, count, err
}
