package v1

import "net/http"

func listAuditOperation() Operation {
	return Operation{
		ID: "listAudit", Tag: tagAudit, Summary: "Read the audit log",
		Description: "Lists what people, API keys and the operator's commands have changed, newest first. An entry is written together with its change: what was refused left none. " +
			"What the polling of platforms changes is not listed here but in the runs of the integration.\n\n" +
			"Secrets are never told, nor what tells who a trader is: such a value is `***`, and null where there was none.\n\n" +
			"Each entry holds the hash of the one before, so that a change to the log shows. Who notes `number` and `hash` of the newest entry from time to time can have the operator prove by them that nothing up to it was changed since.",
		Answers: []Answer{{Status: http.StatusOK, About: "A page of the log.", Body: page[auditEntryBody]{}, Headers: []string{"Link"}}},
	}
}
