package main

import "github.com/assayhq/assay/apiserver/openapi"

// openAnswers lets objects that the API only sends have members that the document does not know,
// because later versions may add some. Objects that it reads stay closed: it refuses members that it
// does not know.
func (b *builder) openAnswers() {
	read := make(map[string]bool)
	for _, item := range b.doc.Paths {
		for _, op := range operationsOf(item.Value) {
			if op.RequestBody != nil {
				b.addReferred(read, op.RequestBody.Content)
			}
		}
	}
	for _, s := range b.schemas {
		if !read[s.Name] {
			walkSchema(s.Value, func(s *openapi.Schema) { s.Open = true })
		}
	}
}

// addReferred adds the names of the schemas that bodies are made of.
func (b *builder) addReferred(names map[string]bool, content openapi.Map[openapi.Media]) {
	var visit func(s *openapi.Schema)
	visit = func(s *openapi.Schema) {
		name := s.Referred()
		if name == "" || names[name] {
			return
		}
		names[name] = true
		target, _ := b.schemas.Find(name)
		walkSchema(target, visit)
	}
	for _, media := range content {
		walkSchema(media.Value.Schema, visit)
	}
}

// walkSchema calls visit with a schema and with each one inside it. It does not follow references.
func walkSchema(s *openapi.Schema, visit func(*openapi.Schema)) {
	if s == nil {
		return
	}
	visit(s)
	for _, member := range s.Properties {
		walkSchema(member.Value, visit)
	}
	for _, list := range [][]*openapi.Schema{s.AnyOf, s.OneOf, {s.Items, s.Additional}} {
		for _, inner := range list {
			walkSchema(inner, visit)
		}
	}
}
