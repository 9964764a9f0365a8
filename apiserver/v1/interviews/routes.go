package interviews

import (
	"github.com/assayhq/assay/apiserver/auth"
	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/route"
)

// Routes lists the routes of interviews.
func (a *API) Routes() []route.Route {
	return route.Document([]route.Route{
		{Method: "GET", Path: "/v1/interviews", Scope: auth.InterviewsRead, Query: route.WithQuery(readInterviewsQuery, a.listInterviews), ID: "listInterviews"},
		{Method: "POST", Path: "/v1/interviews", Scope: auth.InterviewsCreate, Handle: a.createInterview, ReadBody: route.ReaderOf(a.newInterviewFrom), ID: "createInterview"},
		{Method: "GET", Path: "/v1/interviews/options", Scope: auth.InterviewsRead, Handle: a.interviewOptions, ID: "getInterviewOptions"},
		{Method: "GET", Path: "/v1/interviews/export", Scope: auth.InterviewsRead, Query: route.WithQuery(readInterviewFilter, a.exportInterviews), Limit: route.DownloadLimit, Produces: decode.MediaCSV, ID: "exportInterviews"},
		{Method: "GET", Path: "/v1/interviews/{id}", Scope: auth.InterviewsRead, Handle: route.WithID(a.getInterview), ID: "getInterview"},
		{Method: "DELETE", Path: "/v1/interviews/{id}", Scope: auth.InterviewsDelete, Handle: route.WithID(a.deleteInterview), ID: "deleteInterview"},
		{Method: "POST", Path: "/v1/interviews/{id}/decision", Scope: auth.InterviewsDecide, Handle: a.decideInterview, ID: "decideInterview"},
		{Method: "POST", Path: "/v1/interviews/{id}/share", Scope: auth.InterviewsRead, Person: auth.InterviewsDecide, Handle: a.shareInterview, ID: "shareInterview"},
		{Method: "DELETE", Path: "/v1/interviews/{id}/share", Scope: auth.InterviewsRead, Person: auth.InterviewsDecide, Handle: route.WithID(a.unshareInterview), ID: "unshareInterview"},
		{Method: "POST", Path: "/v1/interviews/{id}/reissue", Scope: auth.InterviewsCreate, Handle: a.reissueInvite, ID: "reissueInvite"},
		{Method: "POST", Path: "/v1/interviews/{id}/retake", Scope: auth.InterviewsCreate, Handle: a.retakeInterview, ID: "retakeInterview"},
		{Method: "POST", Path: "/v1/interviews/{id}/regenerate", Scope: auth.InterviewsCreate, Handle: a.regenerateReport, ID: "regenerateReport"},
		{Method: "GET", Path: "/v1/interviews/{id}/trades", Scope: auth.InterviewsRead, Query: route.WithQuery((*decode.Query).Collection, a.interviewTrades), ID: "listInterviewTrades"},
		{Method: "POST", Path: "/v1/interviews/{id}/playback", Scope: auth.InterviewsRead, Handle: a.createPlayback, IgnoresIdempotencyKey: true, ID: "playInterview"},
		{Method: "GET", Path: "/v1/interviews/{id}/subtitles", Scope: auth.InterviewsRead, Handle: route.WithID(a.getSubtitles), Produces: mediaVTT, ID: "getSubtitles"},
		{Method: "POST", Path: "/v1/interviews/{id}/subtitles", Scope: auth.InterviewsCreate, Handle: a.requestSubtitles, ID: "requestSubtitles"},
		{Method: "POST", Path: "/v1/interviews/{id}/assign", Scope: auth.InterviewsDecide, Handle: a.assignInterview, ID: "assignInterview"},
		{Method: "PATCH", Path: "/v1/interviews/{id}/communication", Scope: auth.InterviewsDecide, Handle: a.markCommunicated, ID: "markCommunicated"},
		{Method: "PUT", Path: "/v1/interviews/{id}/legal-hold", Scope: auth.InterviewsDelete, Handle: a.holdInterview, ID: "holdInterview"},
		{Method: "DELETE", Path: "/v1/interviews/{id}/legal-hold", Scope: auth.InterviewsDelete, Handle: route.WithID(a.releaseInterview), ID: "releaseInterview"},
		{Method: "GET", Path: "/v1/interviews/{id}/comments", Scope: auth.InterviewsRead, Query: route.WithQuery((*decode.Query).Collection, a.listComments), ID: "listComments"},
		{Method: "POST", Path: "/v1/interviews/{id}/comments", Scope: auth.InterviewsDecide, Handle: a.addComment, ID: "createComment"},
		{Method: "PUT", Path: "/v1/interviews/{id}/comments/{commentId}", Scope: auth.InterviewsDecide, Handle: a.editComment, ID: "replaceComment"},
		{Method: "DELETE", Path: "/v1/interviews/{id}/comments/{commentId}", Scope: auth.InterviewsDecide, Handle: route.WithID(a.deleteComment), ID: "deleteComment"},
		{Method: "DELETE", Path: "/v1/interviews/{id}/mentions", Scope: auth.InterviewsRead, Handle: route.WithID(a.dismissMentions), ID: "dismissMentions"},
		{Method: "GET", Path: "/v1/interviews/{id}/segments/{segmentId}", Scope: auth.InterviewsRead, Handle: route.WithID(a.getSegment), ID: "getTranscriptSegment"},
		{Method: "PUT", Path: "/v1/interviews/{id}/segments/{segmentId}", Scope: auth.InterviewsDecide, Handle: a.correctSegment, ID: "correctTranscriptSegment"},
		{Method: "POST", Path: "/v1/interviews/{id}/claims/{claimId}/confirm", Scope: auth.InterviewsDecide, Handle: a.confirmClaim, ID: "confirmClaim"},

		{Method: "GET", Path: "/v1/decision-reasons", Scope: auth.InterviewsRead, Handle: a.getDecisionReasons, ID: "getDecisionReasons"},
		{Method: "PUT", Path: "/v1/decision-reasons", Scope: auth.InterviewsDecide, Handle: a.replaceDecisionReasons, ID: "replaceDecisionReasons"},
	}, operations)
}
