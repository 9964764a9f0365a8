package scim

import (
	"maps"
	"net/http"
	"regexp"
	"slices"
	"time"

	"github.com/elimity-com/scim"
	scimerrors "github.com/elimity-com/scim/errors"
	scimfilter "github.com/elimity-com/scim/filter"
	"github.com/elimity-com/scim/schema"
	"github.com/scim2/filter-parser/v2"

	"github.com/assayhq/assay/apiserver/decode"
)

// partOfChosen matches a text in quotation marks, or a comparison such as emails[type eq
// "work"].value eq "a", whose groups are what stands before the closing bracket, and the comparison
// after the point.
var partOfChosen = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|(\w+\[(?:[^"\[\]]|"(?:[^"\\]|\\.)*")*)\]\.(\w+\s+pr\b|\w+\s+\w+\s+(?:"(?:[^"\\]|\\.)*"|[\w.-]+))`)

// repairFilter writes emails[type eq "work"].value eq "a", by which Entra ID finds people, as
// emails[type eq "work" and value eq "a"]: RFC 7644 has a part after brackets in patches alone. It returns
// ScimErrorInvalidFilter if the filter is too long.
func repairFilter(r *http.Request) error {
	query := decode.QueryOf(r).Values()
	written := query.Get("filter")
	if len(written) > maxFilter {
		return scimerrors.ScimErrorInvalidFilter
	}
	repaired := partOfChosen.ReplaceAllStringFunc(written, func(match string) string {
		if groups := partOfChosen.FindStringSubmatch(match); groups[1] != "" {
			return groups[1] + " and " + groups[2] + "]"
		}
		return match
	})
	if repaired != written {
		query.Set("filter", repaired)
		r.URL.RawQuery = query.Encode()
	}
	return nil
}

// filterOf returns what tells whether a user passes the filter of a list.
func filterOf(params scim.ListRequestParams) (passes func(scim.Resource) bool, err error) {
	if params.FilterValidator == nil {
		return func(scim.Resource) bool { return true }, nil
	}
	expression, err := bracketParts(params.FilterValidator.GetFilter())
	if err != nil {
		return nil, err
	}
	all := schema.CoreUserSchema()
	all.Attributes = slices.Concat(all.Attributes, schema.CommonAttributes())
	validator := scimfilter.NewFilterValidator(expression, all, schema.ExtensionEnterpriseUser())
	return func(r scim.Resource) bool { return validator.PassesFilter(comparableOf(r)) == nil }, nil
}

// comparableOf returns everything by which a user can be found.
func comparableOf(r scim.Resource) scim.ResourceAttributes {
	attributes := maps.Clone(r.Attributes)
	attributes[schema.CommonAttributeID] = r.ID
	if r.ExternalID.Present() {
		attributes[schema.CommonAttributeExternalID] = r.ExternalID.Value()
	}
	attributes[schema.CommonAttributeMeta] = map[string]any{
		"resourceType": "User", "created": r.Meta.Created.Format(time.RFC3339), "lastModified": r.Meta.LastModified.Format(time.RFC3339),
	}
	return attributes
}

// bracketParts writes emails.value eq "a", and emails eq "a", as emails[value eq "a"]: the library
// finds nobody by the first and panics at the second. It refuses to compare an attribute that has
// parts and no value.
func bracketParts(e filter.Expression) (filter.Expression, error) {
	switch e := e.(type) {
	case *filter.AttributeExpression:
		return bracketPart(e)
	case *filter.NotExpression:
		inner, err := bracketParts(e.Expression)
		return &filter.NotExpression{Expression: inner}, err
	case *filter.LogicalExpression:
		left, err := bracketParts(e.Left)
		if err != nil {
			return nil, err
		}
		right, err := bracketParts(e.Right)
		return &filter.LogicalExpression{Left: left, Right: right, Operator: e.Operator}, err
	}
	return e, nil
}

func bracketPart(e *filter.AttributeExpression) (filter.Expression, error) {
	name, part := e.AttributePath.AttributeName, e.AttributePath.SubAttributeName()
	switch {
	case part == "" && e.Operator == filter.PR:
		return e, nil
	case equalNames(name, "emails"), equalNames(name, "roles"):
		if part == "" {
			part = "value"
		}
		whole := filter.AttributePath{URIPrefix: e.AttributePath.URIPrefix, AttributeName: name}
		one := filter.AttributeExpression{AttributePath: filter.AttributePath{AttributeName: part}, Operator: e.Operator, CompareValue: e.CompareValue}
		return &filter.ValuePath{AttributePath: whole, ValueFilter: &one}, nil
	case part == "" && (equalNames(name, "name") || equalNames(name, "meta")):
		return nil, scimerrors.ScimErrorInvalidFilter
	}
	return e, nil
}
