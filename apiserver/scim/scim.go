// Package scim lets identity providers such as Entra ID and Okta manage people: SCIM 2.0 (RFC
// 7643 and 7644) with users alone.
package scim

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/elimity-com/scim"
	scimerrors "github.com/elimity-com/scim/errors"
	"github.com/elimity-com/scim/optional"
	"github.com/elimity-com/scim/schema"

	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/apiserver/response"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/access"
)

// Prefix is the prefix of all paths.
const Prefix = "/scim/v2"

// guide explains to administrators how people get in, and how groups give roles.
const guide = "https://github.com/assayhq/assay/blob/main/docs/guides/people.md#let-the-provider-add-and-remove-people-scim"

// noGroups answers a provider that pushes groups.
var noGroups = scimerrors.ScimError{ //nolint:gochecknoglobals // a constant that Go cannot express
	Status: http.StatusNotFound,
	Detail: "Groups are not supported. Switch the pushing of groups off in the identity provider; its groups can give roles in another way: " + guide,
}

// mediaType is the media type of bodies.
const mediaType = "application/scim+json"

// maxResults is the most people in one page of a list.
const maxResults = 100

// The most bytes of a filter, and of all paths of a patch together. The library takes 10 µs for each,
// and nothing interrupts it. Providers send less than 200.
const (
	maxFilter = 1_000
	maxPaths  = 4_000
)

// Config is what the handler needs.
type Config struct {
	Store     *store.DB
	PublicURL string
	// NewChange returns the change that a request asks for, on behalf of its key.
	NewChange func(*http.Request) store.Change
}

// New returns a handler for the paths below Prefix. The context of its requests carries the
// identity of the caller, whose organization they are about.
func New(c Config) (func(w http.ResponseWriter, r *http.Request) error, error) {
	users := scim.ResourceType{
		ID: optional.NewString("User"), Name: "User", Endpoint: "/Users", Description: optional.NewString("People who sign in to the dashboard."),
		Schema: schema.CoreUserSchema(), SchemaExtensions: []scim.SchemaExtension{{Schema: schema.ExtensionEnterpriseUser()}},
		Handler: &users{store: c.Store, newChange: c.NewChange},
	}
	server, err := scim.NewServer(&scim.ServerArgs{
		ServiceProviderConfig: &scim.ServiceProviderConfig{
			MaxResults: maxResults, SupportFiltering: true, SupportPatch: true, DocumentationURI: optional.NewString(guide),
			AuthenticationSchemes: []scim.AuthenticationScheme{{
				Type: scim.AuthenticationTypeOauthBearerToken, Name: "API key", Primary: true,
				Description:      "An API key with the scope api_keys:manage, as a bearer token. People are those of its organization.",
				DocumentationURI: optional.NewString(guide),
				SpecURI:          optional.NewString("https://www.rfc-editor.org/rfc/rfc6750"),
			}},
		},
		ResourceTypes: []scim.ResourceType{users},
	}, scim.WithBaseURL(c.PublicURL+Prefix))
	if err != nil {
		return nil, err
	}
	handler := http.StripPrefix("/scim", server)
	return func(w http.ResponseWriter, r *http.Request) error {
		if path := strings.TrimPrefix(r.URL.Path, Prefix); path == "/Groups" || strings.HasPrefix(path, "/Groups/") {
			writeRefusal(w, noGroups)
			return nil
		}
		err := cmp.Or(repairFilter(r), repairBody(r))
		if refused, ok := errors.AsType[scimerrors.ScimError](err); ok {
			writeRefusal(w, refused)
			return nil
		}
		if err != nil {
			return err
		}
		held, failed := response.Hold(w), new(failure)
		handler.ServeHTTP(held, r.WithContext(context.WithValue(r.Context(), failureKey{}, failed)))
		if failed.err != nil {
			return failed.err
		}
		return held.Send(w, countItems(held.Body()))
	}, nil
}

// repairBody leaves what assay keeps of a body, because the library refuses other attributes if it
// does not know them or if they have another type, such as Entra ID's manager. It also writes
// booleans that Entra ID sends as text, such as "False", as booleans, and names the schema of a body
// that names none. It returns ScimErrorInvalidPath if the paths of a patch are too long.
func repairBody(r *http.Request) error {
	if r.Method != http.MethodPost && r.Method != http.MethodPut && r.Method != http.MethodPatch {
		return nil
	}
	text, err := io.ReadAll(r.Body) // the middleware limits its size
	if err != nil {
		return err
	}
	var body map[string]any
	if json.Unmarshal(text, &body) == nil {
		schemaOf := coreUser
		if r.Method == http.MethodPatch {
			schemaOf = patchOp
			reduceOperations(body)
			if countPaths(body) > maxPaths {
				return scimerrors.ScimErrorInvalidPath
			}
		} else {
			maps.DeleteFunc(body, func(name string, _ any) bool { return !equalNames(name, "schemas") && !isKept(name) })
		}
		nameSchemas(body, schemaOf)
		if repaired, err := json.Marshal(repairBooleans(body)); err == nil {
			text = repaired
		}
	}
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
	return nil
}

// nameSchemas makes a body name its schemas as the library expects it: in small letters, and at all.
func nameSchemas(body map[string]any, schemaOf string) {
	if body == nil {
		return
	}
	schemas := memberOf(body, "schemas")
	maps.DeleteFunc(body, func(name string, _ any) bool { return equalNames(name, "schemas") })
	if schemas == nil {
		schemas = []any{schemaOf}
	}
	body["schemas"] = schemas
}

// isKept reports whether a path is that of an attribute that assay keeps, or of a part of it.
func isKept(path string) bool {
	name := attributeOf(path)
	return slices.ContainsFunc([]string{"userName", "displayName", "name", "active", "roles", "externalId"}, func(kept string) bool { return equalNames(name, kept) })
}

// attributeOf returns the name of the attribute to which a path leads.
func attributeOf(path string) string {
	if schema, rest := path[:min(len(path), len(coreUser)+1)], path[min(len(path), len(coreUser)+1):]; equalNames(schema, coreUser+":") {
		path = rest
	}
	name, _, _ := strings.Cut(path, ".")
	name, _, _ = strings.Cut(name, "[")
	return name
}

// reduceOperations leaves the operations of a patch that are about what assay keeps.
func reduceOperations(patch map[string]any) {
	for name, list := range patch {
		operations, ok := list.([]any)
		if !ok || len(operations) == 0 || !equalNames(name, "Operations") {
			continue
		}
		reduced := make([]any, 0, len(operations))
		for _, o := range operations {
			operation, _ := o.(map[string]any)
			values, isObject := memberOf(operation, "value").(map[string]any)
			op, _ := memberOf(operation, "op").(string)
			switch path, _ := memberOf(operation, "path").(string); {
			case path == "" && isObject && !equalNames(op, scim.PatchOperationRemove):
				reduced = append(reduced, splitOperation(op, values)...)
			case path == "" || isKept(path):
				reduced = append(reduced, o)
			}
		}
		if len(reduced) == 0 { // the library wants one
			reduced = append(reduced, map[string]any{"op": "replace", "value": map[string]any{}})
		}
		patch[name] = reduced
	}
}

// splitOperation makes one operation for each attribute of one that has no path, because paths
// such as roles[primary eq "True"].value may stand in its value. displayName comes last: it counts
// more than a name.
func splitOperation(op string, values map[string]any) (operations []any) {
	var last []any
	for _, path := range slices.Sorted(maps.Keys(values)) {
		switch one := map[string]any{"op": op, "path": path, "value": values[path]}; {
		case equalNames(attributeOf(path), "displayName"):
			last = append(last, one)
		case isKept(path):
			operations = append(operations, one)
		}
	}
	return append(operations, last...)
}

// countPaths returns the bytes of all paths of a patch. The library takes one of several members
// whose names differ in case, so all of them count.
func countPaths(patch map[string]any) (n int) {
	for name, list := range patch {
		if operations, ok := list.([]any); ok && equalNames(name, "Operations") {
			for _, o := range operations {
				operation, _ := o.(map[string]any)
				for name, value := range operation {
					if path, ok := value.(string); ok && equalNames(name, "path") {
						n += len(path)
					}
				}
			}
		}
	}
	return n
}

// memberOf returns a member, whose name has no case.
func memberOf(object map[string]any, name string) any {
	for n, value := range object {
		if equalNames(n, name) {
			return value
		}
	}
	return nil
}

// repairBooleans replaces texts by booleans where users have booleans.
func repairBooleans(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = repairBooleans(v[i])
		}
	case map[string]any:
		path, _ := memberOf(v, "path").(string)
		for name, value := range v {
			v[name] = repairBooleans(value)
			if text, ok := value.(string); ok && (isBoolean(attributeOf(name)) || equalNames(name, "value") && isBoolean(attributeOf(path))) {
				if b, err := strconv.ParseBool(text); err == nil {
					v[name] = b
				}
			}
		}
	}
	return v
}

func isBoolean(name string) bool { return equalNames(name, "active") || equalNames(name, "primary") }

// WriteError writes why a request is refused in the form of SCIM.
func WriteError(w http.ResponseWriter, p *problem.Problem) {
	detail := p.Detail
	if detail == "" {
		detail = p.Code.Description()
	}
	switch p.Status() {
	case http.StatusUnauthorized:
		detail += " Send an API key with the scope api_keys:manage as Authorization: Bearer KEY. Create one under Developers, API keys, and paste it into the identity provider as its token."
	case http.StatusForbidden:
		detail += " Create another API key under Developers, API keys, and paste it into the identity provider as its token."
	}
	for name, values := range p.Header {
		w.Header()[name] = values
	}
	writeRefusal(w, scimerrors.ScimError{Status: p.Status(), Detail: detail})
}

func writeRefusal(w http.ResponseWriter, refused scimerrors.ScimError) {
	text, _ := json.Marshal(refused) // texts and a number
	w.Header().Set("Content-Type", mediaType)
	w.WriteHeader(refused.Status)
	_, _ = w.Write(text) // the client may have gone
}

// explainError returns the error of the store in the form of SCIM. An unknown one is kept for the
// answer that the API gives to internal errors.
func explainError(r *http.Request, id string, err error) error {
	switch refused := conflictOf(err); {
	case err == nil:
		return nil
	case errors.Is(err, store.ErrNotFound):
		return scimerrors.ScimErrorResourceNotFound(id)
	case refused != nil:
		return *refused
	}
	r.Context().Value(failureKey{}).(*failure).err = err //nolint:forcetypeassert // New puts it there
	return scimerrors.ScimErrorInternal
}

// conflictOf returns why a change is refused, or nil for another error.
func conflictOf(err error) *scimerrors.ScimError {
	switch {
	case errors.Is(err, access.ErrLastOwner):
		return &scimerrors.ScimError{Status: http.StatusConflict, ScimType: scimerrors.ScimTypeMutability, Detail: "The person is the last owner who can sign in. Make somebody else an owner first."}
	case errors.Is(err, store.ErrConflict):
		return &scimerrors.ScimError{Status: http.StatusConflict, ScimType: scimerrors.ScimTypeUniqueness, Detail: "Another person in the organization has this userName."}
	}
	return nil
}

// failure is the error of the store for which assay answers in the place of the library.
type failure struct{ err error }

type failureKey struct{}

// countItems makes itemsPerPage of a list what RFC 7644 (section 3.4.2.4) says it is: how many there are
// on the page. The library writes how many were asked for.
func countItems(body []byte) []byte {
	var list map[string]json.RawMessage
	if json.Unmarshal(body, &list) != nil || list["itemsPerPage"] == nil {
		return body
	}
	var items []json.RawMessage
	_ = json.Unmarshal(list["Resources"], &items) // null if there are none
	list["itemsPerPage"] = strconv.AppendInt(nil, int64(len(items)), 10)
	counted, err := json.Marshal(list)
	if err != nil {
		return body
	}
	return counted
}

// equalNames reports whether two names of attributes are the same, which have no case.
func equalNames(a, b string) bool { return strings.EqualFold(a, b) }
