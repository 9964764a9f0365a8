package main

import (
	"reflect"
	"slices"

	"github.com/assayhq/assay/apiserver/openapi"
)

// sharedQueries names the parameters of queries that several operations have, each by one of these operations. The
// other filters of a list and of its export are shorter, and stay where they are read.
func sharedQueries() []struct{ name, operation, parameter string } {
	return []struct{ name, operation, parameter string }{
		{"PageNumber", "listTraders", "page"},
		{"PageLimit", "listTraders", "limit"},
		{"PageCursor", "listTraders", "cursor"},
		{"CollectionLimit", "listApiKeys", "limit"},
		{"TraderSearch", "listTraders", "search"},
		{"TraderStatuses", "listTraders", "status"},
		{"InterviewStatuses", "listInterviews", "status"},
		{"InterviewDecisions", "listInterviews", "decision"},
		{"InterviewAttention", "listInterviews", "attention"},
		{"InterviewSeverities", "listInterviews", "severity"},
	}
}

// shareParameters replaces equal parameters of queries by references to one that has a name.
func (b *builder) shareParameters() {
	var operations []*openapi.Operation
	for _, item := range b.doc.Paths {
		operations = append(operations, operationsOf(item.Value)...)
	}
	for _, c := range sharedQueries() {
		at := slices.IndexFunc(operations, func(op *openapi.Operation) bool { return op.OperationID == c.operation })
		if at < 0 {
			b.noteFault("parameters.go", "there is no operation %s", c.operation)
			continue
		}
		list := operations[at].Parameters
		if at = slices.IndexFunc(list, func(p *openapi.Parameter) bool { return p.Name == c.parameter }); at < 0 {
			b.noteFault("parameters.go", "%s has no parameter %s", c.operation, c.parameter)
			continue
		}
		if uses := b.shareParameter(operations, c.name, list[at]); uses < 2 {
			b.noteFault("parameters.go", "no other operation has the parameter %s of %s", c.parameter, c.operation)
		}
	}
}

// shareParameter gives the parameter a name, by which the operations refer to it, and counts them.
func (b *builder) shareParameter(operations []*openapi.Operation, name string, shared *openapi.Parameter) (uses int) {
	b.doc.Components.Parameters.Set(name, shared)
	for _, op := range operations {
		for i, p := range op.Parameters {
			if reflect.DeepEqual(p, shared) {
				op.Parameters[i] = &openapi.Parameter{Ref: "#/components/parameters/" + name}
				uses++
			}
		}
	}
	return uses
}
