package problem

import (
	"errors"
	"time"

	"github.com/assayhq/assay/store/interviews"
)

// nextStep returns which request or event helps if an interview's status does not allow a
// request. It is empty for any other error.
func nextStep(err error) string {
	state, ok := errors.AsType[*interviews.StateError](err)
	if !ok {
		return ""
	}
	return steps[interviewCode(err)][state.Status] + deadlineText(state)
}

// steps lists the next step for each code and status.
var steps = map[Code]map[interviews.Status]string{
	InterviewDeclined: {
		interviews.Declined: "The trader has declined, which ended the interview. If the trader agrees to another one, create it with POST /v1/interviews/{id}/retake.",
	},
	InterviewAlreadyStarted: {
		interviews.InProgress: "The trader has started, and the link in use keeps working until the interview is submitted or its time is over.",
		interviews.Incomplete: "The trader started but gave no answer in time. To repeat the interview, send POST /v1/interviews/{id}/retake.",
		interviews.Processing: "The trader has submitted. Once the report is ready, you can repeat the interview with POST /v1/interviews/{id}/retake.",
		interviews.Completed:  "The interview is over. To repeat it, send POST /v1/interviews/{id}/retake.",
		interviews.Failed:     "The interview is over. To repeat it, send POST /v1/interviews/{id}/retake.",
	},
	InterviewStillOpen: {
		interviews.Invited:    "The trader has not started yet. For a new link, send POST /v1/interviews/{id}/reissue.",
		interviews.InProgress: "The trader is answering. Request the retake once the report is ready, or once the time is over.",
		interviews.Processing: "The trader has submitted, and the report is being written. Request the retake once the interview's status is completed or failed.",
	},
	NothingToReport: {
		interviews.Invited:    "The trader has not started yet. The report is written automatically after the interview is submitted.",
		interviews.Declined:   "The trader has declined, so there is nothing to report on. If the trader agrees to another interview, create it with POST /v1/interviews/{id}/retake.",
		interviews.Expired:    "The trader did not start in time, so there is nothing to report on. For a new link, send POST /v1/interviews/{id}/reissue.",
		interviews.Incomplete: "The trader gave no answer in time, so there is nothing to report on. To repeat the interview, send POST /v1/interviews/{id}/retake.",
	},
}

// deadlineText says when the time of an interview ends that the trader is answering.
func deadlineText(state *interviews.StateError) string {
	if state.Status != interviews.InProgress || state.CompleteBy == nil {
		return ""
	}
	return " Its time is over at " + state.CompleteBy.UTC().Format(time.RFC3339) + "."
}
