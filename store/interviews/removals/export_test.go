package removals

// The statements that tests explain.
const (
	EmptyEventsSQL = emptyEventsSQL
	StillUsedSQL   = stillUsedSQL
)
