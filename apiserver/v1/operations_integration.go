package v1

import (
	"context"
	"net/http"

	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/problem"
)

func egressOperation() Operation {
	return Operation{
		Conditional: true,
		ID:          "getEgress", Tag: tagIntegrations, Summary: "List egress addresses",
		Description: "Lists the address ranges from which assay calls platforms. Allow them on the platform before you run its live check.",
		Answers:     []Answer{{Status: http.StatusOK, About: "The address ranges.", Body: egressBody{}}},
	}
}

func (a *API) testUnsavedOperation() Operation {
	return Operation{
		ID: "testConnection", Tag: tagIntegrations, Summary: "Test connection settings",
		Description: "Runs the live check with the settings in the body and saves nothing. The check takes up to two minutes. The response is 200 whatever the check finds; " +
			"the report's `ok` says whether it passed." +
			aboutCheckEvents,
		Body:    a.newIntegrationDocs(),
		Answers: []Answer{{Status: http.StatusOK, About: "The report of the live check.", Body: reportBody{}}},
	}
}

func listIntegrationsOperation() Operation {
	return Operation{
		ID: "listIntegrations", Tag: tagIntegrations, Summary: "List integrations",
		Description: "Lists all integrations of the organization, newest first.",
		Answers:     []Answer{{Status: http.StatusOK, About: "The integrations.", Body: collection[integrationBody]{}, Headers: []string{"Link"}}},
	}
}

func (a *API) createIntegrationOperation() Operation {
	return Operation{
		ID: "createIntegration", Tag: tagIntegrations, Summary: "Connect a platform",
		Description: "Runs the live check and saves the integration whether the check passes or fails. Polling begins once a check has passed. The request takes up to two " +
			"minutes.\n\nIf you connect a platform again that was disconnected before, the same integration continues and keeps its `id` and traders. It is the same " +
			"platform if the address is the same, including the path, and if at least half of the first page of its traders are known by id and email. Otherwise " +
			"assay creates a new integration with traders of its own. If the platform is already connected with the same key, the response is 409 " +
			"`integration_exists`.",
		Body:     a.newIntegrationDocs(),
		Problems: []problem.Code{problem.IntegrationExists},
		Answers: []Answer{{
			Status: http.StatusCreated, About: "The integration, with the report of the live check.", Body: createdBody{}, Headers: []string{"Location"},
		}},
	}
}

func integrationOperation() Operation {
	return Operation{
		Conditional: true,
		ID:          "getIntegration", Tag: tagIntegrations, Summary: "Retrieve an integration",
		Description: "Returns an integration with its health, its latest error, and counts of the records that were read.",
		Answers:     []Answer{{Status: http.StatusOK, About: "The integration.", Body: integrationBody{}}},
	}
}

func (a *API) updateIntegrationOperation() Operation {
	return Operation{
		Conditional: true,
		ID:          "updateIntegration", Tag: tagIntegrations, Summary: "Update an integration",
		Description: "Updates the fields in the body and leaves the others unchanged. Null resets `name`, `account_scope` and `sync_interval_seconds` to their defaults.\n\n- " +
			"A change of `base_url`, `api_key` or `account_scope`, and enabling the integration, runs the live check first, so the request takes up to two " +
			"minutes. Polling continues once the check has passed.\n- After a change of `account_scope`, accounts and payouts are read from the beginning, so that " +
			"records that were outside the old scope arrive. Nothing is removed.\n- After a change of `base_url`, everything is read from the beginning.\n- If the " +
			"new `base_url` or `api_key` leads to a platform with other traders, nothing is saved and the response is 409 " +
			"`different_platform`. If the platform cannot be read at the moment, it is compared before the first record is written.\n- If another request changes " +
			"the integration at the same time, nothing is saved and the response is 409.",
		Body: Body{
			Name: "IntegrationPatch", About: "The fields to update.",
			Read: func(o *decode.Object) { _, _ = a.patchFrom(context.Background(), o, "") },
		},
		Answers:  []Answer{{Status: http.StatusOK, About: "The updated integration.", Body: integrationBody{}}},
		Problems: []problem.Code{problem.Conflict, problem.IntegrationExists, problem.DifferentPlatform},
	}
}

func deleteIntegrationOperation() Operation {
	return Operation{
		Conditional: true,
		ID:          "deleteIntegration", Tag: tagIntegrations, Summary: "Disconnect a platform",
		Description: "Deletes the integration, its stored key, and the history of its runs. Its traders, accounts, trades and payouts are kept.",
		Answers:     []Answer{{Status: http.StatusNoContent, About: "The platform is disconnected."}},
	}
}

func testIntegrationOperation() Operation {
	return Operation{
		ID: "testIntegration", Tag: tagIntegrations, Summary: "Test an integration",
		Description: "Runs the live check with the saved settings and updates the integration's health. A check that passes unblocks the integration. The check takes up to " +
			"two minutes. The response is 200 whatever the check finds; the report's `ok` says whether it passed." +
			aboutCheckEvents,
		Answers: []Answer{{Status: http.StatusOK, About: "The report of the live check.", Body: reportBody{}}},
	}
}

func requestSyncOperation() Operation {
	return Operation{
		ID: "requestSync", Tag: tagIntegrations, Summary: "Sync an integration now",
		Description: "Requests a cycle immediately instead of at the integration's next slot. If nothing was queued, `queued` is false and `reason` says why: " +
			"`already_queued` (a cycle is due, or follows the current one), `inactive` (enable the integration first), or `check_failed` or `blocked` (a live " +
			"check has to pass first; see `last_error`).",
		Answers: []Answer{{Status: http.StatusOK, About: "Whether this request queued a cycle.", Body: queuedBody{}}},
	}
}

func listRunsOperation() Operation {
	return Operation{
		ID: "listSyncRuns", Tag: tagIntegrations, Summary: "List runs",
		Description: "Lists what was read from the platform, newest first unless `sort` is given, with one run per resource and cycle. Open and closed trades of a `partner_platform` are one run. " +
			"Runs that found nothing new are counted in the `repeats` of the run before them.",
		Answers: []Answer{{Status: http.StatusOK, About: "A page of runs.", Body: page[runBody]{}, Headers: []string{"Link"}}},
	}
}

func exportRunsOperation() Operation {
	return Operation{
		ID: "exportSyncRuns", Tag: tagIntegrations, Summary: "Export runs as CSV",
		Description: "Returns all runs of an integration, without pages.", Answers: tableAnswer(),
	}
}

func scheduleOperation() Operation {
	return Operation{
		Conditional: true,
		ID:          "getSchedule", Tag: tagIntegrations, Summary: "Retrieve the schedule of an integration",
		Description: "Returns why an integration did or did not run: its slot, what it is waiting for, which process is working on it, how far each stream has been read, " +
			"and its latest changes. The streams are `traders`, `accounts`, `trades` and `payouts`; a `partner_platform` has `trades_open` and `trades_closed` " +
			"instead of `trades`.",
		Answers: []Answer{{Status: http.StatusOK, About: "The schedule.", Body: scheduleBody{}}},
	}
}

func listQuarantineOperation() Operation {
	return Operation{
		ID: "listQuarantine", Tag: tagIntegrations, Summary: "List quarantined records",
		Description: "Lists the platform's records that cannot be used because they break a rule of the contract, last seen first unless `sort` is given. A record leaves the list when a valid " +
			"version of it arrives.",
		Answers: []Answer{{Status: http.StatusOK, About: "A page of quarantined records.", Body: page[quarantinedBody]{}, Headers: []string{"Link"}}},
	}
}

func exportQuarantineOperation() Operation {
	return Operation{
		ID: "exportQuarantine", Tag: tagIntegrations, Summary: "Export quarantined records as CSV",
		Description: "Returns all quarantined records of an integration without their `raw` text, without pages.", Answers: tableAnswer(),
	}
}

func listFindingsOperation() Operation {
	return Operation{
		ID: "listFindings", Tag: tagIntegrations, Summary: "List findings",
		Description: "Lists the rules of the contract that the platform breaks in records that can still be used, with samples.",
		Answers:     []Answer{{Status: http.StatusOK, About: "A page of findings.", Body: page[findingBody]{}, Headers: []string{"Link"}}},
	}
}

func (a *API) newIntegrationDocs() Body {
	return Body{
		Name: "NewIntegration", About: "The settings of the integration.",
		Read: func(o *decode.Object) { _, _ = a.integrationFrom(context.Background(), o) },
	}
}
