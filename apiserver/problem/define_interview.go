package problem

import "net/http"

// interviewDefinitions are about interviews and what was made of them.
var interviewDefinitions = map[Code]definition{
	InvalidState: {
		status: http.StatusConflict, title: "Invalid state",
		detail: "The interview's status does not allow this.",
		guide: Guide{
			Meaning:  "The interview exists, but the request makes no sense in its current status. Nothing was changed.",
			Causes:   []string{"The trader declined, did not start in time, or gave no answer, so there is nothing to add to."},
			Remedies: []string{"Read the interview's `status`. If an interview ended without answers, you can request a retake."},
			Retry:    RetryMended,
		},
	},
	InterviewAlreadyStarted: {
		status: http.StatusConflict, title: "Interview already started",
		detail: "The trader has started, so the invite can no longer be replaced.",
		guide: Guide{
			Meaning:  "Only a trader who has not started can get a new invite. The current one keeps working.",
			Causes:   []string{"The trader is answering, or has answered. `started_at` says when the trader started."},
			Remedies: []string{"Wait until the interview has ended. If you need another one, request a retake then: `POST /v1/interviews/{id}/retake`."},
			Retry:    RetryNever,
		},
	},
	InterviewDeclined: {
		status: http.StatusConflict, title: "Interview declined",
		detail: "The trader declined, so the invite cannot be replaced.",
		guide: Guide{
			Meaning:  "The trader did not consent to the interview, so it has ended.",
			Causes:   []string{"The trader chose to decline on the interview page."},
			Remedies: []string{"Talk to the trader. If the trader agrees to another interview, request a retake: `POST /v1/interviews/{id}/retake`. The declined interview stays as a record of the trader's choice. For other answer modes, create a new interview: `POST /v1/interviews`."},
			Retry:    RetryNever,
		},
	},
	InterviewStillOpen: {
		status: http.StatusConflict, title: "Interview still open",
		detail: "The interview has not ended, so a retake cannot be requested.",
		guide: Guide{
			Meaning: "A retake is a new interview that follows one that has ended. This one has not ended.",
			Causes:  []string{"The trader has been invited, is answering, or has submitted and the report is being written."},
			Remedies: []string{
				"To send a new link to a trader who has not started, use `POST /v1/interviews/{id}/reissue`.",
				"While the trader is answering, wait until the interview is submitted, or `complete_by` has passed. While the report is being written, wait for `interview.completed`.",
				"If you cannot wait, create another interview with the same trader: `POST /v1/interviews` is allowed at any time.",
			},
			Retry: RetryMended,
		},
	},
	NothingToReport: {
		status: http.StatusConflict, title: "Nothing to report on",
		detail: "The trader gave no answers to report on.",
		guide: Guide{
			Meaning: "A report is written from the trader's answers, and there are none. No job was queued.",
			Causes: []string{
				"The trader has not started yet. The first report is written automatically after the interview is submitted.",
				"The trader declined, did not start in time, or gave no answer in time.",
			},
			Remedies: []string{"Read the interview's `status`. If it ended without answers, request a retake with `POST /v1/interviews/{id}/retake`. If it is `expired`, you can also create a new link with `POST /v1/interviews/{id}/reissue`."},
			Retry:    RetryMended,
		},
	},
	ReferenceTaken: {
		status: http.StatusConflict, title: "Reference taken",
		detail: "Another interview has this reference.",
		guide: Guide{
			Meaning:  "References are unique, so that you can find an interview by its reference. No interview was created.",
			Causes:   []string{"The interview was already created, perhaps by an earlier attempt at the same request.", "Two objects of your own system have the same name."},
			Remedies: []string{"List the interviews with the filter `reference`. Send an Idempotency-Key with requests that may be repeated."},
			Retry:    RetryNever,
		},
		example: Problem{Faults: []Fault{{Pointer: "#/reference", Code: Taken, Detail: "Another interview has this reference."}}},
	},
	LegalHold: {
		status: http.StatusConflict, title: "Legal hold",
		detail: "A legal hold keeps the interview from being deleted.",
		guide: Guide{
			Meaning:  "Somebody set a legal hold on the interview, so it must be kept. Nothing was deleted. If a trader was to be erased, nothing was erased.",
			Causes:   []string{"The interview's `legal_hold` says who set the hold, when and why."},
			Remedies: []string{"Ask the person who set it. `DELETE /v1/interviews/{id}/legal-hold` releases the hold."},
			Retry:    RetryMended,
		},
	},
	MediaProcessing: {
		status: http.StatusConflict, title: "Media processing",
		detail: "The recording is still being processed.",
		guide: Guide{
			Meaning:  "The trader has submitted, and the recording is being assembled from the answers. That takes a few minutes for an hour of recording.",
			Causes:   []string{"`pipeline.media` of the interview is `queued` or `running`."},
			Remedies: []string{"Try again in a minute, or wait for `interview.completed`."},
			Retry:    RetryMended,
		},
	},
	MediaNotAvailable: {
		status: http.StatusNotFound, title: "Media not available",
		detail: "The interview has no playable recording.",
		guide: Guide{
			Meaning: "The interview exists, but has nothing to play.",
			Causes: []string{
				"The trader has not submitted, or has answered only in writing.", "The recording could not be assembled: `pipeline.media` is `failed`.",
				"Its retention has ended.",
			},
			Remedies: []string{"Read `status`, `answers`, `pipeline` and `media` of the interview."},
			Retry:    RetryMended,
		},
	},
	ShareNotFound: {
		status: http.StatusNotFound, title: "Share link not found",
		detail: "The interview has no active share link.",
		guide: Guide{
			Meaning:  "There is nothing to revoke.",
			Causes:   []string{"No link was created, it has expired, or it was already revoked."},
			Remedies: []string{"Nothing needs to be done. `share` of the interview shows the last link."},
			Retry:    RetryNever,
		},
	},
	SubtitlesNotFound: {
		status: http.StatusNotFound, title: "Subtitles not found",
		detail: "The interview has no captions yet.",
		guide: Guide{
			Meaning:  "The interview exists, but its captions have not been created.",
			Causes:   []string{"The captions are created from the transcript. `subtitles_status` of the interview shows their progress."},
			Remedies: []string{"Wait for `interview.subtitles_ready`, or request captions with a POST to the same path."},
			Retry:    RetryMended,
		},
	},
	ActivityFileNotFound: {
		status: http.StatusNotFound, title: "Activity file not found",
		detail: "No activity file was uploaded for the interview.",
		guide: Guide{
			Meaning:  "The interview exists, but has no file of trades.",
			Causes:   []string{"None was uploaded, it was deleted from the trader's files, or its retention has ended."},
			Remedies: []string{"Upload one with a POST to the same path."},
			Retry:    RetryMended,
		},
	},
	ClaimNotFound: {
		status: http.StatusNotFound, title: "Statement not found",
		detail: "The latest report of the interview has no such statement.",
		guide: Guide{
			Meaning:  "The ids of statements come from the report that found them, in `claim_checks`.",
			Causes:   []string{"There is no report yet.", "A newer version of the report was written meanwhile, with other statements."},
			Remedies: []string{"Read the interview again, and take the statement's `id` from its report."},
			Retry:    RetryNever,
		},
	},
	NotAuthor: {
		status: http.StatusForbidden, title: "Not the author",
		detail: "Only the author of a comment can change or delete it.",
		guide: Guide{
			Meaning:  "The comment exists, but another user or API key wrote it.",
			Causes:   []string{"The request was sent by somebody else than `author_id` of the comment names."},
			Remedies: []string{"Ask the author, or add a comment of your own."},
			Retry:    RetryNever,
		},
	},
}
