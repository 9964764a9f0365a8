package main

import (
	"crypto/sha256"

	"github.com/google/uuid"

	"github.com/assayhq/assay/apiserver/openapi"
)

// exampleTime stands for any time.
const exampleTime = "2026-11-20T09:30:00Z"

// fillIn adds an example to each body of the operations, composed of the examples of its members.
// Bodies of the same schema share one. Events need none, because all of their members have examples.
func (b *builder) fillIn() {
	var bodies []*openapi.Media
	uses := make(map[string]int)
	for _, item := range b.doc.Paths {
		for _, op := range operationsOf(item.Value) {
			for _, content := range contentsOf(op) {
				for i := range content {
					if media := &content[i].Value; media.Example == nil && len(media.Examples) == 0 {
						bodies = append(bodies, media)
						uses[media.Schema.Referred()]++
					}
				}
			}
		}
	}
	for _, media := range bodies {
		name := media.Schema.Referred()
		if name == "" || uses[name] == 1 {
			media.Example = b.exampleOf("", media.Schema)
			continue
		}
		b.examples.Set(name, openapi.Example{Summary: name, Value: b.exampleOf("", media.Schema)})
		media.Examples.Set(name, referToExample(name))
	}
}

// contentsOf lists the bodies of an operation.
func contentsOf(op *openapi.Operation) []openapi.Map[openapi.Media] {
	var list []openapi.Map[openapi.Media]
	if op.RequestBody != nil {
		list = append(list, op.RequestBody.Content)
	}
	for _, answer := range op.Responses {
		list = append(list, answer.Value.Content)
	}
	return list
}

// exampleOf returns a value of the schema. Ids differ by place, which is the path of member
// names.
func (b *builder) exampleOf(place string, s *openapi.Schema) any {
	switch {
	case s.Examples != nil:
		return s.Examples[0]
	case s.Ref != "":
		name := s.Referred()
		target, _ := b.schemas.Find(name)
		return b.exampleOf(name, target)
	case s.AnyOf != nil:
		return b.exampleOf(place, s.AnyOf[0])
	case s.OneOf != nil:
		return b.exampleOf(place, s.OneOf[0])
	case s.Default != nil:
		return s.Default
	case s.Enum != nil:
		return s.Enum[0]
	case s.Known != nil:
		return s.Known[0]
	}
	if len(s.Type) == 0 {
		return nil
	}
	switch s.Type[0] {
	case openapi.Object:
		var object openapi.Map[any]
		for _, p := range s.Properties {
			object.Set(p.Name, b.exampleOf(place+"."+p.Name, p.Value))
		}
		return object
	case openapi.Array:
		if *s.MaxItems == 0 {
			return []any{}
		}
		list := []any{b.exampleOf(place, s.Items)}
		for s.MinItems != nil && len(list) < *s.MinItems {
			list = append(list, list[0])
		}
		return list
	case openapi.Integer:
		return *s.Minimum
	case openapi.Number:
		return 1
	case openapi.Boolean:
		return true
	}
	switch s.Format {
	case "uuid":
		return exampleID(place)
	case "date-time":
		return exampleTime
	}
	if s.Takes(openapi.Null) {
		return nil
	}
	b.noteFault(place, "there is no example of it")
	return ""
}

// exampleID returns a UUIDv7 that is always the same for a place.
func exampleID(place string) string {
	sum := sha256.Sum256([]byte(place))
	id := uuid.UUID(sum[:16])
	copy(id[:], "\x01\x9a\x9f\x3c\x7d\x10")
	id[6], id[8] = id[6]&0x0f|0x70, id[8]&0x3f|0x80
	return id.String()
}
