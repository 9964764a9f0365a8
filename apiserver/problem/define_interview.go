package problem

import "net/http"

// interviewDefinitions are about interviews and what was made of them.
var interviewDefinitions = map[Code]definition{
	InvalidState: {
		status: http.StatusConflict, title: "Invalid state",
		detail: "The interview's status does not allow this.",
		guide: Guide{
			Meaning:  "The interview is there, but where it is in its life the request has no meaning. Nothing was changed.",
			Causes:   []string{"The trader has declined, did not start in time, or left no answer: there is nothing to add to."},
			Remedies: []string{"Read the interview's `status`. An interview that ended without answers can be held again with a retake."},
			Retry:    RetryMended,
		},
	},
	InterviewAlreadyStarted: {
		status: http.StatusConflict, title: "Interview already started",
		detail: "The trader has started, so the invite can no longer be replaced.",
		guide: Guide{
			Meaning:  "A fresh invite is for a trader who has not started. The one in use keeps working.",
			Causes:   []string{"The trader is answering, or has answered. `started_at` says since when."},
			Remedies: []string{"Wait until the interview has ended. If it has to be held again, make a retake then: `POST /v1/interviews/{id}/retake`."},
			Retry:    RetryNever,
		},
	},
	InterviewDeclined: {
		status: http.StatusConflict, title: "Interview declined",
		detail: "The trader declined, so the invite cannot be replaced.",
		guide: Guide{
			Meaning:  "The trader did not consent to the interview, which has ended with that.",
			Causes:   []string{"The trader has chosen to decline on the page behind the link."},
			Remedies: []string{"Talk to the trader. If the trader agrees to another interview, make a retake: `POST /v1/interviews/{id}/retake`. The declined interview stays as the record of what the trader chose. One with other answer modes is a new interview: `POST /v1/interviews`."},
			Retry:    RetryNever,
		},
	},
	InterviewStillOpen: {
		status: http.StatusConflict, title: "Interview still open",
		detail: "The interview has not ended, so a retake cannot be requested.",
		guide: Guide{
			Meaning: "A retake is a new interview in the place of one that is over. This one is not.",
			Causes:  []string{"The trader has been invited, is answering, or has submitted and the report is being written."},
			Remedies: []string{
				"A trader who has not started gets a fresh link by `POST /v1/interviews/{id}/reissue`.",
				"While the trader is answering, wait until the interview is submitted, or `complete_by` has passed. While the report is being written, wait for `interview.completed`.",
				"If it cannot wait, `POST /v1/interviews` creates another interview with the same trader at any time.",
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
				"The trader has not started yet. The first report is written by itself after the interview was submitted.",
				"The trader declined, did not start in time, or left no answer in time.",
			},
			Remedies: []string{"Read the interview's `status`. One that ended without answers is held again by `POST /v1/interviews/{id}/retake`; one that is `expired` gets a fresh link by `POST /v1/interviews/{id}/reissue`, too."},
			Retry:    RetryMended,
		},
	},
	ReferenceTaken: {
		status: http.StatusConflict, title: "Reference taken",
		detail: "Another interview of the organization has this reference.",
		guide: Guide{
			Meaning:  "References are unique, so that an interview can be found by them. No interview was made.",
			Causes:   []string{"The interview was made already, perhaps by an earlier attempt at the same request.", "Two objects of your own system have the same name."},
			Remedies: []string{"List the interviews with the filter `reference`. Send an Idempotency-Key with requests that may be repeated."},
			Retry:    RetryNever,
		},
	},
	LegalHold: {
		status: http.StatusConflict, title: "Legal hold",
		detail: "A legal hold keeps the interview from being deleted.",
		guide: Guide{
			Meaning:  "Somebody has said that the interview must be kept. Nothing was deleted; of a trader who was to be erased, nothing was erased.",
			Causes:   []string{"The interview's `legal_hold` says who holds it, since when and why."},
			Remedies: []string{"Ask the person who set it. DELETE of the interview's legal hold releases it."},
			Retry:    RetryMended,
		},
	},
	MediaProcessing: {
		status: http.StatusConflict, title: "Media processing",
		detail: "The recording is still being processed.",
		guide: Guide{
			Meaning:  "The trader has submitted, and the answers are being put together. That takes a few minutes for an hour of recording.",
			Causes:   []string{"`pipeline.media` of the interview is `queued` or `running`."},
			Remedies: []string{"Ask again in a minute, or wait for `interview.completed`."},
			Retry:    RetryMended,
		},
	},
	MediaNotAvailable: {
		status: http.StatusNotFound, title: "Media not available",
		detail: "The interview has no playable recording.",
		guide: Guide{
			Meaning: "The interview is there, but nothing can be played.",
			Causes: []string{
				"The trader has not submitted, or has answered in writing alone.", "The recording could not be put together: `pipeline.media` is `failed`.",
				"Its retention is over.",
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
			Causes:   []string{"No link was made, it has expired, or it was revoked already."},
			Remedies: []string{"None is needed. `share` of the interview shows the last link."},
			Retry:    RetryNever,
		},
	},
	SubtitlesNotFound: {
		status: http.StatusNotFound, title: "Subtitles not found",
		detail: "The interview has no captions yet.",
		guide: Guide{
			Meaning:  "The interview is there, but its captions have not been made.",
			Causes:   []string{"`subtitles_status` of the interview says how far they are. They are made from the transcript."},
			Remedies: []string{"Wait for `interview.subtitles_ready`, or ask for captions with a POST of the same path."},
			Retry:    RetryMended,
		},
	},
	ActivityFileNotFound: {
		status: http.StatusNotFound, title: "Activity file not found",
		detail: "No activity file was uploaded for the interview.",
		guide: Guide{
			Meaning:  "The interview is there, and has no file of trades.",
			Causes:   []string{"None was uploaded, it was deleted from the trader's files, or its retention is over."},
			Remedies: []string{"Upload one with a POST of the same path."},
			Retry:    RetryMended,
		},
	},
	ClaimNotFound: {
		status: http.StatusNotFound, title: "Claim not found",
		detail: "The latest report of the interview has no such claim.",
		guide: Guide{
			Meaning:  "Claims are named by the report that found them, in `claim_checks`.",
			Causes:   []string{"There is no report yet.", "Another version of the report was written meanwhile, which finds other claims."},
			Remedies: []string{"Read the interview again, and take the claim's `id` from its report."},
			Retry:    RetryNever,
		},
	},
}
