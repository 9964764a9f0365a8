package history

// Statements of Prune.
const (
	PruneRunsSQL   = pruneRunsSQL
	PruneAuditsSQL = pruneAuditsSQL
)
