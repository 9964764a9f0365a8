package problem

import "net/http"

// serverDefinitions are about assay itself.
var serverDefinitions = map[Code]definition{
	InternalError: {
		status: http.StatusInternalServerError, title: "Internal error",
		detail: "Something failed inside the server. Its operator finds the cause under the request_id.",
		guide: Guide{
			Meaning:  "assay did something wrong, or met something that it does not know. The cause is in its log and nowhere else.",
			Causes:   []string{"A defect in assay, or in the machinery that it runs on. Nothing in the request needs to be wrong."},
			Remedies: []string{"Send the `request_id` to the operator of this installation. It names the entry in the log that holds the cause."},
			Retry:    RetryCareful,
		},
	},
	ServiceUnavailable: {
		status: http.StatusServiceUnavailable, title: "Service unavailable",
		detail: "The server cannot answer right now. Try again later.",
		guide: Guide{
			Meaning: "assay cannot serve this request at the moment, but expects to soon. The header `Retry-After` says when to come back.",
			Causes: []string{
				"The database is away for a moment, for instance while it is restarted or fails over.",
				"The server is stopping, or has as many live checks under way as it can run at a time.",
				"The answer would have taken longer than the route may take.",
			},
			Remedies: []string{
				"Have the client wait and repeat by itself. Most HTTP libraries can be configured to honor `Retry-After`.",
				"If the request changes something and its answer was this one, read the object first: the connection to the database may have been lost after the change.",
			},
			Retry: RetryLater,
		},
		example: Problem{Header: http.Header{"Retry-After": {"5"}}},
	},
}
