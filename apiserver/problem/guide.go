package problem

// Guide explains a code to the developer of a client. The texts are plain but
// for names in backticks.
type Guide struct {
	Meaning  string   // what the answer says about the request, and about its effects
	Causes   []string // why it happens
	Remedies []string // what to do about it
	Retry    Retry
}

// Retry says whether a request with the problem is worth repeating.
type Retry string

// The kinds of advice on repeating a request.
const (
	// RetryNever: the same request gets the same answer for ever.
	RetryNever Retry = "no"
	// RetryMended: once somebody has changed what stands in the way.
	RetryMended Retry = "once mended"
	// RetryLater: the same request, when the header Retry-After says so.
	RetryLater Retry = "later"
	// RetryFresh: the same request at once, on a new connection.
	RetryFresh Retry = "at once"
	// RetryCareful: a read may be repeated; a change may have been made.
	RetryCareful Retry = "with care"
)

// Advice is the kind of retry in a sentence or two.
func (r Retry) Advice() string {
	switch r {
	case RetryNever:
		return "No. The same request gets the same answer: change the request first."
	case RetryMended:
		return "Not by itself. Repeat the request once what stands in its way has been changed."
	case RetryLater:
		return "Yes, unchanged. Wait for as many seconds as the header `Retry-After` says, and longer each time it happens again."
	case RetryFresh:
		return "Yes, unchanged and at once, on a new connection. If it happens again, look for the cause first."
	case RetryCareful:
		return "A GET: yes, a few times, with growing pauses. A request that changes something may have taken effect: read the object before you repeat it."
	}
	return ""
}
