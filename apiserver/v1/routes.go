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
	"github.com/assayhq/assay/internal/analysis/calendar"
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
	// ID identifies the route in lowerCamelCase, such as listTraders; client generators use it. It is
	// empty if the route is not in the OpenAPI document.
	ID string
	// Operation documents the route in the OpenAPI document. It is the row of its ID.
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
//  3. Add its Operation to the table in the operations_ file of its resource, and a
//     row with the same ID here.
//  4. Run go generate ./apiserver/openapi, which regenerates the document or
//     reports what is missing.
//
// The tests check every request and response against the document, and must
// produce each documented response once. TestEveryRouteFails produces those
// that any route has.
func (a *API) Routes() []Route {
	routes := slices.Concat(a.platformRoutes(), a.accessRoutes(), a.interviewRoutes(), a.traderRoutes())
	for i := range routes {
		routes[i].Operation = operations[routes[i].ID]
	}
	return routes
}

// platformRoutes are about platforms and webhooks, the document, and the stream.
func (a *API) platformRoutes() []Route {
	const read, manage, hooks = auth.IntegrationsRead, auth.IntegrationsManage, auth.WebhooksManage
	return []Route{
		{Method: "GET", Path: openapi.Path, Handle: a.getDocument, ID: "getOpenAPI"},
		{Method: "GET", Path: "/v1/stream", Caller: true, Handle: a.streamChanges, Limit: streamLimit, Produces: mediaEvents, ID: "streamChanges"},

		{Method: "GET", Path: "/v1/integrations/egress", Scope: read, Handle: a.egressInfo, ID: "getEgress"},
		{Method: "POST", Path: "/v1/integrations/test", Scope: manage, Handle: a.testUnsaved, Limit: liveCheckLimit, Produces: mediaJSON + ", " + mediaEvents, ID: "testConnection"},
		{Method: "GET", Path: "/v1/integrations", Scope: read, Query: withQuery((*decode.Query).Collection, a.listIntegrations), ID: "listIntegrations"},
		{Method: "POST", Path: "/v1/integrations", Scope: manage, Handle: a.createIntegration, Limit: liveCheckLimit, ID: "createIntegration"},
		{Method: "GET", Path: "/v1/integrations/{id}", Scope: read, Handle: withID(a.getIntegration), ID: "getIntegration"},
		{Method: "PATCH", Path: "/v1/integrations/{id}", Scope: manage, Handle: withID(a.updateIntegration), Limit: liveCheckLimit, ID: "updateIntegration"},
		{Method: "DELETE", Path: "/v1/integrations/{id}", Scope: manage, Handle: a.deleteIntegration, ID: "deleteIntegration"},
		{Method: "POST", Path: "/v1/integrations/{id}/test", Scope: manage, Handle: a.testIntegration, Limit: liveCheckLimit, Produces: mediaJSON + ", " + mediaEvents, ID: "testIntegration"},
		{Method: "POST", Path: "/v1/integrations/{id}/sync", Scope: manage, Handle: a.requestSync, ID: "requestSync"},
		{Method: "POST", Path: "/v1/integrations/{id}/audit", Scope: manage, Handle: a.requestAudit, ID: "requestIntegrationAudit"},
		{Method: "GET", Path: "/v1/integrations/{id}/audit", Scope: read, Handle: withID(a.integrationAudits), ID: "getIntegrationAudits"},
		{Method: "GET", Path: "/v1/integrations/{id}/runs", Scope: read, Query: withQuery(readRunsQuery, a.listRuns), ID: "listSyncRuns"},
		{Method: "GET", Path: "/v1/integrations/{id}/runs/export", Scope: read, Query: withQuery(readRunSort, a.exportRuns), Limit: downloadLimit, Produces: decode.MediaCSV, ID: "exportSyncRuns"},
		{Method: "GET", Path: "/v1/integrations/{id}/schedule", Scope: read, Handle: withID(a.getSchedule), ID: "getSchedule"},
		{Method: "GET", Path: "/v1/integrations/{id}/quarantine", Scope: read, Query: withQuery(readQuarantineQuery, a.listQuarantine), ID: "listQuarantine"},
		{Method: "GET", Path: "/v1/integrations/{id}/quarantine/export", Scope: read, Query: withQuery(readQuarantineSort, a.exportQuarantine), Limit: downloadLimit, Produces: decode.MediaCSV, ID: "exportQuarantine"},
		{Method: "GET", Path: "/v1/integrations/{id}/findings", Scope: read, Query: withQuery((*decode.Query).Page, a.listFindings), ID: "listFindings"},

		{Method: "GET", Path: "/v1/webhooks", Scope: hooks, Query: withQuery((*decode.Query).Collection, a.listWebhooks), ID: "listWebhooks"},
		{Method: "POST", Path: "/v1/webhooks", Scope: hooks, Handle: a.createWebhook, ID: "createWebhook"},
		{Method: "GET", Path: "/v1/webhooks/events", Scope: hooks, Query: withQuery((*decode.Query).Collection, a.listEventKinds), ID: "listWebhookEvents"},
		{Method: "GET", Path: "/v1/webhooks/{id}", Scope: hooks, Handle: withID(a.getWebhook), ID: "getWebhook"},
		{Method: "PATCH", Path: "/v1/webhooks/{id}", Scope: hooks, Handle: a.updateWebhook, ID: "updateWebhook"},
		{Method: "DELETE", Path: "/v1/webhooks/{id}", Scope: hooks, Handle: a.deleteWebhook, ID: "deleteWebhook"},
		{Method: "POST", Path: "/v1/webhooks/{id}/test", Scope: hooks, Handle: a.testWebhook, ID: "testWebhook"},
		{Method: "POST", Path: "/v1/webhooks/{id}/rotate-secret", Scope: hooks, Handle: withID(a.rotateSecret), ID: "rotateWebhookSecret"},
		{Method: "GET", Path: "/v1/webhooks/{id}/deliveries", Scope: hooks, Query: withQuery(readDeliveriesQuery, a.listDeliveries), ID: "listWebhookDeliveries"},
		{Method: "GET", Path: "/v1/webhooks/{id}/deliveries/export", Scope: hooks, Query: withQuery(readDeliveryFilter, a.exportDeliveries), Limit: downloadLimit, Produces: decode.MediaCSV, ID: "exportWebhookDeliveries"},
		{Method: "GET", Path: "/v1/webhooks/{id}/health", Scope: hooks, Handle: withID(a.getWebhookHealth), ID: "getWebhookHealth"},
		{Method: "POST", Path: "/v1/webhooks/{id}/retry", Scope: hooks, Handle: withID(a.retryDeliveries), ID: "retryWebhookDeliveries"},
		{Method: "POST", Path: "/v1/webhooks/deliveries/{deliveryId}/retry", Scope: hooks, Handle: a.retryDelivery, ID: "retryWebhookDelivery"},
	}
}

// accessRoutes are about permissions and the audit log.
func (a *API) accessRoutes() []Route {
	return []Route{
		{Method: "GET", Path: "/v1/api-keys", Scope: auth.APIKeysManage, Query: withQuery((*decode.Query).Collection, a.listAPIKeys), ID: "listApiKeys"},
		{Method: "POST", Path: "/v1/api-keys", Scope: auth.APIKeysManage, Handle: a.createAPIKey, ID: "createApiKey"},
		{Method: "DELETE", Path: "/v1/api-keys/{id}", Scope: auth.APIKeysManage, Handle: withID(a.revokeAPIKey), ID: "revokeApiKey"},

		{Method: "GET", Path: "/v1/users", Scope: auth.InterviewsRead, Query: withQuery((*decode.Query).Collection, a.listUsers), ID: "listUsers"},
		{Method: "POST", Path: "/v1/users", Scope: auth.APIKeysManage, Handle: a.createUser, ID: "createUser"},
		{Method: "GET", Path: "/v1/users/{id}", Scope: auth.InterviewsRead, Handle: withID(a.getUser), ID: "getUser"},
		{Method: "PATCH", Path: "/v1/users/{id}", Scope: auth.APIKeysManage, Handle: withID(a.updateUser), ID: "updateUser"},
		{Method: "DELETE", Path: "/v1/users/{id}", Scope: auth.APIKeysManage, Handle: a.removeUser, ID: "removeUser"},
		{Method: "POST", Path: "/v1/users/{id}/reset-password", Scope: auth.APIKeysManage, Handle: a.resetPassword, ID: "resetUserPassword"},

		{Method: "GET", Path: "/v1/organization", Scope: auth.APIKeysManage, Handle: a.getOrganization, ID: "getOrganization"},
		{Method: "PATCH", Path: "/v1/organization", Scope: auth.APIKeysManage, Handle: a.updateOrganization, ID: "updateOrganization"},

		{Method: "GET", Path: "/session/methods", Handle: a.signInMethods, ID: "getSignInMethods"},
		{Method: "GET", Path: "/session/views", Session: true, Handle: a.getViews, ID: "getSavedViews"},
		{Method: "PUT", Path: "/session/views", Session: true, Handle: a.replaceViews, ID: "replaceSavedViews"},
		{Method: "GET", Path: "/session", Session: true, Handle: a.getSession, ID: "getSession"},
		{Method: "POST", Path: "/session", Handle: a.signIn, ID: "signIn"},
		{Method: "DELETE", Path: "/session", Session: true, Query: withQuery(readSignOut, a.signOut), ID: "signOut"},
		{Method: "PUT", Path: "/session/password", Session: true, Handle: a.changePassword, ID: "changePassword"},

		{Method: "GET", Path: "/v1/audit", Scope: auth.APIKeysManage, Query: withQuery(readAuditQuery, a.listAudit), ID: "listAudit"},
		{Method: "GET", Path: "/v1/audit/export", Scope: auth.APIKeysManage, Query: withQuery(readAuditFilter, a.exportAudit), Limit: downloadLimit, Produces: decode.MediaCSV, ID: "exportAudit"},
	}
}

// interviewRoutes are about interviews and the rules by which they are judged.
func (a *API) interviewRoutes() []Route {
	return []Route{
		{Method: "GET", Path: "/v1/interviews", Scope: auth.InterviewsRead, Query: withQuery(readInterviewsQuery, a.listInterviews), ID: "listInterviews"},
		{Method: "POST", Path: "/v1/interviews", Scope: auth.InterviewsCreate, Handle: a.createInterview, ID: "createInterview"},
		{Method: "GET", Path: "/v1/interviews/options", Scope: auth.InterviewsRead, Handle: a.interviewOptions, ID: "getInterviewOptions"},
		{Method: "GET", Path: "/v1/interviews/export", Scope: auth.InterviewsRead, Query: withQuery(readInterviewFilter, a.exportInterviews), Limit: downloadLimit, Produces: decode.MediaCSV, ID: "exportInterviews"},
		{Method: "GET", Path: "/v1/interviews/{id}", Scope: auth.InterviewsRead, Handle: withID(a.getInterview), ID: "getInterview"},
		{Method: "DELETE", Path: "/v1/interviews/{id}", Scope: auth.InterviewsDelete, Handle: withID(a.deleteInterview), ID: "deleteInterview"},
		{Method: "POST", Path: "/v1/interviews/{id}/decision", Scope: auth.InterviewsDecide, Handle: a.decideInterview, ID: "decideInterview"},
		{Method: "POST", Path: "/v1/interviews/{id}/share", Scope: auth.InterviewsRead, Person: auth.InterviewsDecide, Handle: a.shareInterview, ID: "shareInterview"},
		{Method: "DELETE", Path: "/v1/interviews/{id}/share", Scope: auth.InterviewsRead, Person: auth.InterviewsDecide, Handle: withID(a.unshareInterview), ID: "unshareInterview"},
		{Method: "POST", Path: "/v1/interviews/{id}/reissue", Scope: auth.InterviewsCreate, Handle: a.reissueInvite, ID: "reissueInvite"},
		{Method: "POST", Path: "/v1/interviews/{id}/retake", Scope: auth.InterviewsCreate, Handle: a.retakeInterview, ID: "retakeInterview"},
		{Method: "POST", Path: "/v1/interviews/{id}/regenerate", Scope: auth.InterviewsCreate, Handle: a.regenerateReport, ID: "regenerateReport"},
		{Method: "GET", Path: "/v1/interviews/{id}/trades", Scope: auth.InterviewsRead, Query: withQuery((*decode.Query).Collection, a.interviewTrades), ID: "listInterviewTrades"},
		{Method: "POST", Path: "/v1/interviews/{id}/playback", Scope: auth.InterviewsRead, Handle: a.createPlayback, Once: true, ID: "playInterview"},
		{Method: "GET", Path: "/v1/interviews/{id}/subtitles", Scope: auth.InterviewsRead, Handle: withID(a.getSubtitles), Produces: mediaVTT, ID: "getSubtitles"},
		{Method: "POST", Path: "/v1/interviews/{id}/subtitles", Scope: auth.InterviewsCreate, Handle: a.requestSubtitles, ID: "requestSubtitles"},
		{Method: "POST", Path: "/v1/interviews/{id}/activity-file", Scope: auth.InterviewsCreate, Handle: withID(a.uploadInterviewFile), Limit: uploadLimit, Accepts: decode.MediaForm, MaxBody: maxUpload, ID: "uploadInterviewFile"},
		{Method: "GET", Path: "/v1/interviews/{id}/activity-file", Scope: auth.InterviewsRead, Handle: withID(a.interviewFile), Limit: downloadLimit, Produces: strings.Join(load.MediaTypes(), ", "), ID: "downloadInterviewFile"},
		{Method: "POST", Path: "/v1/interviews/{id}/assign", Scope: auth.InterviewsDecide, Handle: a.assignInterview, ID: "assignInterview"},
		{Method: "PATCH", Path: "/v1/interviews/{id}/communication", Scope: auth.InterviewsDecide, Handle: a.markCommunicated, ID: "markCommunicated"},
		{Method: "PUT", Path: "/v1/interviews/{id}/legal-hold", Scope: auth.InterviewsDelete, Handle: a.holdInterview, ID: "holdInterview"},
		{Method: "DELETE", Path: "/v1/interviews/{id}/legal-hold", Scope: auth.InterviewsDelete, Handle: withID(a.releaseInterview), ID: "releaseInterview"},
		{Method: "GET", Path: "/v1/interviews/{id}/export", Scope: auth.InterviewsRead, Handle: withID(a.exportInterview), Limit: archiveLimit, Produces: mediaZIP, ID: "exportInterview"},
		{Method: "GET", Path: "/v1/interviews/{id}/comments", Scope: auth.InterviewsRead, Query: withQuery((*decode.Query).Collection, a.listComments), ID: "listComments"},
		{Method: "POST", Path: "/v1/interviews/{id}/comments", Scope: auth.InterviewsDecide, Handle: a.addComment, ID: "createComment"},
		{Method: "PUT", Path: "/v1/interviews/{id}/comments/{commentId}", Scope: auth.InterviewsDecide, Handle: a.editComment, ID: "replaceComment"},
		{Method: "DELETE", Path: "/v1/interviews/{id}/comments/{commentId}", Scope: auth.InterviewsDecide, Handle: withID(a.deleteComment), ID: "deleteComment"},
		{Method: "DELETE", Path: "/v1/interviews/{id}/mentions", Scope: auth.InterviewsRead, Handle: withID(a.dismissMentions), ID: "dismissMentions"},
		{Method: "GET", Path: "/v1/interviews/{id}/segments/{segmentId}", Scope: auth.InterviewsRead, Handle: withID(a.getSegment), ID: "getTranscriptSegment"},
		{Method: "PUT", Path: "/v1/interviews/{id}/segments/{segmentId}", Scope: auth.InterviewsDecide, Handle: a.correctSegment, ID: "correctTranscriptSegment"},
		{Method: "POST", Path: "/v1/interviews/{id}/claims/{claimId}/confirm", Scope: auth.InterviewsDecide, Handle: a.confirmClaim, ID: "confirmClaim"},

		{Method: "GET", Path: "/v1/decision-reasons", Scope: auth.InterviewsRead, Handle: a.getDecisionReasons, ID: "getDecisionReasons"},
		{Method: "PUT", Path: "/v1/decision-reasons", Scope: auth.InterviewsDecide, Handle: a.replaceDecisionReasons, ID: "replaceDecisionReasons"},
		{Method: "GET", Path: "/v1/analysis/ruleset", Scope: auth.InterviewsRead, Handle: a.getRuleset, ID: "getRuleset"},
		{Method: "PUT", Path: "/v1/analysis/ruleset", Scope: auth.InterviewsDecide, Handle: a.replaceRuleset, ID: "replaceRuleset"},
		{Method: "GET", Path: "/v1/analysis/symbols", Scope: auth.InterviewsRead, Handle: a.getSymbolMappings, ID: "getSymbolMappings"},
		{Method: "PUT", Path: "/v1/analysis/symbols", Scope: auth.InterviewsDecide, Handle: a.replaceSymbolMappings, ID: "replaceSymbolMappings"},
		{Method: "GET", Path: "/v1/analysis/calendar", Scope: auth.InterviewsRead, Handle: a.getCalendar, Produces: decode.MediaCSV, ID: "getCalendar"},
		{Method: "PUT", Path: "/v1/analysis/calendar", Scope: auth.InterviewsDecide, Handle: a.replaceCalendar, Accepts: decode.MediaCSV, MaxBody: calendar.MaxBytes, ID: "replaceCalendar"},
	}
}

// traderRoutes are about the directory.
func (a *API) traderRoutes() []Route {
	return []Route{
		{Method: "GET", Path: "/v1/traders", Scope: auth.TradersRead, Query: withQuery(readTradersQuery, a.listTraders), ID: "listTraders"},
		{Method: "GET", Path: "/v1/payouts", Scope: auth.TradersRead, Query: withQuery(readPayoutsQuery, a.listPayouts), ID: "listPayouts"},
		{Method: "GET", Path: "/v1/payouts/export", Scope: auth.TradersRead, Query: withQuery(readPayoutFilter, a.exportPayouts), Limit: downloadLimit, Produces: decode.MediaCSV, ID: "exportPayouts"},
		{Method: "POST", Path: "/v1/traders", Scope: auth.TradersWrite, Handle: a.createTrader, ID: "createTrader"},
		{Method: "GET", Path: "/v1/traders/export", Scope: auth.TradersRead, Query: withQuery(readTraderFilter, a.exportTraders), Limit: downloadLimit, Produces: decode.MediaCSV, ID: "exportTraders"},
		{Method: "GET", Path: "/v1/traders/{id}", Scope: auth.TradersRead, Handle: withID(a.getTrader), ID: "getTrader"},
		{Method: "PATCH", Path: "/v1/traders/{id}", Scope: auth.TradersWrite, Handle: withID(a.updateTrader), ID: "updateTrader"},
		{Method: "GET", Path: "/v1/traders/{id}/trades", Scope: auth.TradersRead, Query: withQuery(readTradesQuery, a.listTrades), ID: "listTrades"},
		{Method: "GET", Path: "/v1/traders/{id}/trades/export", Scope: auth.TradersRead, Query: withQuery(readTradeFilter, a.exportTrades), Limit: downloadLimit, Produces: decode.MediaCSV, ID: "exportTrades"},
		{Method: "POST", Path: "/v1/traders/{id}/notes", Scope: auth.TradersWrite, Handle: withID(a.addNote), ID: "createNote"},
		{Method: "GET", Path: "/v1/traders/{id}/activity", Scope: auth.TradersRead, Limit: activityLimit, Query: withQuery(readActivityQuery, a.getActivity), ID: "getTraderActivity"},
		{Method: "GET", Path: "/v1/traders/{id}/activity-files", Scope: auth.TradersRead, Query: withQuery((*decode.Query).Collection, a.listActivityFiles), ID: "listActivityFiles"},
		{Method: "POST", Path: "/v1/traders/{id}/activity-files", Scope: auth.TradersWrite, Handle: a.uploadActivityFile, Limit: uploadLimit, Accepts: decode.MediaForm, MaxBody: maxUpload, ID: "uploadActivityFile"},
		{Method: "POST", Path: "/v1/traders/{id}/activity-files/preview", Scope: auth.TradersWrite, Handle: a.previewActivityFile, Limit: uploadLimit, Accepts: decode.MediaForm, MaxBody: maxUpload, Once: true, ID: "previewActivityFile"},
		{Method: "GET", Path: "/v1/traders/{id}/activity-files/{fileId}", Scope: auth.TradersRead, Handle: a.activityFile, Limit: downloadLimit, Produces: strings.Join(load.MediaTypes(), ", "), ID: "downloadActivityFile"},
		{Method: "DELETE", Path: "/v1/traders/{id}/activity-files/{fileId}", Scope: auth.TradersWrite, Handle: a.deleteActivityFile, ID: "deleteActivityFile"},
		{Method: "GET", Path: "/v1/traders/{id}/export", Scope: auth.TradersRead, Also: auth.InterviewsRead, Handle: withID(a.exportTrader), Limit: archiveLimit, Produces: mediaZIP, ID: "exportTrader"},
		{Method: "POST", Path: "/v1/traders/{id}/erase", Scope: auth.TradersWrite, Also: auth.InterviewsDelete, Handle: withID(a.eraseTrader), ID: "eraseTrader"},
		{Method: "GET", Path: "/v1/traders/{id}/duplicates", Scope: auth.TradersRead, Query: withQuery((*decode.Query).Collection, a.listDuplicates), ID: "listDuplicates"},
		{Method: "POST", Path: "/v1/traders/{id}/duplicates/{duplicateId}/merge", Scope: auth.TradersWrite, Handle: a.mergeTraders, ID: "mergeTraders"},
		{Method: "PUT", Path: "/v1/traders/{id}/duplicates/{duplicateId}/dismissal", Scope: auth.TradersWrite, Handle: a.dismissDuplicate, ID: "dismissDuplicate"},
		{Method: "DELETE", Path: "/v1/traders/{id}/duplicates/{duplicateId}/dismissal", Scope: auth.TradersWrite, Handle: a.restoreDuplicate, ID: "restoreDuplicate"},
		{Method: "DELETE", Path: "/v1/traders/{id}/notes/{noteId}", Scope: auth.TradersWrite, Handle: withID(a.deleteNote), ID: "deleteNote"},
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
			list = append(list, Route{Method: "GET", Path: address, Page: true, Handle: a.dashboardAt(address)})
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
