package activityfile

import "context"

func convert(ctx context.Context, rows source, name string, o Options) (*File, error) {
	return nil, refuse(NotUnderstood, "No table of trades was found.")
}
