// Package event is the catalog of webhook events: every kind with its description, the schema of
// its data and an example. It is a leaf package, and the only source for the API's catalog, the
// OpenAPI document and the documentation.
//
// Data is thin: ids, states, times and the path of the object in the API. It contains no email,
// phone or name of a person, and no note or credential. Only the name of an API key and the firm's
// reference of an interview are what somebody typed. Receivers fetch the rest with an API key that
// has the permission.
package event
