package scim

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/elimity-com/scim"
	scimerrors "github.com/elimity-com/scim/errors"
	"github.com/elimity-com/scim/optional"
	"github.com/google/uuid"
	"github.com/scim2/filter-parser/v2"

	"github.com/assayhq/assay/apiserver/auth"
	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/access"
)

// maxExternalID is the most bytes of the provider's name for a person.
const maxExternalID = 255

// defaultRole is the role of people for whom the provider names none.
const defaultRole = access.RoleViewer

// users makes people the users of SCIM.
type users struct {
	store     *store.DB
	newChange func(*http.Request) store.Change
}

// Create adds a person who signs in with the OpenID Connect provider.
func (u *users) Create(r *http.Request, attributes scim.ResourceAttributes) (scim.Resource, error) {
	c, err := readAttributes(attributes)
	if err != nil {
		return scim.Resource{}, err
	}
	people, err := access.ListProvisioned(r.Context(), u.store, organizationOf(r))
	if err != nil {
		return scim.Resource{}, explainError(r, "", err)
	}
	if slices.ContainsFunc(people, func(p access.Provisioned) bool { return equalNames(p.Email, *c.Email) }) {
		return scim.Resource{}, explainError(r, "", store.ErrConflict) // also if the person has been deactivated
	}
	n := access.NewPerson{Email: *c.Email, Name: *c.Email, Role: c.roleAfter(defaultRole)}
	if c.Name != nil {
		n.Name = *c.Name
	}
	if c.ExternalID != nil {
		n.ExternalID = *c.ExternalID
	}
	p, err := access.CreatePerson(r.Context(), u.store, u.newChange(r), n)
	if err != nil {
		return scim.Resource{}, explainError(r, "", err)
	}
	made := access.Provisioned{Person: p, Active: true, ExternalID: n.ExternalID}
	if c.Active != nil && !*c.Active {
		made, err = access.UpdateProvisioned(r.Context(), u.store, u.newChange(r), p.ID, access.ProvisionedPatch{Active: c.Active})
	}
	return resourceOf(made), explainError(r, "", err)
}

// Get returns a person.
func (u *users) Get(r *http.Request, id string) (scim.Resource, error) {
	personID, err := uuid.Parse(id)
	if err != nil {
		return scim.Resource{}, explainError(r, id, store.ErrNotFound)
	}
	p, err := access.ReadProvisioned(r.Context(), u.store, organizationOf(r), personID)
	return resourceOf(p), explainError(r, id, err)
}

// GetAll lists the people who pass a filter. An organization has few enough to compare all.
func (u *users) GetAll(r *http.Request, params scim.ListRequestParams) (scim.Page, error) {
	people, err := access.ListProvisioned(r.Context(), u.store, organizationOf(r))
	if err != nil {
		return scim.Page{}, explainError(r, "", err)
	}
	passes, err := filterOf(params)
	if err != nil {
		return scim.Page{}, err
	}
	found := []scim.Resource{}
	for _, p := range people {
		if resource := resourceOf(p); passes(resource) {
			found = append(found, resource)
		}
	}
	total := len(found)
	from := min(params.StartIndex-1, total)
	return scim.Page{TotalResults: total, Resources: found[from:min(from+params.Count, total)]}, nil
}

// Replace changes a person. The name is the userName if there is none. A role that is not named
// stays, because groups of the provider or an owner may have given it.
func (u *users) Replace(r *http.Request, id string, attributes scim.ResourceAttributes) (scim.Resource, error) {
	c, err := readAttributes(attributes)
	if err != nil {
		return scim.Resource{}, err
	}
	if c.Name == nil {
		c.Name = c.Email
	}
	return u.updateUser(r, id, c)
}

// Patch changes what the operations name. What assay does not keep is ignored.
func (u *users) Patch(r *http.Request, id string, operations []scim.PatchOperation) (scim.Resource, error) {
	var c change
	for _, o := range operations {
		if err := c.applyOperation(o); err != nil {
			return scim.Resource{}, err
		}
	}
	return u.updateUser(r, id, c)
}

func (u *users) updateUser(r *http.Request, id string, c change) (scim.Resource, error) {
	personID, err := uuid.Parse(id)
	if err != nil {
		return scim.Resource{}, explainError(r, id, store.ErrNotFound)
	}
	if len(c.roles) > 0 {
		c.RoleAfter = c.roleAfter
	}
	p, err := access.UpdateProvisioned(r.Context(), u.store, u.newChange(r), personID, c.ProvisionedPatch)
	return resourceOf(p), explainError(r, id, err)
}

// Delete removes a person for good.
func (u *users) Delete(r *http.Request, id string) error {
	personID, err := uuid.Parse(id)
	if err == nil {
		_, err = access.ReadProvisioned(r.Context(), u.store, organizationOf(r), personID)
	} else {
		err = store.ErrNotFound
	}
	if err == nil {
		err = access.RemovePerson(r.Context(), u.store, u.newChange(r), personID, nil)
	}
	return explainError(r, id, err)
}

func organizationOf(r *http.Request) uuid.UUID { return auth.FromContext(r.Context()).OrganizationID }

// resourceOf returns a person as a user.
func resourceOf(p access.Provisioned) scim.Resource {
	var externalID optional.String
	if p.ExternalID != "" {
		externalID = optional.NewString(p.ExternalID)
	}
	return scim.Resource{
		ID: p.ID.String(), ExternalID: externalID, Meta: scim.Meta{Created: &p.CreatedAt, LastModified: &p.UpdatedAt},
		Attributes: scim.ResourceAttributes{
			"userName": p.Email, "displayName": p.Name, "name": nameOf(p.Name), "active": p.Active,
			"emails": []any{map[string]any{"value": p.Email, "type": "work", "primary": true}},
			"roles":  []any{map[string]any{"value": string(p.Role), "primary": true}},
		},
	}
}

// nameOf returns the parts of a name, which some providers require: the given name ends at the first
// space, as in names that platforms send in one piece.
func nameOf(full string) map[string]any {
	name := map[string]any{"formatted": full}
	first, last := record.SplitName(full)
	if last != "" {
		name["givenName"], name["familyName"] = first, last
	}
	return name
}

// change is what a request changes about a person.
type change struct {
	access.ProvisionedPatch
	roles []roleChange // in the order of the operations
}

// roleChange adds, removes or replaces some of the roles of a person.
type roleChange struct {
	op    string // scim.PatchOperationAdd, Remove or Replace
	roles []access.Role
	all   bool // Remove only: whichever roles there are
}

// roleAfter returns the role of a person after the change, given the current one. Providers may give
// several roles and take them away one by one. assay keeps the highest one of them.
func (c change) roleAfter(current access.Role) access.Role {
	held := []access.Role{current}
	for _, r := range c.roles {
		switch r.op {
		case scim.PatchOperationAdd:
			held = slices.Concat(held, r.roles)
		case scim.PatchOperationRemove:
			held = slices.DeleteFunc(slices.Clone(held), func(role access.Role) bool { return r.all || slices.Contains(r.roles, role) })
		default:
			held = r.roles
		}
	}
	var highest access.Role
	for _, role := range held {
		highest = access.Higher(highest, role)
	}
	return cmp.Or(highest, defaultRole)
}

// readAttributes reads a whole user.
func readAttributes(attributes scim.ResourceAttributes) (c change, err error) {
	return c, c.mergeAttributes(attributes)
}

// mergeAttributes reads the attributes that assay keeps. A displayName counts more than a name.
func (c *change) mergeAttributes(attributes map[string]any) error {
	for name, value := range attributes {
		if equalNames(name, "displayName") {
			continue
		}
		if err := c.setAttribute(scim.PatchOperationReplace, name, "", value); err != nil {
			return err
		}
	}
	for name, value := range attributes {
		if equalNames(name, "displayName") && value != nil {
			return c.setAttribute(scim.PatchOperationReplace, name, "", value)
		}
	}
	return nil
}

// applyOperation reads an operation of a patch.
func (c *change) applyOperation(o scim.PatchOperation) error {
	switch {
	case o.Op == scim.PatchOperationRemove:
		return c.removeAttribute(o)
	case o.Path == nil: // it is about nothing that assay keeps
		return nil
	}
	sub := cmp.Or(o.Path.AttributePath.SubAttributeName(), o.Path.SubAttributeName())
	return c.setAttribute(o.Op, o.Path.AttributePath.AttributeName, sub, o.Value)
}

// The schemas of users and of patches.
const (
	coreUser = "urn:ietf:params:scim:schemas:core:2.0:User"
	patchOp  = "urn:ietf:params:scim:api:messages:2.0:PatchOp"
)

// removeAttribute refuses to remove what a person must have. Everything else is not kept.
func (c *change) removeAttribute(o scim.PatchOperation) error {
	switch name := o.Path.AttributePath.AttributeName; {
	case equalNames(name, "userName"), equalNames(name, "active"):
		return refuseValue(name + " cannot be removed. Replace it.")
	case equalNames(name, "roles"):
		c.roles = append(c.roles, removedRoles(o))
	case equalNames(name, "externalId"):
		c.ExternalID = new("")
	}
	return nil
}

// removedRoles reads which roles an operation removes: the one that its path's filter names, those
// of its value, as Entra ID sends them, or all.
func removedRoles(o scim.PatchOperation) roleChange {
	r := roleChange{op: scim.PatchOperationRemove}
	switch e := o.Path.ValueExpression.(type) {
	case nil:
		r.roles = namedRoles(o.Value)
	case *filter.AttributeExpression:
		if name, ok := e.CompareValue.(string); ok && e.Operator == filter.EQ && equalNames(e.AttributePath.AttributeName, "value") {
			r.roles = namedRoles(name)
		}
	}
	r.all = len(r.roles) == 0
	return r
}

// setAttribute reads an attribute, or a part of it.
func (c *change) setAttribute(op, name, sub string, value any) (err error) {
	switch {
	case equalNames(name, "userName"):
		c.Email, err = readEmail(value)
	case equalNames(name, "active"):
		active, ok := value.(bool)
		if !ok {
			return refuseValue("active must be true or false.")
		}
		c.Active = &active
	case equalNames(name, "externalId"):
		c.ExternalID, err = readExternalID(value)
	case equalNames(name, "displayName"):
		c.Name, err = readName(value)
	case equalNames(name, "name") && (sub == "" || equalNames(sub, "formatted")):
		if full := fullName(value); full != "" {
			c.Name, err = readName(full)
		}
	case equalNames(name, "roles") && (sub == "" || equalNames(sub, "value")):
		if sub != "" { // which has one value, so that adding one replaces it
			op = scim.PatchOperationReplace
		}
		return c.setRoles(op, value)
	}
	return err
}

// fullName returns the name that a name's parts make.
func fullName(value any) string {
	parts, ok := value.(map[string]any)
	if !ok {
		text, _ := value.(string)
		return text
	}
	part := func(name string) string {
		for n, v := range parts {
			if text, ok := v.(string); ok && equalNames(n, name) {
				return strings.TrimSpace(text)
			}
		}
		return ""
	}
	return cmp.Or(part("formatted"), strings.TrimSpace(part("givenName")+" "+part("familyName")))
}

func readEmail(value any) (*string, error) {
	text, _ := value.(string)
	if !decode.IsEmail(text) {
		return nil, refuseValue("userName must be the email address with which the person signs in. Map the address to userName in the identity provider.")
	}
	return &text, nil
}

// readExternalID reads the provider's name for a person. None at all removes it.
func readExternalID(value any) (*string, error) {
	text, ok := value.(string)
	if value != nil && !ok || len(text) > maxExternalID || strings.ContainsFunc(text, isControl) {
		return nil, refuseValue("externalId must be a text of at most 255 bytes.")
	}
	return &text, nil
}

func isControl(c rune) bool { return c < ' ' || c == 0x7f }

func readName(value any) (*string, error) {
	text, _ := value.(string)
	text = strings.TrimSpace(text)
	if text == "" || utf8.RuneCountInString(text) > access.MaxPersonName || strings.ContainsFunc(text, isControl) {
		return nil, refuseValue("A name must have 1 to 100 characters.")
	}
	return &text, nil
}

// setRoles reads the roles that an operation adds or replaces. An empty list is a change, too: it
// takes all roles away. A value that names no role is none.
func (c *change) setRoles(op string, value any) error {
	roles := namedRoles(value)
	if slices.ContainsFunc(roles, func(role access.Role) bool { return !slices.Contains(access.Roles(), role) }) {
		return refuseValue("roles must name owner, reviewer or viewer.")
	}
	if list, ok := value.([]any); len(roles) > 0 || ok && len(list) == 0 {
		c.roles = append(c.roles, roleChange{op: op, roles: roles})
	}
	return nil
}

// namedRoles returns what a value names: a text, an object with a value, or a list of them.
func namedRoles(value any) (roles []access.Role) {
	switch v := value.(type) {
	case []any:
		for _, item := range v {
			roles = append(roles, namedRoles(item)...)
		}
	case map[string]any:
		for name, item := range v {
			if equalNames(name, "value") {
				return namedRoles(item)
			}
		}
	case string:
		roles = append(roles, access.Role(strings.ToLower(v)))
	}
	return roles
}

func refuseValue(detail string) scimerrors.ScimError {
	return scimerrors.ScimError{Status: http.StatusBadRequest, ScimType: scimerrors.ScimTypeInvalidValue, Detail: detail}
}
