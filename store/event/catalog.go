package event

import "github.com/google/uuid"

// Definition is a kind's entry in the catalog.
type Definition struct {
	Kind        Kind
	Description string // one or two sentences for engineers who implement a receiver
	data        any    // the zero value of the data's type
}

// All returns the catalog, by group. A kind is listed once a test has seen it delivered.
func All() []Definition {
	return []Definition{
		{InterviewCreated, "An interview was created, with an invite for its trader.", Interview{}},
		{InterviewOpened, "The link of an invite was opened for the first time. Programs that check links in messages may have opened it.", Interview{}},
		{InterviewStarted, "The trader consented and started to answer.", Interview{}},
		{InterviewSubmitted, "The trader submitted the answers, or time ran out before all questions were answered (`partial`). assay is preparing the recording, transcript and report.", Interview{}},
		{InterviewCompleted, "The report is ready, so the interview can be decided on.", Interview{}},
		{InterviewIncomplete, "The trader started, but gave no answer before time ran out.", Interview{}},
		{InterviewDeclined, "The trader did not consent.", Interview{}},
		{InterviewExpired, "The invite expired before the trader started.", Interview{}},
		{InterviewFailed, "The report could not be written. The recording is kept, and the report can be regenerated.", Interview{}},
		{InterviewDeleted, "An interview was deleted with everything that belongs to it.", Interview{}},
		{InterviewReportReady, "A version of the report is ready.", Interview{}},
		{InterviewDecisionRecorded, "A decision on an interview was recorded, for the first time or again.", Interview{}},
		{InterviewAssigned, "An interview was assigned to a user.", Interview{}},
		{InterviewUnassigned, "An interview was unassigned.", Interview{}},
		{InterviewCommunicated, "The outcome was marked as communicated to the trader.", Interview{}},
		{InterviewInviteReissued, "The invite was reissued. The previous link no longer works.", Interview{}},
		{InterviewShareCreated, "A link to a read-only page was created.", Interview{}},
		{InterviewShareRevoked, "The link to the read-only page was revoked.", Interview{}},
		{InterviewSubtitlesReady, "The captions are ready.", Interview{}},
		{InterviewCommentAdded, "A comment was added to an interview. Its text is not in the event.", InterviewComment{}},
		{InterviewTranscriptCorrected, "A user corrected words of the transcript. The captions and a new version of the report follow.", Interview{}},

		{TraderCreated, "A trader was added to the directory, by hand or from a platform. The event is sent for a platform's traders only after the first complete read of them.", Trader{}},
		{TraderUpdated, "A trader was changed, on the platform or by a user. The event is sent for a platform's traders only after the first complete read of them.", Trader{}},
		{TraderNoteAdded, "A note was added to a trader.", TraderNote{}},

		{ActivityFileProcessed, "An activity file of a trader was imported, for the first time or again with other options.", ActivityFile{}},
		{ActivityFileFailed, "An activity file that was uploaded for a trader could not be imported. Nothing of it was kept.", ActivityFileFailure{}},

		{AccountStatusChanged, "The platform reports a different status of an account, or a new account. The event is sent only after the first complete read of the platform's accounts.", AccountStatus{}},
		{PayoutStatusChanged, "The platform reports a different status of a payout, or a new payout. The event is sent only after the first complete read of the platform's payouts.", PayoutStatus{}},

		{IntegrationCreated, "A platform was connected, whether or not its live check passed.", Integration{}},
		{IntegrationConnected, "A live check passed, so polling begins, for the first time or after it was stopped.", Integration{}},
		{IntegrationCheckFailed, "A live check of a saved integration failed.", Check{}},
		{IntegrationDegraded, "Some of an integration's reads failed in its last cycle.", Health{}},
		{IntegrationFailing, "All of an integration's reads fail, or its data is out of date.", Health{}},
		{IntegrationRecovered, "An integration that was degraded or failing is healthy again.", Health{}},
		{IntegrationBlocked, "The platform refused the integration's credential. Polling is stopped until a live check passes.", Health{}},
		{IntegrationSyncCompleted, "A cycle succeeded that was requested, read something for the first time, or changed something.", Sync{}},
		{IntegrationSyncFailed, "A cycle failed, at least in part, that was requested, read something for the first time, changed something, or changed the integration's health.", Sync{}},
		{IntegrationFindingOpened, "The platform broke a rule of the contract that it had not broken before.", Finding{}},
		{IntegrationAuditCompleted, "An audit compared everything that the platform shows with what is stored. Records that were missing or stale were repaired.", Audit{}},
		{IntegrationDeleted, "A platform was disconnected. Its traders are kept.", Integration{}},

		{APIKeyCreated, "An API key was created.", APIKey{}},
		{APIKeyExpiring, "An API key expires within seven days. The event is sent once for each key.", APIKey{}},
		{APIKeyRevoked, "An API key was revoked.", APIKey{}},

		{WebhookEndpointFailing, "Another webhook endpoint has had no successful delivery for a day, or for three days. After five days it is disabled.", Endpoint{}},
		{WebhookEndpointDisabled, "Another webhook endpoint was disabled, because it returned 410 or had no successful delivery for five days.", Endpoint{}},

		{Ping, "A test that a user requested. The event is sent to the tested endpoint, whatever that endpoint subscribes to.", PingData{}},
	}
}

// Event is something that has happened, to be sent to subscribers.
type Event struct {
	Kind Kind
	Data any // of the type that the catalog names for the kind
	// ID identifies an event that may be emitted more than once, of which only the first counts.
	// Zero means that each time is another event.
	ID uuid.UUID
}
