package v1

import (
	"net/http"
)

// apiKeyOperations are about API keys.
var apiKeyOperations = map[string]Operation{
	"listApiKeys": {
		Tag: tagAPIKeys, Summary: "List API keys",
		Description: "Lists all API keys of the organization, newest first, including expired and revoked ones. Secrets are not included.",
		Answers:     []Answer{{Status: http.StatusOK, About: "The keys.", Body: collection[apiKeyBody]{}, Headers: []string{"Link"}}},
	},
	"createApiKey": {
		Tag: tagAPIKeys, Summary: "Create an API key",
		Description: "Creates an API key and returns its secret. The secret is shown only once. The new key may have scopes that the calling key lacks.",
		Body:        Body{Name: "NewApiKey", About: "The name, scopes and lifetime of the key.", Read: readerOf(readNewKey)},
		Answers:     []Answer{{Status: http.StatusCreated, About: "The key with its secret.", Body: apiKeyCreatedBody{}}},
	},
	"revokeApiKey": {
		Tag: tagAPIKeys, Summary: "Revoke an API key",
		Description: "Revokes an API key immediately. Once this request has been answered, requests with the key no longer change or return anything: they are answered " +
			"401, even if they were already in progress. A key can revoke itself. Revoking a revoked key has no effect and returns the same response.",
		Answers: []Answer{{Status: http.StatusNoContent, About: "The key is revoked."}},
	},
}
