package v1

import (
	"slices"

	"github.com/assayhq/assay/apiserver/docs"
	"github.com/assayhq/assay/apiserver/interview"
	"github.com/assayhq/assay/apiserver/media"
	"github.com/assayhq/assay/apiserver/openapi"
	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/apiserver/response"
	"github.com/assayhq/assay/apiserver/route"
	"github.com/assayhq/assay/apiserver/v1/access"
	"github.com/assayhq/assay/apiserver/v1/activity"
	"github.com/assayhq/assay/apiserver/v1/auditlog"
	"github.com/assayhq/assay/apiserver/v1/integrations"
	"github.com/assayhq/assay/apiserver/v1/interviews"
	"github.com/assayhq/assay/apiserver/v1/privacy"
	"github.com/assayhq/assay/apiserver/v1/traders"
	"github.com/assayhq/assay/apiserver/v1/webhooks"
	"github.com/assayhq/assay/apiserver/web"
	"github.com/assayhq/assay/store/interviews/answering"
)

// Routes is the table of routes. A GET serves HEAD as well.
//
// To add a route:
//
//  1. Write its handler in the package of its subject. Next to it, write a function that takes a *decode.Object
//     and reads the route's body, which the handler calls, or one that takes a
//     *decode.Query and reads its query, whose result is passed to the handler.
//     Each member needs a decode.Note that says what it is, and what the code
//     checks beyond the limits in the call that reads it.
//  2. Write the types of its responses. Each type and field needs a comment,
//     which callers read, and an api tag with its limits if the type does not
//     express them (apiserver/openapi/generate).
//  3. Add its Operation to operations.go of that package, and a row with the same ID
//     to routes.go there.
//  4. Run go generate ./apiserver/openapi, which regenerates the document or
//     reports what is missing.
//
// The tests check every request and response against the document, and must
// produce each documented response once. TestEveryRouteFails produces those
// that any route has.
func (a *API) Routes() []route.Route {
	return slices.Concat(a.commonRoutes(), a.integrations.Routes(), a.webhooks.Routes(), a.access.Routes(), a.auditlog.Routes(),
		a.interviews.Routes(), a.traders.Routes(), a.activity.Routes(), a.privacy.Routes())
}

// DescribedRoutes returns the table of routes for programs that describe it, such as the generator
// of the OpenAPI document. Its handlers have no store and must not be called.
func DescribedRoutes() []route.Route {
	a := &API{
		integrations: new(integrations.API), webhooks: new(webhooks.API), access: new(access.API), auditlog: new(auditlog.API),
		interviews: new(interviews.API), traders: new(traders.API), activity: new(activity.API), privacy: new(privacy.API),
	}
	return a.Routes()
}

// commonRoutes lists the routes that belong to no subject: those of the document and of the stream.
func (a *API) commonRoutes() []route.Route {
	return route.Document([]route.Route{
		{Method: "GET", Path: openapi.Path, Handle: a.getDocument, ID: "getOpenAPI"},
		{Method: "GET", Path: "/v1/stream", Caller: true, Handle: a.streamChanges, Limit: streamLimit, Produces: response.MediaEvents, ID: "streamChanges"},
	}, commonOperations)
}

// pageRoutes lists the pages that people open in a browser. They are public, not part of the
// tables above, and served in the same way.
func (a *API) pageRoutes() []route.Route {
	list := append(a.access.PageRoutes(), []route.Route{
		{Method: "GET", Path: "/docs", Page: true, Handle: a.docs.Reference},
		{Method: "GET", Path: docs.AssetsPath + "{" + docs.AssetVariable + "}", Page: true, Handle: a.docs.Asset},
		{Method: "GET", Path: "/problems", Page: true, Handle: a.docs.Problems},
		{Method: "GET", Path: problem.PagesPath + "{" + docs.CodeVariable + "}", Page: true, Handle: a.docs.Problem},
	}...)
	if a.media != nil {
		list = append(list, route.Route{Method: "GET", Path: media.Template, Page: true, Limit: media.Limit, Handle: a.media.Serve})
	}
	if a.web != nil {
		list = append(list, route.Route{Method: "GET", Path: web.AssetsPath + "{" + web.AssetVariable + "}", Page: true, Handle: a.web.Asset})
		for _, address := range web.Addresses() {
			list = append(list, route.Route{Method: "GET", Path: address, Page: true, Handle: a.dashboardAt(address)})
		}
	}
	if a.links != nil {
		list = append(list, a.linkRoutes()...)
	}
	return list
}

// linkRoutes lists the routes behind the links that assay hands out: the trader's page and the
// shared report, with the requests of these pages. The links are the permission, which
// apiserver/interview checks.
func (a *API) linkRoutes() []route.Route {
	const (
		trader   = "/i/{" + interview.TokenVariable + "}"
		answer   = trader + "/answers/{" + interview.QuestionVariable + "}"
		uploads  = trader + "/uploads"
		upload   = uploads + "/{" + interview.UploadVariable + "}"
		shared   = "/s/{" + interview.TokenVariable + "}"
		takeSize = answering.MaxTakeBytes
	)
	d := a.links
	list := []route.Route{
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
		{Method: "POST", Path: uploads, Handle: d.Uploads, Limit: route.UploadLimit, MaxBody: takeSize},
		{Method: "OPTIONS", Path: upload, Handle: d.Uploads},
		{Method: "HEAD", Path: upload, Handle: d.Uploads},
		{Method: "PATCH", Path: upload, Handle: d.Uploads, Limit: route.UploadLimit, MaxBody: takeSize},
		{Method: "POST", Path: upload, Handle: d.Uploads, Limit: route.UploadLimit, MaxBody: takeSize}, // for clients that cannot send PATCH
		{Method: "DELETE", Path: upload, Handle: d.Uploads},

		{Method: "GET", Path: shared, Handle: d.SharedPage},
		{Method: "GET", Path: shared + "/report", Handle: d.SharedReport},
		{Method: "POST", Path: shared + "/playback", Handle: d.SharedPlayback},
		{Method: "GET", Path: shared + "/subtitles", Handle: d.SharedSubtitles},
	}
	for i := range list {
		list[i].Page, list[i].IgnoresIdempotencyKey = true, true
	}
	return list
}
