// Package openapi is about the API's OpenAPI 3.1 document: its structure, the schemas of Go
// types, and the document itself, which apiserver serves.
//
// The program in generate builds the document from the table of routes, from the code that reads
// requests and from the types of the responses, so the limits that it states are those that the
// code enforces. go generate writes it to openapi.json.
package openapi

//go:generate go run ./generate
//go:generate go -C ../../client/go generate .
