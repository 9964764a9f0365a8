package v1

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/assayhq/assay/apiserver/auth"
	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/docs"
	"github.com/assayhq/assay/apiserver/interview"
	"github.com/assayhq/assay/apiserver/media"
	"github.com/assayhq/assay/apiserver/openapi"
	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/apiserver/web"
	"github.com/assayhq/assay/internal/analysis"
	"github.com/assayhq/assay/internal/analysis/load"
	"github.com/assayhq/assay/store/interviews/answering"
)

// Handler serves a route. It either writes a response or returns an error, which is converted to
// a problem document, and never does both.
type Handler func(w http.ResponseWriter, r *http.Request) error

// Route is one row of the table of routes.
type Route struct {
	Method string
	Path   string     // template, such as /v1/traders/{id}
	Scope  auth.Scope // what a key or a person's role must hold; empty if no scope is required
	// Also is a second required scope; empty if there is none.
	Also auth.Scope
	// Person is a second scope that a person's role must hold, but no key; empty if there is none.
	Person auth.Scope
	// Once means that a POST takes no Idempotency-Key: each call is carried out.
	Once bool
	// Caller means that any key or session may call, regardless of its scopes.
	Caller bool
	// Session means that a person must have signed in, with any role, and that keys are refused.
	// If Scope, Caller and Session are not set, the route is public.
	Session bool
	Handle  Handler // nil if Query returns the handler
	// Limit is the time from the end of the header to the end of the response. Zero means
	// answerLimit.
	Limit time.Duration
	// Query reads the parameters that the route takes, and returns the handler with their values.
	// It is nil if the route takes none. Faults that it notes and all other parameters are
	// refused before the handler is called.
	Query func(*decode.Query) Handler
	// Produces is the media type of responses; empty means JSON. It may list several, separated
	// by ", ", if it depends on the response. A DELETE responds without a body.
	Produces string
	// Accepts is the media type of bodies; empty means JSON. A body of decode.MediaForm is read
	// before Handle is called, which gets it from formFrom.
	Accepts string
	// MaxBody limits bodies in bytes. Zero means middleware.MaxBody.
	MaxBody int64
	// Page marks routes that people read. Whatever their browsers send is accepted, and the
	// routes are not in the OpenAPI document.
	Page bool
	// Operation documents the route in the OpenAPI document.
	Operation Operation
}

// Public reports whether the route requires no authentication.
func (r Route) Public() bool { return r.Scope == "" && !r.Caller && !r.Session }

// isRead reports whether the route returns a list or an item directly. Streams, downloads and
// analyses, which have their own time limits, are not reads.
func (r Route) isRead() bool { return r.Method == http.MethodGet && r.Scope != "" && r.Limit == 0 }

// Time limits of routes. A live check may take two minutes, and an upload as long as its bytes
// take to arrive. Each has some more time for its response.
const (
	answerLimit    = 30 * time.Second
	liveCheckLimit = 130 * time.Second
	uploadLimit    = uploadReadLimit + answerLimit
)

// Routes is the table of routes. A GET serves HEAD as well.
//
// To add a route:
//
//  1. Write its handler. Next to it, write a function that takes a *decode.Object
//     and reads the route's body, which the handler calls, or one that takes a
//     *decode.Query and reads its query, whose result is passed to the handler.
//     Each member needs a decode.Note that says what it is, and what the code
//     checks beyond the limits in the call that reads it.
//  2. Write the types of its responses. Each type and field needs a comment,
//     which callers read, and an api tag with its limits if the type does not
//     express them (apiserver/openapi/generate).
//  3. Add its Operation to the operations_ file of its resource, and a row here.
//  4. Run go generate ./apiserver/openapi, which regenerates the document or
//     reports what is missing.
//
// The tests check every request and response against the document, and must
// produce each documented response once. TestEveryRouteFails produces those
// that any route has.
func (a *API) Routes() []Route {
	return slices.Concat(a.platformRoutes(), a.accessRoutes(), a.interviewRoutes(), a.traderRoutes())
}

// platformRoutes are about platforms and webhooks, the document, and the stream.
func (a *API) platformRoutes() []Route {
	const read, manage, hooks = auth.IntegrationsRead, auth.IntegrationsManage, auth.WebhooksManage
	return []Route{
		{Method: "GET", Path: openapi.Path, Handle: a.getDocument, Operation: documentOperation()},
		{Method: "GET", Path: "/v1/stream", Caller: true, Handle: a.streamChanges, Limit: streamLimit, Produces: mediaEvents, Operation: streamOperation()},

		{Method: "GET", Path: "/v1/integrations/egress", Scope: read, Handle: a.egressInfo, Operation: egressOperation()},
		{Method: "POST", Path: "/v1/integrations/test", Scope: manage, Handle: a.testUnsaved, Limit: liveCheckLimit, Produces: mediaJSON + ", " + mediaEvents, Operation: a.testUnsavedOperation()},
		{Method: "GET", Path: "/v1/integrations", Scope: read, Query: withQuery((*decode.Query).Collection, a.listIntegrations), Operation: listIntegrationsOperation()},
		{Method: "POST", Path: "/v1/integrations", Scope: manage, Handle: a.createIntegration, Limit: liveCheckLimit, Operation: a.createIntegrationOperation()},
		{Method: "GET", Path: "/v1/integrations/{id}", Scope: read, Handle: a.getIntegration, Operation: integrationOperation()},
		{Method: "PATCH", Path: "/v1/integrations/{id}", Scope: manage, Handle: a.updateIntegration, Limit: liveCheckLimit, Operation: a.updateIntegrationOperation()},
		{Method: "DELETE", Path: "/v1/integrations/{id}", Scope: manage, Handle: a.deleteIntegration, Operation: deleteIntegrationOperation()},
		{Method: "POST", Path: "/v1/integrations/{id}/test", Scope: manage, Handle: a.testIntegration, Limit: liveCheckLimit, Produces: mediaJSON + ", " + mediaEvents, Operation: testIntegrationOperation()},
		{Method: "POST", Path: "/v1/integrations/{id}/sync", Scope: manage, Handle: a.requestSync, Operation: requestSyncOperation()},
		{Method: "POST", Path: "/v1/integrations/{id}/audit", Scope: manage, Handle: a.requestAudit, Operation: requestAuditOperation()},
		{Method: "GET", Path: "/v1/integrations/{id}/audit", Scope: read, Handle: a.integrationAudits, Operation: integrationAuditsOperation()},
		{Method: "GET", Path: "/v1/integrations/{id}/runs", Scope: read, Query: withQuery(readRunsQuery, a.listRuns), Operation: listRunsOperation()},
		{Method: "GET", Path: "/v1/integrations/{id}/runs/export", Scope: read, Query: withQuery(readRunSort, a.exportRuns), Limit: downloadLimit, Produces: decode.MediaCSV, Operation: exportRunsOperation()},
		{Method: "GET", Path: "/v1/integrations/{id}/schedule", Scope: read, Handle: a.getSchedule, Operation: scheduleOperation()},
		{Method: "GET", Path: "/v1/integrations/{id}/quarantine", Scope: read, Query: withQuery(readQuarantineQuery, a.listQuarantine), Operation: listQuarantineOperation()},
		{Method: "GET", Path: "/v1/integrations/{id}/quarantine/export", Scope: read, Query: withQuery(readQuarantineSort, a.exportQuarantine), Limit: downloadLimit, Produces: decode.MediaCSV, Operation: exportQuarantineOperation()},
		{Method: "GET", Path: "/v1/integrations/{id}/findings", Scope: read, Query: withQuery((*decode.Query).Page, a.listFindings), Operation: listFindingsOperation()},

		{Method: "GET", Path: "/v1/webhooks", Scope: hooks, Query: withQuery((*decode.Query).Collection, a.listWebhooks), Operation: listWebhooksOperation()},
		{Method: "POST", Path: "/v1/webhooks", Scope: hooks, Handle: a.createWebhook, Operation: a.createWebhookOperation()},
		{Method: "GET", Path: "/v1/webhooks/events", Scope: hooks, Query: withQuery((*decode.Query).Collection, a.listEventKinds), Operation: listEventKindsOperation()},
		{Method: "GET", Path: "/v1/webhooks/{id}", Scope: hooks, Handle: a.getWebhook, Operation: webhookOperation()},
		{Method: "PATCH", Path: "/v1/webhooks/{id}", Scope: hooks, Handle: a.updateWebhook, Operation: a.updateWebhookOperation()},
		{Method: "DELETE", Path: "/v1/webhooks/{id}", Scope: hooks, Handle: a.deleteWebhook, Operation: deleteWebhookOperation()},
		{Method: "POST", Path: "/v1/webhooks/{id}/test", Scope: hooks, Handle: a.testWebhook, Operation: testWebhookOperation()},
		{Method: "POST", Path: "/v1/webhooks/{id}/rotate-secret", Scope: hooks, Handle: a.rotateSecret, Operation: rotateSecretOperation()},
		{Method: "GET", Path: "/v1/webhooks/{id}/deliveries", Scope: hooks, Query: withQuery(readDeliveriesQuery, a.listDeliveries), Operation: listDeliveriesOperation()},
		{Method: "GET", Path: "/v1/webhooks/{id}/deliveries/export", Scope: hooks, Query: withQuery(readDeliveryFilter, a.exportDeliveries), Limit: downloadLimit, Produces: decode.MediaCSV, Operation: exportDeliveriesOperation()},
		{Method: "GET", Path: "/v1/webhooks/{id}/health", Scope: hooks, Handle: a.getWebhookHealth, Operation: webhookHealthOperation()},
		{Method: "POST", Path: "/v1/webhooks/{id}/retry", Scope: hooks, Handle: a.retryDeliveries, Operation: retryDeliveriesOperation()},
		{Method: "POST", Path: "/v1/webhooks/deliveries/{deliveryId}/retry", Scope: hooks, Handle: a.retryDelivery, Operation: retryDeliveryOperation()},
	}
}

// accessRoutes are about permissions and the audit log.
func (a *API) accessRoutes() []Route {
	return []Route{
		{Method: "GET", Path: "/v1/api-keys", Scope: auth.APIKeysManage, Query: withQuery((*decode.Query).Collection, a.listAPIKeys), Operation: listAPIKeysOperation()},
		{Method: "POST", Path: "/v1/api-keys", Scope: auth.APIKeysManage, Handle: a.createAPIKey, Operation: createAPIKeyOperation()},
		{Method: "DELETE", Path: "/v1/api-keys/{id}", Scope: auth.APIKeysManage, Handle: a.revokeAPIKey, Operation: revokeAPIKeyOperation()},

		{Method: "GET", Path: "/v1/users", Scope: auth.InterviewsRead, Query: withQuery((*decode.Query).Collection, a.listUsers), Operation: listUsersOperation()},
		{Method: "POST", Path: "/v1/users", Scope: auth.APIKeysManage, Handle: a.createUser, Operation: a.createUserOperation()},
		{Method: "GET", Path: "/v1/users/{id}", Scope: auth.InterviewsRead, Handle: a.getUser, Operation: userOperation()},
		{Method: "PATCH", Path: "/v1/users/{id}", Scope: auth.APIKeysManage, Handle: a.updateUser, Operation: updateUserOperation()},
		{Method: "DELETE", Path: "/v1/users/{id}", Scope: auth.APIKeysManage, Handle: a.removeUser, Operation: removeUserOperation()},
		{Method: "POST", Path: "/v1/users/{id}/reset-password", Scope: auth.APIKeysManage, Handle: a.resetPassword, Operation: resetPasswordOperation()},

		{Method: "GET", Path: "/v1/organization", Scope: auth.APIKeysManage, Handle: a.getOrganization, Operation: organizationOperation()},
		{Method: "PATCH", Path: "/v1/organization", Scope: auth.APIKeysManage, Handle: a.updateOrganization, Operation: updateOrganizationOperation()},

		{Method: "GET", Path: "/session/methods", Handle: a.signInMethods, Operation: signInMethodsOperation()},
		{Method: "GET", Path: "/session/views", Session: true, Handle: a.getViews, Operation: viewsOperation()},
		{Method: "PUT", Path: "/session/views", Session: true, Handle: a.replaceViews, Operation: replaceViewsOperation()},
		{Method: "GET", Path: "/session", Session: true, Handle: a.getSession, Operation: sessionOperation()},
		{Method: "POST", Path: "/session", Handle: a.signIn, Operation: signInOperation()},
		{Method: "DELETE", Path: "/session", Session: true, Query: withQuery(readSignOut, a.signOut), Operation: signOutOperation()},
		{Method: "PUT", Path: "/session/password", Session: true, Handle: a.changePassword, Operation: changePasswordOperation()},

		{Method: "GET", Path: "/v1/audit", Scope: auth.APIKeysManage, Query: withQuery(readAuditQuery, a.listAudit), Operation: listAuditOperation()},
		{Method: "GET", Path: "/v1/audit/export", Scope: auth.APIKeysManage, Query: withQuery(readAuditFilter, a.exportAudit), Limit: downloadLimit, Produces: decode.MediaCSV, Operation: exportAuditOperation()},
	}
}

// interviewRoutes are about interviews and the rules by which they are judged.
func (a *API) interviewRoutes() []Route {
	return []Route{
		{Method: "GET", Path: "/v1/interviews", Scope: auth.InterviewsRead, Query: withQuery(readInterviewsQuery, a.listInterviews), Operation: listInterviewsOperation()},
		{Method: "POST", Path: "/v1/interviews", Scope: auth.InterviewsCreate, Handle: a.createInterview, Operation: a.createInterviewOperation()},
		{Method: "GET", Path: "/v1/interviews/options", Scope: auth.InterviewsRead, Handle: a.interviewOptions, Operation: interviewOptionsOperation()},
		{Method: "GET", Path: "/v1/interviews/export", Scope: auth.InterviewsRead, Query: withQuery(readInterviewFilter, a.exportInterviews), Limit: downloadLimit, Produces: decode.MediaCSV, Operation: exportInterviewsOperation()},
		{Method: "GET", Path: "/v1/interviews/{id}", Scope: auth.InterviewsRead, Handle: a.getInterview, Operation: interviewOperation()},
		{Method: "DELETE", Path: "/v1/interviews/{id}", Scope: auth.InterviewsDelete, Handle: a.deleteInterview, Operation: deleteInterviewOperation()},
		{Method: "POST", Path: "/v1/interviews/{id}/decision", Scope: auth.InterviewsDecide, Handle: a.decideInterview, Operation: decideOperation()},
		{Method: "POST", Path: "/v1/interviews/{id}/share", Scope: auth.InterviewsRead, Person: auth.InterviewsDecide, Handle: a.shareInterview, Operation: shareOperation()},
		{Method: "DELETE", Path: "/v1/interviews/{id}/share", Scope: auth.InterviewsRead, Person: auth.InterviewsDecide, Handle: a.unshareInterview, Operation: unshareOperation()},
		{Method: "POST", Path: "/v1/interviews/{id}/reissue", Scope: auth.InterviewsCreate, Handle: a.reissueInvite, Operation: reissueOperation()},
		{Method: "POST", Path: "/v1/interviews/{id}/retake", Scope: auth.InterviewsCreate, Handle: a.retakeInterview, Operation: retakeOperation()},
		{Method: "POST", Path: "/v1/interviews/{id}/regenerate", Scope: auth.InterviewsCreate, Handle: a.regenerateReport, Operation: regenerateOperation()},
		{Method: "GET", Path: "/v1/interviews/{id}/trades", Scope: auth.InterviewsRead, Query: withQuery((*decode.Query).Collection, a.interviewTrades), Operation: interviewTradesOperation()},
		{Method: "POST", Path: "/v1/interviews/{id}/playback", Scope: auth.InterviewsRead, Handle: a.createPlayback, Once: true, Operation: playbackOperation()},
		{Method: "GET", Path: "/v1/interviews/{id}/subtitles", Scope: auth.InterviewsRead, Handle: a.getSubtitles, Produces: mediaVTT, Operation: subtitlesOperation()},
		{Method: "POST", Path: "/v1/interviews/{id}/subtitles", Scope: auth.InterviewsCreate, Handle: a.requestSubtitles, Operation: requestSubtitlesOperation()},
		{Method: "POST", Path: "/v1/interviews/{id}/activity-file", Scope: auth.InterviewsCreate, Handle: a.uploadInterviewFile, Limit: uploadLimit, Accepts: decode.MediaForm, MaxBody: maxUpload, Operation: uploadInterviewFileOperation()},
		{Method: "GET", Path: "/v1/interviews/{id}/activity-file", Scope: auth.InterviewsRead, Handle: a.interviewFile, Limit: downloadLimit, Produces: strings.Join(load.MediaTypes(), ", "), Operation: interviewFileOperation()},
		{Method: "POST", Path: "/v1/interviews/{id}/assign", Scope: auth.InterviewsDecide, Handle: a.assignInterview, Operation: assignOperation()},
		{Method: "PATCH", Path: "/v1/interviews/{id}/communication", Scope: auth.InterviewsDecide, Handle: a.markCommunicated, Operation: communicateOperation()},
		{Method: "PUT", Path: "/v1/interviews/{id}/legal-hold", Scope: auth.InterviewsDelete, Handle: a.holdInterview, Operation: holdOperation()},
		{Method: "DELETE", Path: "/v1/interviews/{id}/legal-hold", Scope: auth.InterviewsDelete, Handle: a.releaseInterview, Operation: releaseOperation()},
		{Method: "GET", Path: "/v1/interviews/{id}/export", Scope: auth.InterviewsRead, Handle: a.exportInterview, Limit: archiveLimit, Produces: mediaZIP, Operation: exportInterviewOperation()},
		{Method: "GET", Path: "/v1/interviews/{id}/comments", Scope: auth.InterviewsRead, Query: withQuery((*decode.Query).Collection, a.listComments), Operation: listCommentsOperation()},
		{Method: "POST", Path: "/v1/interviews/{id}/comments", Scope: auth.InterviewsDecide, Handle: a.addComment, Operation: addCommentOperation()},
		{Method: "PUT", Path: "/v1/interviews/{id}/comments/{commentId}", Scope: auth.InterviewsDecide, Handle: a.editComment, Operation: editCommentOperation()},
		{Method: "DELETE", Path: "/v1/interviews/{id}/comments/{commentId}", Scope: auth.InterviewsDecide, Handle: a.deleteComment, Operation: deleteCommentOperation()},
		{Method: "DELETE", Path: "/v1/interviews/{id}/mentions", Scope: auth.InterviewsRead, Handle: a.dismissMentions, Operation: dismissMentionsOperation()},
		{Method: "GET", Path: "/v1/interviews/{id}/segments/{segmentId}", Scope: auth.InterviewsRead, Handle: a.getSegment, Operation: segmentOperation()},
		{Method: "PUT", Path: "/v1/interviews/{id}/segments/{segmentId}", Scope: auth.InterviewsDecide, Handle: a.correctSegment, Operation: correctSegmentOperation()},
		{Method: "POST", Path: "/v1/interviews/{id}/claims/{claimId}/confirm", Scope: auth.InterviewsDecide, Handle: a.confirmClaim, Operation: confirmClaimOperation()},

		{Method: "GET", Path: "/v1/decision-reasons", Scope: auth.InterviewsRead, Handle: a.getDecisionReasons, Operation: decisionReasonsOperation()},
		{Method: "PUT", Path: "/v1/decision-reasons", Scope: auth.InterviewsDecide, Handle: a.replaceDecisionReasons, Operation: replaceDecisionReasonsOperation()},
		{Method: "GET", Path: "/v1/analysis/ruleset", Scope: auth.InterviewsRead, Handle: a.getRuleset, Operation: rulesetOperation()},
		{Method: "PUT", Path: "/v1/analysis/ruleset", Scope: auth.InterviewsDecide, Handle: a.replaceRuleset, Operation: replaceRulesetOperation()},
		{Method: "GET", Path: "/v1/analysis/symbols", Scope: auth.InterviewsRead, Handle: a.getSymbolMappings, Operation: symbolMappingsOperation()},
		{Method: "PUT", Path: "/v1/analysis/symbols", Scope: auth.InterviewsDecide, Handle: a.replaceSymbolMappings, Operation: replaceSymbolMappingsOperation()},
		{Method: "GET", Path: "/v1/analysis/calendar", Scope: auth.InterviewsRead, Handle: a.getCalendar, Produces: decode.MediaCSV, Operation: calendarOperation()},
		{Method: "PUT", Path: "/v1/analysis/calendar", Scope: auth.InterviewsDecide, Handle: a.replaceCalendar, Accepts: decode.MediaCSV, MaxBody: analysis.MaxCalendarBytes, Operation: replaceCalendarOperation()},
	}
}

// traderRoutes are about the directory.
func (a *API) traderRoutes() []Route {
	return []Route{
		{Method: "GET", Path: "/v1/traders", Scope: auth.TradersRead, Query: withQuery(readTradersQuery, a.listTraders), Operation: listTradersOperation()},
		{Method: "GET", Path: "/v1/payouts", Scope: auth.TradersRead, Query: withQuery(readPayoutsQuery, a.listPayouts), Operation: listPayoutsOperation()},
		{Method: "GET", Path: "/v1/payouts/export", Scope: auth.TradersRead, Query: withQuery(readPayoutFilter, a.exportPayouts), Limit: downloadLimit, Produces: decode.MediaCSV, Operation: exportPayoutsOperation()},
		{Method: "POST", Path: "/v1/traders", Scope: auth.TradersWrite, Handle: a.createTrader, Operation: createTraderOperation()},
		{Method: "GET", Path: "/v1/traders/export", Scope: auth.TradersRead, Query: withQuery(readTraderFilter, a.exportTraders), Limit: downloadLimit, Produces: decode.MediaCSV, Operation: exportTradersOperation()},
		{Method: "GET", Path: "/v1/traders/{id}", Scope: auth.TradersRead, Handle: a.getTrader, Operation: traderOperation()},
		{Method: "PATCH", Path: "/v1/traders/{id}", Scope: auth.TradersWrite, Handle: a.updateTrader, Operation: updateTraderOperation()},
		{Method: "GET", Path: "/v1/traders/{id}/trades", Scope: auth.TradersRead, Query: withQuery(readTradesQuery, a.listTrades), Operation: listTradesOperation()},
		{Method: "GET", Path: "/v1/traders/{id}/trades/export", Scope: auth.TradersRead, Query: withQuery(readTradeFilter, a.exportTrades), Limit: downloadLimit, Produces: decode.MediaCSV, Operation: exportTradesOperation()},
		{Method: "POST", Path: "/v1/traders/{id}/notes", Scope: auth.TradersWrite, Handle: a.addNote, Operation: addNoteOperation()},
		{Method: "GET", Path: "/v1/traders/{id}/activity", Scope: auth.TradersRead, Limit: activityLimit, Query: withQuery(readActivityQuery, a.getActivity), Operation: activityOperation()},
		{Method: "GET", Path: "/v1/traders/{id}/activity-files", Scope: auth.TradersRead, Query: withQuery((*decode.Query).Collection, a.listActivityFiles), Operation: listActivityFilesOperation()},
		{Method: "POST", Path: "/v1/traders/{id}/activity-files", Scope: auth.TradersWrite, Handle: a.uploadActivityFile, Limit: uploadLimit, Accepts: decode.MediaForm, MaxBody: maxUpload, Operation: uploadActivityFileOperation()},
		{Method: "POST", Path: "/v1/traders/{id}/activity-files/preview", Scope: auth.TradersWrite, Handle: a.previewActivityFile, Limit: uploadLimit, Accepts: decode.MediaForm, MaxBody: maxUpload, Once: true, Operation: previewActivityFileOperation()},
		{Method: "GET", Path: "/v1/traders/{id}/activity-files/{fileId}", Scope: auth.TradersRead, Handle: a.activityFile, Limit: downloadLimit, Produces: strings.Join(load.MediaTypes(), ", "), Operation: activityFileOperation()},
		{Method: "DELETE", Path: "/v1/traders/{id}/activity-files/{fileId}", Scope: auth.TradersWrite, Handle: a.deleteActivityFile, Operation: deleteActivityFileOperation()},
		{Method: "GET", Path: "/v1/traders/{id}/export", Scope: auth.TradersRead, Also: auth.InterviewsRead, Handle: a.exportTrader, Limit: archiveLimit, Produces: mediaZIP, Operation: exportTraderOperation()},
		{Method: "POST", Path: "/v1/traders/{id}/erase", Scope: auth.TradersWrite, Also: auth.InterviewsDelete, Handle: a.eraseTrader, Operation: eraseTraderOperation()},
		{Method: "GET", Path: "/v1/traders/{id}/duplicates", Scope: auth.TradersRead, Query: withQuery((*decode.Query).Collection, a.listDuplicates), Operation: listDuplicatesOperation()},
		{Method: "POST", Path: "/v1/traders/{id}/duplicates/{duplicateId}/merge", Scope: auth.TradersWrite, Handle: a.mergeTraders, Operation: mergeTradersOperation()},
		{Method: "PUT", Path: "/v1/traders/{id}/duplicates/{duplicateId}/dismissal", Scope: auth.TradersWrite, Handle: a.dismissDuplicate, Operation: dismissDuplicateOperation()},
		{Method: "DELETE", Path: "/v1/traders/{id}/duplicates/{duplicateId}/dismissal", Scope: auth.TradersWrite, Handle: a.restoreDuplicate, Operation: restoreDuplicateOperation()},
		{Method: "DELETE", Path: "/v1/traders/{id}/notes/{noteId}", Scope: auth.TradersWrite, Handle: a.deleteNote, Operation: deleteNoteOperation()},
	}
}

// pageRoutes lists the pages that people open in a browser. They are public, not part of the
// tables above, and served in the same way.
func (a *API) pageRoutes() []Route {
	list := []Route{
		{Method: "GET", Path: oidcStartPath, Page: true, Handle: a.startOIDC},
		{Method: "GET", Path: oidcCallbackPath, Page: true, Handle: a.finishOIDC},
		{Method: "GET", Path: "/docs", Page: true, Handle: a.docs.Reference},
		{Method: "GET", Path: docs.AssetsPath + "{" + docs.AssetVariable + "}", Page: true, Handle: a.docs.Asset},
		{Method: "GET", Path: "/problems", Page: true, Handle: a.docs.Problems},
		{Method: "GET", Path: problem.PagesPath + "{" + docs.CodeVariable + "}", Page: true, Handle: a.docs.Problem},
	}
	if a.media != nil {
		list = append(list, Route{Method: "GET", Path: media.Template, Page: true, Limit: media.Limit, Handle: a.media.Serve})
	}
	if a.web != nil {
		list = append(list, Route{Method: "GET", Path: web.AssetsPath + "{" + web.AssetVariable + "}", Page: true, Handle: a.web.Asset})
		for _, address := range web.Addresses() {
			list = append(list, Route{Method: "GET", Path: address, Page: true, Handle: a.getDashboard})
		}
	}
	if a.interviews != nil {
		list = append(list, a.linkRoutes()...)
	}
	return list
}

// linkRoutes lists the routes behind the links that assay hands out: the trader's page and the
// shared report, with the requests of these pages. The links are the permission, which
// apiserver/interview checks.
func (a *API) linkRoutes() []Route {
	const (
		trader   = "/i/{" + interview.TokenVariable + "}"
		answer   = trader + "/answers/{" + interview.QuestionVariable + "}"
		uploads  = trader + "/uploads"
		upload   = uploads + "/{" + interview.UploadVariable + "}"
		shared   = "/s/{" + interview.TokenVariable + "}"
		takeSize = answering.MaxTakeBytes
	)
	d := a.interviews
	list := []Route{
		{Method: "GET", Path: trader, Handle: d.Page},
		{Method: "GET", Path: trader + "/interview", Handle: d.Landing},
		{Method: "POST", Path: trader + "/session", Handle: d.Begin},
		{Method: "GET", Path: trader + "/state", Handle: d.State},
		{Method: "POST", Path: trader + "/consent", Handle: d.Consent},
		{Method: "POST", Path: trader + "/decline", Handle: d.Decline},
		{Method: "POST", Path: trader + "/device-check", Handle: d.CheckDevice},
		{Method: "POST", Path: trader + "/speed-test", Handle: d.SpeedTest},
		{Method: "POST", Path: trader + "/start", Handle: d.Start},
		{Method: "POST", Path: answer + "/serve", Handle: d.Serve},
		{Method: "POST", Path: answer + "/takes", Handle: d.OpenTake},
		{Method: "POST", Path: answer + "/seal", Handle: d.Seal},
		{Method: "POST", Path: answer + "/abort", Handle: d.Abort},
		{Method: "POST", Path: trader + "/submit", Handle: d.Submit},
		{Method: "POST", Path: trader + "/events", Handle: d.Events},
		{Method: "OPTIONS", Path: uploads, Handle: d.Uploads},
		{Method: "POST", Path: uploads, Handle: d.Uploads, Limit: uploadLimit, MaxBody: takeSize},
		{Method: "OPTIONS", Path: upload, Handle: d.Uploads},
		{Method: "HEAD", Path: upload, Handle: d.Uploads},
		{Method: "PATCH", Path: upload, Handle: d.Uploads, Limit: uploadLimit, MaxBody: takeSize},
		{Method: "POST", Path: upload, Handle: d.Uploads, Limit: uploadLimit, MaxBody: takeSize}, // for clients that cannot send PATCH
		{Method: "DELETE", Path: upload, Handle: d.Uploads},

		{Method: "GET", Path: shared, Handle: d.SharedPage},
		{Method: "GET", Path: shared + "/report", Handle: d.SharedReport},
		{Method: "POST", Path: shared + "/playback", Handle: d.SharedPlayback},
		{Method: "GET", Path: shared + "/subtitles", Handle: d.SharedSubtitles},
	}
	for i := range list {
		list[i].Page, list[i].Once = true, true
	}
	return list
}
