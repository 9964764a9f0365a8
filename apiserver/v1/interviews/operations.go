package interviews

import (
	"net/http"

	"github.com/assayhq/assay/apiserver/csvexport"
	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/apiserver/response"
	"github.com/assayhq/assay/apiserver/route"
)

// operations are about interviews and the organization.
var operations = map[string]route.Operation{
	"listInterviews": {
		Tag: route.TagInterviews, Summary: "List interviews",
		Description: "Lists interviews, newest first unless `sort` is given. `kpis` are figures for the whole organization. The filters and the page do not affect them; " +
			"`kpi_from` and `kpi_to` do.",
		Answers: []route.Answer{{Status: http.StatusOK, About: "A page of interviews, with figures.", Body: interviewListBody{}, Headers: []string{"Link"}}},
	},
	"createInterview": {
		Tag: route.TagInterviews, Summary: "Create an interview",
		Description: "Creates an interview and returns the link for its trader. The link is shown only once.\n\nIf the trader is given by `trader` instead of by id, assay " +
			"finds the trader by email or adds a new one. If a platform later sends a trader with the same email, the two are merged. With `auto_questions`, assay " +
			"prepares questions from the trader's own data and requests a sync of the trader's integration. The trader can start before either is done.",
		Body:     route.Body{Name: "NewInterview", About: "The interview."},
		Answers:  []route.Answer{{Status: http.StatusCreated, About: "The interview with its link.", Body: madeInterviewBody{}, Headers: []string{"Location"}}},
		Problems: []problem.Code{problem.ReferenceTaken, problem.Conflict},
	},
	"getInterview": {
		Tag: route.TagInterviews, Summary: "Retrieve an interview", Conditional: true,
		Description: "Returns an interview with its report, transcript, integrity events and activity. A report lists observations. It does not pass or fail anybody.",
		Answers:     []route.Answer{{Status: http.StatusOK, About: "The interview.", Body: DetailBody{}}},
	},
	"getInterviewOptions": {
		Tag: route.TagInterviews, Summary: "List options for new interviews", Conditional: true,
		Description: "Returns the languages, topics, presets and default questions that this server offers, and what traders read about the organization.",
		Answers:     []route.Answer{{Status: http.StatusOK, About: "The options.", Body: optionsBody{}}},
	},
	"listInterviewTrades": {
		Tag: route.TagInterviews, Summary: "List the trades behind a report",
		Description: "Lists the trades that the latest report of an interview refers to, each once, with the accounts and traders to which they belong. Trades that have " +
			"been deleted since are not included.",
		Answers: []route.Answer{{Status: http.StatusOK, About: "The trades.", Body: response.Collection[evidenceTradeBody]{}, Headers: []string{"Link"}}},
	},
	"deleteInterview": {
		Tag: route.TagInterviews, Summary: "Delete an interview",
		Description: "Deletes an interview in any status, with its recording, transcript, report, events, links and activity file. Links and playback URLs stop working " +
			"immediately. If the interview added its trader to the directory and nobody has changed the trader since, the trader is deleted with the last of their " +
			"interviews.",
		Answers:  []route.Answer{{Status: http.StatusNoContent, About: "The interview is deleted."}},
		Problems: []problem.Code{problem.LegalHold},
	},
	"decideInterview": {
		Tag: route.TagInterviews, Summary: "Record a decision",
		Description: "Records a decision on an interview in any status. A later decision replaces an earlier one, which is kept in the history. assay never decides by " +
			"itself: this request is the only way to record a decision.",
		Body:    route.Body{Name: "NewDecision", About: "The decision.", Read: route.ReaderOf(readDecision)},
		Answers: []route.Answer{{Status: http.StatusOK, About: "The updated interview.", Body: interviewBody{}}},
	},
	"shareInterview": {
		Tag: route.TagInterviews, Summary: "Create a share link",
		Description: "Creates a link to a read-only page and returns it. The link is shown only once. It replaces the previous link.",
		Body:        route.Body{Name: "NewShare", About: "How long the link works, and what the page shows.", Optional: true, Read: route.ReaderOf(readShare)},
		Answers:     []route.Answer{{Status: http.StatusCreated, About: "The link.", Body: sharedBody{}}},
	},
	"unshareInterview": {
		Tag: route.TagInterviews, Summary: "Revoke the share link",
		Description: "Revokes the link to the read-only page immediately.",
		Answers:     []route.Answer{{Status: http.StatusNoContent, About: "The link is revoked."}},
		Problems:    []problem.Code{problem.ShareNotFound},
	},
	"reissueInvite": {
		Tag: route.TagInterviews, Summary: "Reissue the invite",
		Description: "Creates a new link for a trader who has not started, even if the invite has expired. The previous link stops working immediately.",
		Body:        route.Body{Name: "Reissue", About: "How long the trader can start.", Optional: true, Read: route.ReaderOf(windowHours)},
		Answers:     []route.Answer{{Status: http.StatusOK, About: "The new link.", Body: reissuedBody{}}},
		Problems:    []problem.Code{problem.InterviewAlreadyStarted, problem.InterviewDeclined},
	},
	"retakeInterview": {
		Tag: route.TagInterviews, Summary: "Request a retake",
		Description: "Creates a new interview with the trader of an interview that has ended, which stays unchanged. Settings that the body omits are copied from it, " +
			"except the reference.",
		Body:     route.Body{Name: "Retake", About: "The settings that differ from the previous interview.", Optional: true, Read: route.ReaderOf(readRetake)},
		Answers:  []route.Answer{{Status: http.StatusCreated, About: "The new interview with its link.", Body: madeInterviewBody{}, Headers: []string{"Location"}}},
		Problems: []problem.Code{problem.InterviewStillOpen, problem.Conflict},
	},
	"regenerateReport": {
		Tag: route.TagInterviews, Summary: "Regenerate the report",
		Description: "Queues a new version of the report, based on the trader's current trades. The previous version can be read until it is ready. At most one job is " +
			"queued. While the trader is answering, the job waits for the answers. If the trader has not started or has given no answer, the response is 409 " +
			"`nothing_to_report`. If processing of the recording or the transcript has failed, it is tried again first, as long as the upload is kept. Nothing is " +
			"queued once the interview's record has been purged.",
		Answers:  []route.Answer{{Status: http.StatusAccepted, About: "The report is queued.", Body: jobBody{}}},
		Problems: []problem.Code{problem.NothingToReport},
	},
	"playInterview": {
		Tag: route.TagInterviews, Summary: "Create playback URLs",
		Description: "Creates URLs that play the recording without a key, for ten minutes unless this server is configured otherwise. Request new ones at `refresh_after`. " +
			"Each call is recorded in the audit log.",
		Answers:  []route.Answer{{Status: http.StatusOK, About: "The playback URLs.", Body: playbackBody{}}},
		Problems: []problem.Code{problem.MediaNotAvailable, problem.MediaProcessing},
	},
	"getSubtitles": {
		Tag: route.TagInterviews, Summary: "Retrieve the captions", Conditional: true,
		Description: "Returns the captions as WebVTT.",
		Answers:     []route.Answer{{Status: http.StatusOK, About: "The captions.", Media: []string{mediaVTT}}},
		Problems:    []problem.Code{problem.SubtitlesNotFound},
	},
	"requestSubtitles": {
		Tag: route.TagInterviews, Summary: "Request captions",
		Description: "Queues the creation of captions for an interview in any status. It begins once there is a transcript. Until the job has ended, further requests " +
			"return the same job. If processing of the recording or the transcript has failed, it is tried again first, as long as the upload is kept. Nothing is " +
			"queued once the interview's record has been purged.",
		Answers: []route.Answer{{Status: http.StatusAccepted, About: "The captions are queued.", Body: jobBody{}}},
	},
	"assignInterview": {
		Tag: route.TagInterviews, Summary: "Assign an interview",
		Description: "Assigns an interview to a user of the organization, or unassigns it.",
		Body:        route.Body{Name: "Assignment", About: "The assignee.", Read: route.ReaderOf(readAssignment)},
		Answers:     []route.Answer{{Status: http.StatusOK, About: "The updated interview.", Body: interviewBody{}}},
	},
	"markCommunicated": {
		Tag: route.TagInterviews, Summary: "Mark the outcome as communicated",
		Description: "Records that the trader was informed of the outcome, or corrects such a record.",
		Body:        route.Body{Name: "CommunicationPatch", About: "Whether the trader was informed.", Read: route.ReaderOf(readCommunication)},
		Answers:     []route.Answer{{Status: http.StatusOK, About: "The updated interview.", Body: interviewBody{}}},
	},
	"holdInterview": {
		Tag: route.TagInterviews, Summary: "Set a legal hold",
		Description: "Protects an interview from being deleted, and from being purged when its retention ends, until the hold is released.",
		Body:        route.Body{Name: "NewLegalHold", About: "The reason for the hold.", Optional: true, Read: route.ReaderOf(readHold)},
		Answers:     []route.Answer{{Status: http.StatusOK, About: "The updated interview.", Body: interviewBody{}}},
	},
	"releaseInterview": {
		Tag: route.TagInterviews, Summary: "Release a legal hold",
		Description: "Ends a legal hold. If there is none, nothing changes.",
		Answers:     []route.Answer{{Status: http.StatusNoContent, About: "The interview is not on hold."}},
	},
	"exportInterviews": {
		Tag: route.TagInterviews, Summary: "Export interviews as CSV",
		Description: "Returns all interviews that match the filter, newest first unless `sort` is given, without pages.", Answers: csvexport.DescribeFile(),
	},
	"confirmClaim": {
		Tag: route.TagInterviews, Summary: "Confirm a statement",
		Description: "Records that somebody listened to the quote of a statement and confirms that it is what was said, and queues a version of the report that takes this " +
			"into account. Confirming a statement again has no effect.",
		Answers:  []route.Answer{{Status: http.StatusAccepted, About: "The statement is confirmed.", Body: jobBody{}}},
		Problems: []problem.Code{problem.ClaimNotFound},
	},
	"getTranscriptSegment": {
		Tag: route.TagInterviews, Summary: "Retrieve a passage of the transcript", Conditional: true,
		Description: "Returns a segment with the history of its words.",
		Answers:     []route.Answer{{Status: http.StatusOK, About: "The segment.", Body: segmentBody{}}},
	},
	"correctTranscriptSegment": {
		Tag: route.TagInterviews, Summary: "Correct the transcript", Conditional: true,
		Description: "Replaces the words of a segment. What was recognized and earlier corrections are kept. Captions and a new version of the report, with statements found in " +
			"the new words, follow. What the trader wrote cannot be corrected.",
		Body:     route.Body{Name: "TranscriptSegmentChange", About: "The corrected words.", Read: route.ReaderOf(readSegmentChange)},
		Answers:  []route.Answer{{Status: http.StatusOK, About: "The corrected segment.", Body: segmentBody{}}},
		Problems: []problem.Code{problem.Conflict},
	},
	"getDecisionReasons": {
		Tag: route.TagInterviews, Summary: "Retrieve the reasons for decisions", Conditional: true,
		Description: "Returns the reasons that the organization offers to people who decide on interviews. A decision may have any reason.",
		Answers:     []route.Answer{{Status: http.StatusOK, About: "The reasons.", Body: reasonsBody{}}},
	},
	"replaceDecisionReasons": {
		Tag: route.TagInterviews, Summary: "Replace the reasons for decisions", Conditional: true,
		Description: "Replaces the reasons that the organization offers to people who decide on interviews. Earlier decisions keep their reasons.",
		Body:        route.Body{Name: "DecisionReasonsChange", About: "The reasons.", Read: route.ReaderOf(readReasons)},
		Answers:     []route.Answer{{Status: http.StatusOK, About: "The updated reasons.", Body: reasonsBody{}}},
	},
	"listComments": {
		Tag: route.TagInterviews, Summary: "List comments",
		Description: "Lists the comments on an interview, oldest first. Only people and keys of the organization can read them. Neither the trader nor a shared page shows them.",
		Answers:     []route.Answer{{Status: http.StatusOK, About: "The comments.", Body: response.Collection[CommentBody]{}, Headers: []string{"Link"}}},
	},
	"createComment": {
		Tag: route.TagInterviews, Summary: "Add a comment",
		Description: "Adds a comment to an interview in any status. The interview then waits for the users whom the comment mentions: see the `mentioned` filter of the list of " +
			"interviews. It stops waiting for the author. An interview has at most 1000 comments.",
		Body:     route.Body{Name: "NewComment", About: "The comment.", Read: route.ReaderOf(readComment)},
		Answers:  []route.Answer{{Status: http.StatusCreated, About: "The comment.", Body: CommentBody{}}},
		Problems: []problem.Code{problem.Conflict},
	},
	"replaceComment": {
		Tag: route.TagInterviews, Summary: "Edit a comment",
		Description: "Replaces a comment. Only its author can do this. Users who have responded to a mention need not respond again.",
		Body:        route.Body{Name: "NewComment", About: "The comment.", Read: route.ReaderOf(readComment)},
		Answers:     []route.Answer{{Status: http.StatusOK, About: "The edited comment.", Body: CommentBody{}}},
		Problems:    []problem.Code{problem.NotAuthor},
	},
	"deleteComment": {
		Tag: route.TagInterviews, Summary: "Delete a comment",
		Description: "Deletes a comment with its mentions. Only its author can do this.",
		Answers:     []route.Answer{{Status: http.StatusNoContent, About: "The comment is deleted."}},
		Problems:    []problem.Code{problem.NotAuthor},
	},
	"dismissMentions": {
		Tag: route.TagInterviews, Summary: "Dismiss your mentions",
		Description: "Marks the mentions of the signed-in user in an interview as done, so that it no longer waits for the user. An API key cannot be mentioned, so nothing changes for it.",
		Answers:     []route.Answer{{Status: http.StatusNoContent, About: "No mention waits for the user."}},
	},
}
