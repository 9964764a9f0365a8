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
		ID:          "getEgress", Tag: tagIntegrations, Summary: "Read the addresses that calls come from",
		Description: "Lists the address ranges from which platforms are called. Allow them on the platform before its live check.",
		Answers:     []Answer{{Status: http.StatusOK, About: "The address ranges.", Body: egressBody{}}},
	}
}

func (a *API) testUnsavedOperation() Operation {
	return Operation{
		ID: "testConnection", Tag: tagIntegrations, Summary: "Run the live check of settings",
		Description: "Runs the live check with the settings in the body and saves nothing. Takes up to two minutes. " +
			"The answer is 200 whatever the check finds; see the report's `ok`." +
			aboutCheckEvents,
		Body:     a.newIntegrationDocs(),
		Answers:  []Answer{{Status: http.StatusOK, About: "What the live check found.", Body: reportBody{}}},
		Problems: []problem.Code{problem.ServiceUnavailable},
	}
}

func listIntegrationsOperation() Operation {
	return Operation{
		ID: "listIntegrations", Tag: tagIntegrations, Summary: "List the integrations",
		Description: "Lists all integrations of the organization, newest first.",
		Answers:     []Answer{{Status: http.StatusOK, About: "All integrations.", Body: collection[integrationBody]{}}},
	}
}

func (a *API) createIntegrationOperation() Operation {
	return Operation{
		ID: "createIntegration", Tag: tagIntegrations, Summary: "Connect a platform",
		Description: "Runs the live check and saves the integration with its outcome, whatever that is. Polling begins when the check has passed. " +
			"Connecting a platform again that was disconnected before goes on with the same integration, whose `id` and traders stay, when it is the same platform: " +
			"the same address, path included, and at least half of the first page of its traders known by id and email. Otherwise it becomes a new integration, " +
			"whose traders are people of their own. A platform that is connected with the same key already is 409 `integration_exists`. Takes up to two minutes.",
		Body:     a.newIntegrationDocs(),
		Problems: []problem.Code{problem.IntegrationExists},
		Answers: []Answer{{
			Status: http.StatusCreated, About: "The integration, with what the live check found.", Body: createdBody{}, Headers: []string{"Location"},
		}},
	}
}

func integrationOperation() Operation {
	return Operation{
		Conditional: true,
		ID:          "getIntegration", Tag: tagIntegrations, Summary: "Read an integration",
		Description: "Reads an integration with its health, its newest error and what it has brought.",
		Answers:     []Answer{{Status: http.StatusOK, About: "The integration.", Body: integrationBody{}}},
	}
}

func (a *API) updateIntegrationOperation() Operation {
	return Operation{
		Conditional: true,
		ID:          "updateIntegration", Tag: tagIntegrations, Summary: "Change an integration",
		Description: "Changes the members that the body holds and leaves the others as they are; null puts `name`, `account_scope` and `sync_interval_seconds` back to their defaults. " +
			"A change of `base_url`, `api_key` or `account_scope`, or switching the integration on, runs the live check first; polling goes on when it has passed. " +
			"Another `account_scope` has accounts and payouts read from the beginning, so that what was out of sight arrives, and removes nothing. " +
			"Another `base_url` has everything read from the beginning. Where `base_url` or `api_key` leads to another platform, whose traders are not those of this integration, " +
			"nothing is saved and the answer is 409 `different_platform`; a platform that cannot be read at the moment is compared before the first record is written. " +
			"Takes up to two minutes then. Where another request changes the same meanwhile, nothing is saved and the answer is 409.",
		Body: Body{
			Name: "IntegrationPatch", About: "The members to change.",
			Read: func(o *decode.Object) { _, _ = a.patchFrom(context.Background(), o, "") },
		},
		Answers:  []Answer{{Status: http.StatusOK, About: "The integration as it is now.", Body: integrationBody{}}},
		Problems: []problem.Code{problem.Conflict, problem.IntegrationExists, problem.DifferentPlatform},
	}
}

func deleteIntegrationOperation() Operation {
	return Operation{
		Conditional: true,
		ID:          "deleteIntegration", Tag: tagIntegrations, Summary: "Disconnect a platform",
		Description: "Removes the connection, its stored key and the history of its runs. Its traders, accounts, trades and payouts stay.",
		Answers:     []Answer{{Status: http.StatusNoContent, About: "The connection is gone."}},
	}
}

func testIntegrationOperation() Operation {
	return Operation{
		ID: "testIntegration", Tag: tagIntegrations, Summary: "Run the live check of an integration",
		Description: "Runs the live check with the saved settings and brings the integration's health up to date: a check that passes unblocks it. Takes up to two minutes. " +
			"The answer is 200 whatever the check finds; see the report's `ok`." +
			aboutCheckEvents,
		Answers: []Answer{{Status: http.StatusOK, About: "What the live check found.", Body: reportBody{}}},
	}
}

func requestSyncOperation() Operation {
	return Operation{
		ID: "requestSync", Tag: tagIntegrations, Summary: "Sync an integration now",
		Description: "Asks for a cycle at once instead of at its next slot. `queued` is false when nothing was queued, and `reason` says why: " +
			"`already_queued` (a cycle is due, or follows the present one), `inactive` (switch the integration on first), `check_failed` or `blocked` (a live check has to pass first; see `last_error`).",
		Answers: []Answer{{Status: http.StatusOK, About: "Whether this request queued a cycle.", Body: queuedBody{}}},
	}
}

func listRunsOperation() Operation {
	return Operation{
		ID: "listSyncRuns", Tag: tagIntegrations, Summary: "List the runs of an integration",
		Description: "Lists what was read from the platform, one run for each resource and cycle, newest first; the open and the closed trades of a `partner_platform` are one run. Runs that found nothing new are counted in the `repeats` of the run before.",
		Answers:     []Answer{{Status: http.StatusOK, About: "A page of runs.", Body: page[runBody]{}, Headers: []string{"Link"}}},
	}
}

func scheduleOperation() Operation {
	return Operation{
		Conditional: true,
		ID:          "getSchedule", Tag: tagIntegrations, Summary: "Read the schedule of an integration",
		Description: "Tells why an integration did or did not run: its slot, what it waits for, who has it in hand, how far each stream has been read, and its last changes. " +
			"The streams are `traders`, `accounts`, `trades` and `payouts`; a `partner_platform` has `trades_open` and `trades_closed` instead of `trades`.",
		Answers: []Answer{{Status: http.StatusOK, About: "The schedule.", Body: scheduleBody{}}},
	}
}

func listQuarantineOperation() Operation {
	return Operation{
		ID: "listQuarantine", Tag: tagIntegrations, Summary: "List records that could not be used",
		Description: "Lists the platform's records that break a rule of the contract so that they cannot be used, last seen first. A record leaves the list when a valid version of it arrives.",
		Answers:     []Answer{{Status: http.StatusOK, About: "A page of records.", Body: page[quarantinedBody]{}, Headers: []string{"Link"}}},
	}
}

func listFindingsOperation() Operation {
	return Operation{
		ID: "listFindings", Tag: tagIntegrations, Summary: "List the rules that the platform breaks",
		Description: "Lists the rules of the contract that the platform's traffic breaks in records that can be used all the same, with samples.",
		Answers:     []Answer{{Status: http.StatusOK, About: "A page of findings.", Body: page[findingBody]{}, Headers: []string{"Link"}}},
	}
}

func (a *API) newIntegrationDocs() Body {
	return Body{
		Name: "NewIntegration", About: "The settings of the connection.",
		Read: func(o *decode.Object) { _, _ = a.integrationFrom(context.Background(), o) },
	}
}
