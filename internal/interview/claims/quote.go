package claims

import "slices"

// Quote is a place where the same thing is said again.
type Quote struct {
	ID        string // as of a claim: what a reviewer may have confirmed
	Text      string // a verbatim part of the segment's text
	SegmentID string
	StartMS   int
	EndMS     int
}

// ConfirmedIn reports whether any quote of the claim is among the ids.
func (c Claim) ConfirmedIn(ids []string) bool {
	return slices.Contains(ids, c.ID) || slices.ContainsFunc(c.Also, func(q Quote) bool { return slices.Contains(ids, q.ID) })
}
