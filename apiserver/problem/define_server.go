package problem

import "net/http"

// serverDefinitions are about assay itself.
var serverDefinitions = map[Code]definition{
	InternalError: {
		status: http.StatusInternalServerError, title: "Internal error",
		detail: "Something failed inside the server. Its operator can find the cause in the log by request_id.",
		guide: Guide{
			Meaning:  "assay failed, or met something that it does not handle. The cause is only in its log.",
			Causes:   []string{"A defect in assay or in the system that it runs on. The request may be correct."},
			Remedies: []string{"Send the `request_id` to the operator of this installation. It identifies the log entry that contains the cause."},
			Retry:    RetryCareful,
		},
	},
	ServiceUnavailable: {
		status: http.StatusServiceUnavailable, title: "Service unavailable",
		detail: "The server cannot answer right now. Try again later.",
		guide: Guide{
			Meaning: "assay cannot serve this request at the moment, but expects to soon. The header `Retry-After` says when to come back.",
			Causes: []string{
				"The database is briefly unavailable, for example during a restart or failover.",
				"The server is stopping, or is doing as much as it can of one kind at a time: live checks, uploads, analyses, or streams of changes.",
				"The server has no space left for uploads.",
				"The keyring of the server lacks a key with which a stored secret is encrypted.",
				"The response would have taken longer than the route allows.",
			},
			Remedies: []string{
				"Let the client wait and retry automatically. Most HTTP libraries can be configured to honor `Retry-After`.",
				"If the request changes something, read the object before you retry, because the connection to the database may have been lost after the change.",
			},
			Retry: RetryLater,
		},
		example: Problem{Header: http.Header{"Retry-After": {"5"}}},
	},
}
