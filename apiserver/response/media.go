package response

// MediaJSON is the media type of responses, unless a route specifies another one.
const MediaJSON = "application/json"

const (
	// MediaEvents is the media type of server-sent events.
	MediaEvents = "text/event-stream"
	// Unbuffered is the header that keeps proxies from buffering a response.
	Unbuffered = "X-Accel-Buffering"
)
