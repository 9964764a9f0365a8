// Package assay is a client of assay's API.
//
//	client, err := assay.New("https://assay.example.com", os.Getenv("ASSAY_API_KEY"))
//	…
//	for trader, err := range client.AllTraders(ctx, &assay.ListTradersParams{Search: new("smith")}) {
//
// A method of [Client] exists for each operation of the API, named as in its document, which also
// describes it: /docs on each server. Every list has an iterator over all pages, named All….
//
// The client sends a request again if the server could not answer it, if it answers that it is busy,
// and if the caller has reached the rate limit, and waits for as long as the server asks. A POST is
// sent with an Idempotency-Key, so that it is carried out once. A refusal is a [*Problem], which
// errors.AsType finds.
//
// [Client.Changes] follows what changes while you watch. [ParseWebhook] verifies and reads what
// assay sends to your webhook endpoints.
package assay

//go:generate go run ./internal/types internal/generate/types.yaml ../../apiserver/openapi/openapi.json
//go:generate go tool oapi-codegen -config internal/generate/operations.yaml ../../apiserver/openapi/openapi.json
//go:generate go run ./internal/samples ../../apiserver/openapi/openapi.json ../../apiserver/docs/samples.json
