package v1

import (
	"net/http"

	"github.com/assayhq/assay/apiserver/decode"
)

func listAPIKeysOperation() Operation {
	return Operation{
		ID: "listApiKeys", Tag: tagAPIKeys, Summary: "List the API keys",
		Description: "Lists all keys of the organization, also those that have expired or been revoked, newest first. Secrets are not among what is told.",
		Answers:     []Answer{{Status: http.StatusOK, About: "All keys.", Body: collection[apiKeyBody]{}}},
	}
}

func createAPIKeyOperation() Operation {
	return Operation{
		ID: "createApiKey", Tag: tagAPIKeys, Summary: "Make an API key",
		Description: "Makes a key and tells its secret, this once. The new key may hold scopes that the calling key lacks.",
		Body:        Body{Name: "NewApiKey", About: "What the key is for.", Read: func(o *decode.Object) { readNewKey(o) }},
		Answers:     []Answer{{Status: http.StatusCreated, About: "The key with its secret.", Body: apiKeyCreatedBody{}}},
	}
}

func revokeAPIKeyOperation() Operation {
	return Operation{
		ID: "revokeApiKey", Tag: tagAPIKeys, Summary: "Revoke an API key",
		Description: "Revokes a key at once. When this has been answered no request with the key does or tells anything any more, those under way included; they are answered 401. " +
			"A key may revoke itself. Revoking a key again changes nothing and answers the same.",
		Answers: []Answer{{Status: http.StatusNoContent, About: "The key is revoked."}},
	}
}
