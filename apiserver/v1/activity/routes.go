package activity

import (
	"strings"

	"github.com/assayhq/assay/apiserver/auth"
	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/route"
	"github.com/assayhq/assay/internal/analysis/calendar"
	"github.com/assayhq/assay/internal/analysis/load"
)

// Routes lists the routes of activity, its files and what it is judged by.
func (a *API) Routes() []route.Route {
	return route.Document([]route.Route{
		{Method: "GET", Path: "/v1/traders/{id}/activity", Scope: auth.TradersRead, Limit: activityLimit, Query: route.WithQuery(readActivityQuery, a.getActivity), ID: "getTraderActivity"},
		{Method: "GET", Path: "/v1/traders/{id}/activity-files", Scope: auth.TradersRead, Query: route.WithQuery((*decode.Query).Collection, a.listActivityFiles), ID: "listActivityFiles"},
		{Method: "POST", Path: "/v1/traders/{id}/activity-files", Scope: auth.TradersWrite, Handle: a.uploadActivityFile, Limit: route.UploadLimit, Accepts: decode.MediaForm, MaxBody: maxUpload, ID: "uploadActivityFile"},
		{Method: "POST", Path: "/v1/traders/{id}/activity-files/preview", Scope: auth.TradersWrite, Handle: a.previewActivityFile, Limit: route.UploadLimit, Accepts: decode.MediaForm, MaxBody: maxUpload, IgnoresIdempotencyKey: true, ID: "previewActivityFile"},
		{Method: "GET", Path: "/v1/traders/{id}/activity-files/{fileId}", Scope: auth.TradersRead, Handle: a.activityFile, Limit: route.DownloadLimit, Produces: strings.Join(load.MediaTypes(), ", "), ID: "downloadActivityFile"},
		{Method: "DELETE", Path: "/v1/traders/{id}/activity-files/{fileId}", Scope: auth.TradersWrite, Handle: a.deleteActivityFile, ID: "deleteActivityFile"},

		{Method: "POST", Path: "/v1/interviews/{id}/activity-file", Scope: auth.InterviewsCreate, Handle: route.WithID(a.uploadInterviewFile), Limit: route.UploadLimit, Accepts: decode.MediaForm, MaxBody: maxUpload, ID: "uploadInterviewFile"},
		{Method: "GET", Path: "/v1/interviews/{id}/activity-file", Scope: auth.InterviewsRead, Handle: route.WithID(a.interviewFile), Limit: route.DownloadLimit, Produces: strings.Join(load.MediaTypes(), ", "), ID: "downloadInterviewFile"},

		{Method: "GET", Path: "/v1/analysis/ruleset", Scope: auth.InterviewsRead, Handle: a.getRuleset, ID: "getRuleset"},
		{Method: "PUT", Path: "/v1/analysis/ruleset", Scope: auth.InterviewsDecide, Handle: a.replaceRuleset, ID: "replaceRuleset"},

		{Method: "GET", Path: "/v1/analysis/symbols", Scope: auth.InterviewsRead, Handle: a.getSymbolMappings, ID: "getSymbolMappings"},
		{Method: "PUT", Path: "/v1/analysis/symbols", Scope: auth.InterviewsDecide, Handle: a.replaceSymbolMappings, ID: "replaceSymbolMappings"},

		{Method: "GET", Path: "/v1/analysis/calendar", Scope: auth.InterviewsRead, Handle: a.getCalendar, Produces: decode.MediaCSV, ID: "getCalendar"},
		{Method: "PUT", Path: "/v1/analysis/calendar", Scope: auth.InterviewsDecide, Handle: a.replaceCalendar, Accepts: decode.MediaCSV, MaxBody: calendar.MaxBytes, ID: "replaceCalendar"},
	}, operations)
}
