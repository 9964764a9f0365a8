package integrations

import (
	"net/http"

	"github.com/assayhq/assay/apiserver/csvexport"
	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/apiserver/response"
	"github.com/assayhq/assay/apiserver/route"
)

// operations are about integrations.
var operations = map[string]route.Operation{
	"getEgress": {
		Tag: route.TagIntegrations, Summary: "List egress addresses", Conditional: true,
		Description: "Lists the address ranges from which assay calls platforms. Allow them on the platform before you run its live check.",
		Answers:     []route.Answer{{Status: http.StatusOK, About: "The address ranges.", Body: egressBody{}}},
	},
	"testConnection": {
		Tag: route.TagIntegrations, Summary: "Test connection settings",
		Description: "Runs the live check with the settings in the body and saves nothing. The check takes up to two minutes. The response is 200 whatever the check finds; " +
			"the report's `ok` says whether it passed." +
			aboutCheckStream,
		Body:    newIntegration,
		Answers: []route.Answer{{Status: http.StatusOK, About: "The report of the live check.", Body: reportBody{}}},
	},
	"listIntegrations": {
		Tag: route.TagIntegrations, Summary: "List integrations",
		Description: "Lists all integrations of the organization, newest first.",
		Answers:     []route.Answer{{Status: http.StatusOK, About: "The integrations.", Body: response.Collection[integrationBody]{}, Headers: []string{"Link"}}},
	},
	"createIntegration": {
		Tag: route.TagIntegrations, Summary: "Connect a platform",
		Description: "Runs the live check and saves the integration whether the check passes or fails. Polling begins once a check has passed. The request takes up to two " +
			"minutes.\n\nIf you connect a platform again that was disconnected before, the same integration continues and keeps its `id` and traders. It is the same " +
			"platform if the address is the same, including the path, and if at least half of the first page of its traders are known by id and email. Otherwise " +
			"assay creates a new integration with traders of its own. If the platform is already connected with the same key, the response is 409 " +
			"`integration_exists`.",
		Body:     newIntegration,
		Problems: []problem.Code{problem.IntegrationExists},
		Answers: []route.Answer{{
			Status: http.StatusCreated, About: "The integration, with the report of the live check.", Body: createdBody{}, Headers: []string{"Location"},
		}},
	},
	"getIntegration": {
		Tag: route.TagIntegrations, Summary: "Retrieve an integration", Conditional: true,
		Description: "Returns an integration with its health, its latest error, and counts of the records that were read.",
		Answers:     []route.Answer{{Status: http.StatusOK, About: "The integration.", Body: integrationBody{}}},
	},
	"updateIntegration": {
		Tag: route.TagIntegrations, Summary: "Update an integration", Conditional: true,
		Description: "Updates the fields in the body and leaves the others unchanged. Null resets `name`, `account_scope` and `sync_interval_seconds` to their defaults.\n\n- " +
			"A change of `base_url`, `api_key` or `account_scope`, and enabling the integration, runs the live check first, so the request takes up to two " +
			"minutes. Polling continues once the check has passed.\n- After a change of `account_scope`, accounts and payouts are read from the beginning, so that " +
			"records that were outside the old scope arrive. Nothing is removed.\n- After a change of `base_url`, everything is read from the beginning.\n- If the " +
			"new `base_url` or `api_key` leads to a platform with other traders, nothing is saved and the response is 409 " +
			"`different_platform`. If the platform cannot be read at the moment, it is compared before the first record is written.\n- If another request changes " +
			"the integration at the same time, nothing is saved and the response is 409.",
		Body: route.Body{
			Name: "IntegrationPatch", About: "The fields to update.",
		},
		Answers:  []route.Answer{{Status: http.StatusOK, About: "The updated integration.", Body: integrationBody{}}},
		Problems: []problem.Code{problem.Conflict, problem.IntegrationExists, problem.DifferentPlatform},
	},
	"deleteIntegration": {
		Tag: route.TagIntegrations, Summary: "Disconnect a platform", Conditional: true,
		Description: "Deletes the integration, its stored key, and the history of its runs. Its traders, accounts, trades and payouts are kept.",
		Answers:     []route.Answer{{Status: http.StatusNoContent, About: "The platform is disconnected."}},
	},
	"testIntegration": {
		Tag: route.TagIntegrations, Summary: "Test an integration",
		Description: "Runs the live check with the saved settings and updates the integration's health. A check that passes unblocks the integration. The check takes up to " +
			"two minutes. The response is 200 whatever the check finds; the report's `ok` says whether it passed." +
			aboutCheckStream,
		Answers: []route.Answer{{Status: http.StatusOK, About: "The report of the live check.", Body: reportBody{}}},
	},
	"requestSync": {
		Tag: route.TagIntegrations, Summary: "Sync an integration now",
		Description: "Requests a cycle immediately instead of at the integration's next slot. If nothing was queued, `queued` is false and `reason` says why: " +
			"`already_queued` (a cycle is due, or follows the current one), `inactive` (enable the integration first), or `check_failed` or `blocked` (a live " +
			"check has to pass first; see `last_error`).",
		Answers: []route.Answer{{Status: http.StatusOK, About: "Whether this request queued a cycle.", Body: queuedBody{}}},
	},
	"listSyncRuns": {
		Tag: route.TagIntegrations, Summary: "List runs",
		Description: "Lists what was read from the platform, newest first unless `sort` is given, with one run per resource and cycle. Open and closed trades of a `partner_platform` are one run. " +
			"Runs that found nothing new are counted in the `repeats` of the run before them.",
		Answers: []route.Answer{{Status: http.StatusOK, About: "A page of runs.", Body: response.Page[runBody]{}, Headers: []string{"Link"}}},
	},
	"exportSyncRuns": {
		Tag: route.TagIntegrations, Summary: "Export runs as CSV",
		Description: "Returns all runs that match the filter, without pages.", Answers: csvexport.DescribeFile(),
	},
	"getSchedule": {
		Tag: route.TagIntegrations, Summary: "Retrieve the schedule of an integration", Conditional: true,
		Description: "Returns why an integration did or did not run: its slot, what it is waiting for, which process is working on it, how far each stream has been read, " +
			"and its latest changes. The streams are `traders`, `accounts`, `trades` and `payouts`; a `partner_platform` has `trades_open` and `trades_closed` " +
			"instead of `trades`.",
		Answers: []route.Answer{{Status: http.StatusOK, About: "The schedule.", Body: scheduleBody{}}},
	},
	"listQuarantine": {
		Tag: route.TagIntegrations, Summary: "List quarantined records",
		Description: "Lists the platform's records that cannot be used because they break a rule of the contract, last seen first unless `sort` is given. A record leaves the list when a valid " +
			"version of it arrives.",
		Answers: []route.Answer{{Status: http.StatusOK, About: "A page of quarantined records.", Body: response.Page[quarantinedBody]{}, Headers: []string{"Link"}}},
	},
	"exportQuarantine": {
		Tag: route.TagIntegrations, Summary: "Export quarantined records as CSV",
		Description: "Returns all quarantined records that match the filter without their `raw` text, without pages.", Answers: csvexport.DescribeFile(),
	},
	"listFindings": {
		Tag: route.TagIntegrations, Summary: "List findings",
		Description: "Lists the rules of the contract that the platform breaks in records that can still be used, with samples.",
		Answers:     []route.Answer{{Status: http.StatusOK, About: "A page of findings.", Body: response.Page[findingBody]{}, Headers: []string{"Link"}}},
	},
	"getIntegrationAudits": {
		Tag: route.TagIntegrations, Summary: "Retrieve the latest audits", Conditional: true,
		Description: "Returns the audit that is queued or in progress, and the latest one that has ended. An audit reads everything that the platform shows, except trades " +
			"older than 89 days, and compares it with what is stored. Records that are absent or stale are repaired, records that the platform no longer shows get " +
			"a `missing_since`, and nothing is ever deleted. An audit begins every night, at a time that differs between integrations.",
		Answers: []route.Answer{{Status: http.StatusOK, About: "The audits.", Body: integrationAuditsBody{}}},
	},
	"requestIntegrationAudit": {
		Tag: route.TagIntegrations, Summary: "Audit an integration now",
		Description: "Requests an audit immediately. A cycle runs first, and then the audit runs alongside the cycles that follow, within the platform's request budget. If " +
			"an audit is already queued or in progress, it is returned. An integration that is not polled cannot be audited: `queued` is then false and `reason` " +
			"says why: `inactive` (enable the integration first), or `check_failed` or `blocked` (a live check has to pass first; see `last_error`).",
		Answers: []route.Answer{
			{Status: http.StatusAccepted, About: "The audit that is queued or in progress.", Body: integrationAuditBody{}},
			{Status: http.StatusOK, About: "No audit was queued, because the integration is not polled.", Body: queuedBody{}},
		},
	},
}

// newIntegration is the body of the requests that connect a platform or check whether it can be.
var newIntegration = route.Body{
	Name: "NewIntegration", About: "The settings of the integration.",
}
