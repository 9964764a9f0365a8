package webhooks

// ProgressStatement returns the statement of RecordAttempts and its arguments.
func ProgressStatement(p *Progress) (statement string, args []any) {
	return progressSQL, p.queryArguments()
}
