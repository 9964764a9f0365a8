package docs

import (
	"bytes"
	"fmt"
	"html/template"
	"math"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/yuin/goldmark"

	"github.com/assayhq/assay/apiserver/openapi"
	"github.com/assayhq/assay/apiserver/page"
	"github.com/assayhq/assay/apiserver/problem"
)

// Sections of the reference that are no tags of the document.
const (
	eventsSection  = "events"
	objectsSection = "objects"
)

// referencePolicy lets the pages of the reference run the script and load the stylesheet of this origin. They call
// nobody.
const referencePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// sectionView is a page of the reference.
type sectionView struct {
	view
	Address    string // below /docs, empty for the first page
	About      template.HTML
	Sections   []navSection
	Operations []operationView
	Events     []eventView
	Objects    []objectView
}

// navSection is a section as the navigation lists it.
type navSection struct {
	Name, Address string
	Entries       []navEntry
}

// navEntry leads to an operation, an event or an object.
type navEntry struct {
	Text, Method, To string
	Find             string // what the search compares, in lower case
}

// operationView is what the reference shows of an operation.
type operationView struct {
	ID, Title, Method, Path string
	About                   template.HTML
	Deprecated, TakesKey    bool
	Section                 string // by its name in the document
	Parameters              []memberView
	Body                    *bodyView
	Answers, Refusals       []answerView
	Samples                 []sampleView
	Example                 string // a response
}

// bodyView describes the body of a request.
type bodyView struct {
	MediaType string
	Sent      bool   // by most callers
	Object    string // name of its schema
	Members   []memberView
}

// answerView is a response. Codes are those of problem documents.
type answerView struct {
	Status, Object string
	About          template.HTML
	Headers        []string
	Codes          []string
}

// memberView is a parameter, or a member of an object.
type memberView struct {
	Name     string
	Type     template.HTML
	Required bool
	In       string // of a parameter
	About    template.HTML
	Rules    []string
	Members  []memberView
}

// eventView is a kind of event that webhooks deliver.
type eventView struct {
	Kind, Title, Object string
	About               template.HTML
}

// objectView is an object that responses hold.
type objectView struct {
	Name    string
	About   template.HTML
	Type    template.HTML // of what is no object
	Members []memberView
}

// renderReference renders the pages of the reference by their address below /docs, from the document.
func (t templates) renderReference(text string) (map[string]page.Page, error) {
	var d document
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		return nil, err
	}
	d.inlineChoices()
	views, err := d.listSections()
	if err != nil {
		return nil, err
	}
	pages := make(map[string]page.Page, len(views))
	for _, v := range views {
		if pages[v.Address], err = t.renderPage("reference.html", referencePolicy, v); err != nil {
			return nil, err
		}
	}
	return pages, nil
}

// listSections returns a page for the introduction, one for each tag, and those of events and objects.
func (d *document) listSections() ([]sectionView, error) {
	samples, err := readSamples()
	if err != nil {
		return nil, err
	}
	var views []sectionView
	for _, tag := range d.Tags {
		views = append(views, sectionView{view: view{tag.Name}, Address: addressOf(tag.Name), About: renderMarkdown(tag.Description)})
	}
	for _, item := range d.Paths {
		for _, m := range item.Value.listOperations() {
			i := slices.IndexFunc(views, func(v sectionView) bool { return v.Title == m.Value.Tags[0] })
			views[i].Operations = append(views[i].Operations, d.describeOperation(m.Name, item.Name, item.Value.Parameters, m.Value, samples))
		}
	}
	events := sectionView{view: view{"Events"}, Address: eventsSection, About: renderMarkdown("What webhooks deliver, and what `GET /v1/webhooks/events` lists. Each request has the headers `webhook-id`, `webhook-timestamp` and `webhook-signature` of Standard Webhooks.")}
	for _, item := range d.Webhooks {
		e := eventView{Kind: item.Name, Title: item.Value.Post.Summary, About: renderMarkdown(item.Value.Post.Description)}
		if item.Value.Post.Body != nil && len(item.Value.Post.Body.Content) > 0 {
			e.Object = nameIn(item.Value.Post.Body.Content[0].Value.Schema.Ref)
		}
		events.Events = append(events.Events, e)
	}
	objects := sectionView{view: view{"Objects"}, Address: objectsSection, About: renderMarkdown("The objects that requests and responses hold. Responses may have more members one day: ignore those that you do not know.")}
	for _, s := range d.Components.Schemas {
		if s.Value.isChoice() {
			continue // its values are with the members that have them
		}
		objects.Objects = append(objects.Objects, objectView{Name: s.Name, About: renderMarkdown(s.Value.Description), Type: typeOf(s.Value), Members: d.describeMembers(s.Value, 1)})
	}
	views = append([]sectionView{{view: view{"API reference"}, About: renderMarkdown(d.Info.Description)}}, append(views, events, objects)...)
	sections := listNavigation(views)
	for i := range views {
		views[i].Sections = sections
	}
	return views, nil
}

// listNavigation lists what the navigation of all pages shows.
func listNavigation(views []sectionView) (list []navSection) {
	for _, v := range views[1:] {
		section := navSection{Name: v.Title, Address: v.Address}
		add := func(text, method, id, more string) {
			section.Entries = append(section.Entries, navEntry{Text: text, Method: method, To: AssetsPath + v.Address + "#" + id, Find: strings.ToLower(text + " " + id + " " + more)})
		}
		for _, o := range v.Operations {
			add(o.Title, o.Method, o.ID, o.Method+" "+o.Path)
		}
		for _, e := range v.Events {
			add(e.Kind, "", e.Kind, e.Title)
		}
		for _, o := range v.Objects {
			add(o.Name, "", o.Name, "")
		}
		list = append(list, section)
	}
	return list
}

// addressOf returns the address of a tag's page below /docs.
func addressOf(tag string) string { return strings.ReplaceAll(strings.ToLower(tag), " ", "-") }

// describeOperation collects what the reference shows of an operation.
func (d *document) describeOperation(method, path string, shared []parameter, o *operation, samples map[string]string) operationView {
	v := operationView{ID: o.ID, Title: o.Summary, Method: method, Path: path, About: renderMarkdown(o.Description), Deprecated: o.Deprecated, Section: o.Tags[0]}
	v.TakesKey = slices.ContainsFunc(o.Security, func(way map[string][]string) bool { _, ok := way["bearerAuth"]; return ok })
	for _, p := range append(slices.Clone(shared), o.Parameters...) {
		p = d.parameterOf(p)
		m := memberView{Name: p.Name, Type: typeOf(p.Schema), Required: p.Required, In: p.In, About: renderMarkdown(p.Description), Rules: listRules(p.Schema)}
		v.Parameters = append(v.Parameters, m)
	}
	slices.SortStableFunc(v.Parameters, func(a, b memberView) int { return strings.Compare(b.In, a.In) }) // query, path, header
	var request jsontext.Value
	if o.Body != nil && len(o.Body.Content) > 0 {
		content := o.Body.Content[0]
		request = d.exampleOf(content.Value)
		v.Body = &bodyView{MediaType: content.Name, Sent: o.Body.Required || string(request) != "{}"}
		if s := content.Value.Schema; s != nil {
			v.Body.Object, v.Body.Members = nameIn(s.Ref), d.describeMembers(s, bodyDepth)
		}
	}
	for _, r := range o.Responses {
		described := d.responseOf(r.Value)
		a := answerView{Status: r.Name, About: renderMarkdown(described.Description)}
		for _, header := range described.Headers {
			a.Headers = append(a.Headers, header.Name)
		}
		for _, content := range described.Content {
			switch {
			case content.Name == problem.MediaType:
				for _, e := range content.Value.Examples {
					a.Codes = append(a.Codes, e.Name)
				}
			case content.Value.Schema != nil && content.Value.Schema.Ref != "":
				a.Object = nameIn(content.Value.Schema.Ref)
			}
			if v.Example == "" && r.Name[0] == '2' {
				v.Example = indentJSON(d.exampleOf(content.Value))
			}
		}
		if len(a.Codes) > 0 {
			v.Refusals = append(v.Refusals, a)
		} else {
			v.Answers = append(v.Answers, a)
		}
	}
	v.Samples = listSamples(&v, request, samples[o.ID])
	return v
}

// bodyDepth is how many levels of a request's body are shown beside its operation.
const bodyDepth = 3

// describeMembers describes the members of an object, with those of objects in it to the depth.
func (d *document) describeMembers(s *schema, depth int) (list []memberView) {
	if depth == 0 {
		return nil
	}
	if s = d.objectIn(s); s == nil {
		return nil
	}
	for _, m := range s.Properties {
		list = append(list, memberView{
			Name: m.Name, Type: typeOf(m.Value), Required: slices.Contains(s.Required, m.Name), About: renderMarkdown(m.Value.Description),
			Rules: listRules(m.Value), Members: d.describeMembers(m.Value, depth-1),
		})
	}
	return list
}

// objectIn returns the schema of the objects that a list holds, or that a schema refers to.
func (d *document) objectIn(s *schema) *schema {
	for s != nil {
		switch {
		case s.Items != nil:
			s = s.Items
		case s.Ref != "":
			s, _ = d.Components.Schemas.Find(nameIn(s.Ref))
		case len(s.AnyOf) > 0:
			s = s.AnyOf[0] // the other one is null
		default:
			return s
		}
	}
	return nil
}

// typeOf says what type a value has, with links to objects.
func typeOf(s *schema) template.HTML {
	if s == nil {
		return ""
	}
	return template.HTML(describeType(s)) //nolint:gosec // names of the document's schemas, escaped
}

func describeType(s *schema) string {
	if s.Ref != "" {
		name := template.HTMLEscapeString(nameIn(s.Ref))
		return `<a href="` + AssetsPath + objectsSection + "#" + name + `">` + name + "</a>"
	}
	var kinds []string
	for _, one := range append(slices.Clone(s.AnyOf), s.OneOf...) {
		kinds = append(kinds, describeType(one))
	}
	for _, kind := range s.Type {
		switch {
		case kind == openapi.Array && s.Items != nil:
			kind = "list of " + describeType(s.Items)
		case kind == openapi.Object && s.Additional.schema != nil:
			kind = "map of " + describeType(s.Additional.schema)
		case kind == openapi.String && s.Format != "":
			kind = template.HTMLEscapeString(s.Format)
		}
		kinds = append(kinds, kind)
	}
	return strings.Join(kinds, " or ")
}

// listRules lists the limits of a value.
func listRules(s *schema) (rules []string) {
	if s == nil {
		return nil
	}
	var values []string
	for _, v := range s.Enum {
		if v != nil {
			values = append(values, fmt.Sprint(v))
		}
	}
	if len(values) > 0 {
		rules = append(rules, "One of "+strings.Join(values, ", "))
	}
	if len(s.Known) > 0 {
		rules = append(rules, "One of "+strings.Join(s.Known, ", ")+", or another one in the future")
	}
	rules = append(rules, describeRange(s.Minimum, s.Maximum, "")...)
	rules = append(rules, describeRange(toInt64(s.MinLength), toInt64(s.MaxLength), " characters")...)
	if s.MaxItems != nil {
		rules = append(rules, fmt.Sprintf("At most %d items", *s.MaxItems))
	}
	if s.Default != nil {
		rules = append(rules, "Default "+strings.Trim(string(s.Default), `"`))
	}
	return rules
}

func toInt64(n *int) *int64 {
	if n == nil {
		return nil
	}
	return new(int64(*n))
}

// describeRange says between which numbers something must be. The largest numbers of a type are no limits to tell.
func describeRange(low, high *int64, unit string) []string {
	if high != nil && *high >= math.MaxInt32 {
		high = nil
	}
	switch {
	case low != nil && high != nil && *low == *high:
		return []string{fmt.Sprintf("Exactly %d%s", *low, unit)}
	case low != nil && high != nil:
		return []string{fmt.Sprintf("From %d to %d%s", *low, *high, unit)}
	case high != nil:
		return []string{fmt.Sprintf("At most %d%s", *high, unit)}
	case low != nil && *low > 0:
		return []string{fmt.Sprintf("At least %d%s", *low, unit)}
	}
	return nil
}

// renderMarkdown renders a description. HTML in it is left out.
func renderMarkdown(text string) template.HTML {
	var out bytes.Buffer
	if err := goldmark.Convert([]byte(text), &out); err != nil {
		return template.HTML(template.HTMLEscapeString(text)) //nolint:gosec // escaped
	}
	return template.HTML(strings.ReplaceAll(out.String(), "<pre>", `<pre tabindex="0">`)) //nolint:gosec // goldmark escapes it
}

// indentJSON formats an example for people.
func indentJSON(text jsontext.Value) string {
	if text == nil {
		return ""
	}
	text = text.Clone()
	if text.Kind() != '{' && text.Kind() != '[' {
		var plain string
		if json.Unmarshal(text, &plain) == nil {
			return plain // a file
		}
	}
	if err := text.Indent(jsontext.WithIndent("  ")); err != nil {
		return string(text)
	}
	return string(text)
}

// Reference answers GET /docs with the first page of the reference.
func (p *Pages) Reference(w http.ResponseWriter, r *http.Request) error {
	pages, err := p.reference()
	if err != nil {
		return err
	}
	return pages[""].Serve(w, r)
}
