package auditlog

import (
	"encoding/hex"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/apiserver/response"
	"github.com/assayhq/assay/apiserver/route"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/auditlog"
	"github.com/assayhq/assay/store/auditlog/action"
)

// auditQuery is the query of GET /v1/audit.
type auditQuery struct {
	page   store.Page
	filter auditlog.Filter
}

func readAuditQuery(q *decode.Query) auditQuery {
	return auditQuery{filter: readAuditFilter(q), page: q.Page()}
}

// readAuditFilter reads the query of GET /v1/audit without its page.
func readAuditFilter(q *decode.Query) auditlog.Filter {
	actions := response.ConvertRows(action.All(), func(a action.Kind) string { return string(a) })
	f := auditlog.Filter{
		Action:     action.Kind(q.Choice("action", actions...)),
		ObjectKind: q.Choice("object_kind", objectKinds(actions)...),
		ObjectID:   q.UUID("object_id"),
		ActorKind:  store.ActorKind(q.Choice("actor_kind", string(store.ActorAPIKey), string(store.ActorPerson), string(store.ActorSystem))),
		ActorID:    q.UUID("actor_id"),
		From:       q.Time("from"),
		To:         q.Time("to"),
		Sort:       decode.ReadSort(q, auditlog.Sorts().Names(), ""),
	}
	q.Note("action", decode.Note{About: "Only entries with this action.", Example: string(action.APIKeyCreated)})
	q.Note("object_kind", decode.Note{About: "Only entries about objects of this kind.", Example: "api_key"})
	q.Note("object_id", decode.Note{About: "Only entries about the object with this id."})
	q.Note("actor_kind", decode.Note{About: "Only entries by this kind of actor: API keys, users, or the system."})
	q.Note("actor_id", decode.Note{About: "Only entries by the API key or user with this id."})
	q.Note("from", decode.Note{About: "Only entries at or after this time."})
	q.Note("to", decode.Note{About: "Only entries before this time."})
	if f.From != nil && f.To != nil && f.To.Before(*f.From) {
		q.Parameter("to", problem.OutOfRange, "Must not be before from.")
	}
	return f
}

// objectKinds lists the kinds of objects that the actions are about.
func objectKinds(actions []string) (kinds []string) {
	for _, action := range actions {
		kind, _, _ := strings.Cut(action, ".")
		if !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// listAudit answers GET /v1/audit.
func (a *API) listAudit(w http.ResponseWriter, r *http.Request, q auditQuery) error {
	rows, total, err := auditlog.List(r.Context(), a.store, route.CallerOrganization(r), q.filter, q.page)
	if err != nil {
		return err
	}
	return response.AnswerPage(w, r, a.publicURL, response.Rows[store.AuditRecord]{List: rows, Page: q.page, Total: total, Position: auditlog.Sorts().PositionIn(q.filter.Sort)}, auditEntryOf)
}

// auditEntryBody is an entry of the audit log: one change to one object.
//
//openapi:name AuditEntry
type auditEntryBody struct {
	Number int64          `json:"number" api:"min=1" example:"118"` // sequence number, counted from 1 without gaps
	At     time.Time      `json:"at"`                               // when the change was made
	Actor  auditActorBody `json:"actor"`                            // who made the change
	// What was done. The members that `before` and `after` record are in parentheses.
	Action string          `json:"action" api:"of=store/auditlog/action.Kind,open" example:"integration.updated"`
	Object auditObjectBody `json:"object"` // the object that was changed
	// The `X-Request-Id` of the request. Null if the change was not made by a request.
	RequestID     *string        `json:"request_id" api:"max=128" example:"3VJ6QZ5Y2RW4KXN7M3DHTC5B2A"`
	ClientAddress *string        `json:"client_address" api:"max=45" example:"203.0.113.7"`    // IP address that the request came from. Null if it is unknown.
	Before        jsontext.Value `json:"before" example:"{\"name\": \"Trading desk\"}"`        // Members of the object before the change. Null if there were none.
	After         jsontext.Value `json:"after" example:"{\"name\": \"Trading desk, London\"}"` // Members of the object after the change. Null if there are none.
	// Hash of the previous entry. All zeros if this is the first entry.
	PreviousHash string `json:"previous_hash" api:"min=64,max=64" pattern:"^[0-9a-f]{64}$" example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
	// SHA-256 hash of this entry and the hash of the previous one.
	Hash string `json:"hash" api:"min=64,max=64" pattern:"^[0-9a-f]{64}$" example:"60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752"`
}

// auditActorBody is the API key, person, or system that made a change.
//
//openapi:name AuditActor
type auditActorBody struct {
	Kind string     `json:"kind" api:"of=store.ActorKind"`                    // kind of actor
	ID   *uuid.UUID `json:"id"`                                               // Unique identifier of the API key or person. Null for the system.
	Name string     `json:"name" api:"max=320" example:"Zoe's reporting key"` // name of the actor at the time of the change
}

// auditObjectBody is the object that was changed.
//
//openapi:name AuditObject
type auditObjectBody struct {
	Kind string     `json:"kind" api:"max=100,open" example:"integration"` // kind of object
	ID   *uuid.UUID `json:"id"`                                            // Identifier of the object. Null if it has none.
}

func auditEntryOf(r store.AuditRecord) auditEntryBody {
	return auditEntryBody{
		Number: r.Number, At: r.At, Action: string(r.Action),
		Actor:     auditActorBody{string(r.ActorKind), r.ActorID, r.ActorName},
		Object:    auditObjectBody{r.ObjectKind, r.ObjectID},
		RequestID: r.RequestID, ClientAddress: r.ClientAddress,
		Before: jsontext.Value(r.Before), After: jsontext.Value(r.After),
		PreviousHash: hex.EncodeToString(r.Previous), Hash: hex.EncodeToString(r.Hash),
	}
}
