// Package event is the catalog of webhook events: every kind with its description, the schema of
// its data and an example. It is a leaf package, and the only source for the API's catalog, the
// OpenAPI document and the documentation.
//
// Data is thin: ids, states, times and the path of the object in the API. It contains no email,
// phone, name of a person, text that somebody wrote, or credential. Receivers fetch the rest with
// an API key that has the permission.
package event
