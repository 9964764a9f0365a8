// Package event is the catalogue of what webhooks tell: every kind with its
// description, the schema of its data and an example. It is a leaf and the one
// source of the API's catalogue, the OpenAPI document and the documentation.
//
// Data is thin: ids, states, times and the path of the object in the API. It
// holds no email, phone, name of a person, text that somebody wrote, or
// credential, so that whoever receives it fetches the rest with a key that may.
package event
