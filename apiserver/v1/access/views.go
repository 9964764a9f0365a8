package access

import (
	"net/http"

	"github.com/assayhq/assay/apiserver/auth"
	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/apiserver/response"
	"github.com/assayhq/assay/apiserver/route"
	"github.com/assayhq/assay/store/access"
)

// Bounds of saved views. The query is that of a page's address, which few browsers allow to be
// longer.
const (
	maxViews     = 100
	maxViewName  = 100
	maxViewQuery = 2000
)

// viewedList is a list that has saved views.
type viewedList string

// The lists.
const (
	_ viewedList = "traders"    // The directory of traders.
	_ viewedList = "trades"     // The trades of any trader.
	_ viewedList = "payouts"    // The payouts of all traders.
	_ viewedList = "interviews" // The interviews.
	_ viewedList = "runs"       // The runs of any integration.
	_ viewedList = "quarantine" // The quarantined records of any integration.
	_ viewedList = "deliveries" // The deliveries of any webhook endpoint.
	_ viewedList = "audit"      // The audit log.
)

func viewedLists() []string {
	return []string{"traders", "trades", "payouts", "interviews", "runs", "quarantine", "deliveries", "audit"}
}

// savedViewsBody is the saved views of the signed-in user.
//
//openapi:name SavedViews
type savedViewsBody struct {
	Views []savedViewBody `json:"views" api:"items=100"` // views in the order in which they are offered
}

// savedViewBody is a named view of a list, with its filters, order and columns.
//
//openapi:name SavedView
type savedViewBody struct {
	List  string `json:"list" api:"of=apiserver/v1/access.viewedList,open" example:"traders"` // the list
	Name  string `json:"name" api:"max=100" example:"VIP, not verified"`                      // name of the view
	Query string `json:"query" api:"max=2000" example:"tag=vip&kyc_status=pending"`           // query of the page's address, without a question mark
}

func viewsOf(views []access.View) savedViewsBody {
	return savedViewsBody{response.ConvertRows(views, func(v access.View) savedViewBody { return savedViewBody(v) })}
}

// getViews answers GET /session/views.
func (a *API) getViews(w http.ResponseWriter, r *http.Request) error {
	views, err := access.ReadViews(r.Context(), a.store, auth.FromContext(r.Context()).Session.PersonID)
	if err != nil {
		return err
	}
	return response.AnswerItem(w, r, viewsOf(views))
}

// replaceViews answers PUT /session/views with the new views.
func (a *API) replaceViews(w http.ResponseWriter, r *http.Request) error {
	condition, err := response.IfMatch(r, viewsOf)
	if err != nil {
		return err
	}
	views, err := decode.BodyOf(r, readViews)
	if err != nil {
		return err
	}
	if err := access.ReplaceViews(r.Context(), a.store, route.NewChange(r), views, condition); err != nil {
		return err
	}
	return response.Reply{Status: http.StatusOK, Body: viewsOf(views), Item: true}.Write(w)
}

// readViews reads the body of PUT /session/views.
func readViews(o *decode.Object) []access.View {
	views := decode.Objects(o, "views", maxViews, readView)
	o.Note("views", decode.Note{About: "Views in the order in which they are offered. They replace all earlier ones; omit them to keep none."})
	names := make(map[[2]string]bool)
	for _, v := range views.Value {
		name := [2]string{v.List, v.Name}
		if names[name] {
			o.Fault("views", problem.InvalidFormat, "Two views of a list must not have the same name.")
			break
		}
		names[name] = true
	}
	return append([]access.View{}, views.Value...)
}

func readView(o *decode.Object) access.View {
	list := decode.ReadWord(o, "list", viewedLists(), "", "The list.")
	o.Require("list", list.State)
	name := decode.ReadLabel(o, "name", maxViewName)
	o.Note("name", decode.Note{About: "Name of the view.", Example: "VIP, not verified"})
	o.Require("name", name.State)
	query := o.Text("query", maxViewQuery)
	o.Note("query", decode.Note{About: "Query of the page's address, without a question mark: filters, `sort`, `limit` and `columns`.", Example: "tag=vip&sort=name"})
	o.Require("query", query.State)
	return access.View{List: list.Value, Name: name.Value, Query: query.Value}
}
