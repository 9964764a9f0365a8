package auditlog

import (
	"net/http"

	"github.com/assayhq/assay/apiserver/csvexport"
	"github.com/assayhq/assay/apiserver/response"
	"github.com/assayhq/assay/apiserver/route"
)

// operations are about the audit log.
var operations = map[string]route.Operation{
	"listAudit": {
		Tag: route.TagAudit, Summary: "List audit log entries",
		Description: "Lists what people, API keys and the operator's commands have changed, newest first unless `sort` is given. An entry is written together with its change, so refused requests " +
			"leave no entry. What the polling of platforms changes is not listed here; see the runs of the integration.\n\nSecrets are never shown, nor is anything " +
			"that identifies a trader. Such a value is `***`, or null if there was none.\n\nEach entry contains the hash of the entry before it, so tampering can be " +
			"detected. If you record the `number` and `hash` of the latest entry from time to time, the operator can prove with them that nothing up to that entry " +
			"has been changed since.",
		Answers: []route.Answer{{Status: http.StatusOK, About: "A page of the audit log.", Body: response.Page[auditEntryBody]{}, Headers: []string{"Link"}}},
	},
	"exportAudit": {
		Tag: route.TagAudit, Summary: "Export audit log entries as CSV",
		Description: "Returns all entries that match the filter, without pages. `before` and `after` are JSON texts.", Answers: csvexport.DescribeFile(),
	},
}
