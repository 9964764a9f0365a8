package problem

import "net/http"

// statusChecksumMismatch is the tus protocol's own status.
const statusChecksumMismatch = 460

// uploadDefinitions are about links to a trader's page and to a shared report, and about resumable
// uploads.
var uploadDefinitions = map[Code]definition{
	LinkOver: {
		status: http.StatusGone, title: "Link has ended",
		detail: "This link is no longer active. Contact the firm that sent it.",
		guide: Guide{
			Meaning:  "The link existed, but is no longer active. Nothing was read or changed.",
			Causes:   []string{"The interview was submitted, declined or withdrawn, or its time has run out.", "The link was replaced by a newer one, or revoked."},
			Remedies: []string{"Look for a newer link from the same firm, or ask it for one."},
			Retry:    RetryNever,
		},
	},
	InterviewTakenOver: {
		status: http.StatusUnauthorized, title: "Interview is open elsewhere",
		detail: "The interview was opened in another browser and continues there.",
		guide: Guide{
			Meaning:  "An interview is open in one browser at a time. This one's session has ended.",
			Causes:   []string{"The link was opened on another device, or in another browser.", "The browser deleted the page's cookie."},
			Remedies: []string{"Continue in the other browser, or load the page here and take the interview over."},
			Retry:    RetryMended,
		},
	},
	UploadIncomplete: {
		status: http.StatusUnprocessableEntity, title: "Upload incomplete",
		detail: "The upload is incomplete: fewer bytes arrived than the take has.",
		guide: Guide{
			Meaning:  "A take can be completed when all of its bytes have arrived. Some are missing, or there are more than the page knows of. The take stays open.",
			Causes:   []string{"The upload has not ended.", "The page was reloaded and counts another recording."},
			Remedies: []string{"Send a HEAD request to see how far the upload got, send the rest, and then complete the take."},
			Retry:    RetryMended,
		},
	},
	ChecksumMismatch: {
		status: statusChecksumMismatch, title: "Checksum mismatch",
		detail: "The checksum does not match the uploaded bytes. None of them were kept.",
		guide: Guide{
			Meaning:  "Something between the client and assay changed the bytes, or the client computed the checksum of other bytes. The upload is at the same offset as before.",
			Causes:   []string{"A proxy or a bad connection changed or truncated the body.", "The checksum is that of the whole file instead of this request's bytes."},
			Remedies: []string{"Send the same bytes again, from the offset that a HEAD request returns."},
			Retry:    RetryMended,
		},
	},
}
