// Package openapi is the API's document (OpenAPI 3.1): the form of one, the
// schemas of Go types, and the document itself, which apiserver serves.
//
// The document is made from the table of routes, from the code that reads
// requests and from the types of the answers, by the program in generate; what
// it says of bounds is what the code enforces. go generate writes it to
// openapi.json.
package openapi

//go:generate go run ./generate
