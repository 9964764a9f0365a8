package problem

// Guide explains a code to the developer of a client. The texts are plain except for names in
// backticks.
type Guide struct {
	Meaning  string   // what the response says about the request and its effects
	Causes   []string // why it happens
	Remedies []string // what to do about it
	Retry    Retry
}

// Retry says whether a request with the problem is worth repeating.
type Retry string

// The kinds of advice on repeating a request.
const (
	// RetryNever means that the same request always gets the same response.
	RetryNever Retry = "no"
	// RetryMended means that the request may succeed once somebody has removed the cause.
	RetryMended Retry = "once fixed"
	// RetryLater means that the same request may succeed after the time in the Retry-After
	// header.
	RetryLater Retry = "later"
	// RetryFresh means that the same request may succeed immediately, on a new connection.
	RetryFresh Retry = "immediately"
	// RetryCareful means that a read may be repeated, but a change may already have been made.
	RetryCareful Retry = "with care"
)

// Advice returns the advice in one or two sentences.
func (r Retry) Advice() string {
	switch r {
	case RetryNever:
		return "No. The same request gets the same response, so change the request first."
	case RetryMended:
		return "Not immediately. Repeat the request once the cause has been removed."
	case RetryLater:
		return "Yes, unchanged. Wait for as many seconds as the header `Retry-After` says, and longer each time it happens again."
	case RetryFresh:
		return "Yes, unchanged and immediately, on a new connection. If it happens again, look for the cause first."
	case RetryCareful:
		return "A GET can be repeated a few times, with increasing pauses. A request that changes something may have taken effect, so read the object before you repeat it."
	}
	return ""
}
