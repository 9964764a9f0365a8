package event

import "github.com/google/uuid"

// Definition is a kind's entry in the catalogue.
type Definition struct {
	Kind        Kind
	Description string // one or two sentences for engineers who implement a receiver
	data        any    // the zero value of the data's type
}

// All returns the catalog, by group. A kind is listed once a test has seen it delivered.
func All() []Definition {
	return []Definition{
		{InterviewCreated, "An interview has been made, with an invite for its trader.", Interview{}},
		{InterviewOpened, "The link of an invite has been opened for the first time. Programs that look at links in messages do so, too.", Interview{}},
		{InterviewStarted, "The trader has consented, and has started to answer.", Interview{}},
		{InterviewSubmitted, "The trader has submitted the answers, or has left some of them when the time was over (`partial`). Recording, transcript and report are being made.", Interview{}},
		{InterviewCompleted, "There is a report: the interview can be decided on.", Interview{}},
		{InterviewIncomplete, "The trader has started, and has left no answer when the time was over.", Interview{}},
		{InterviewDeclined, "The trader did not consent.", Interview{}},
		{InterviewExpired, "The trader has not started before the invite expired.", Interview{}},
		{InterviewFailed, "The report could not be written. The recording is kept, and the report can be made again.", Interview{}},
		{InterviewDeleted, "An interview has been deleted with everything that belongs to it.", Interview{}},
		{InterviewReportReady, "A version of the report has been written.", Interview{}},
		{InterviewDecisionRecorded, "Somebody has decided on an interview, for the first time or again.", Interview{}},
		{InterviewAssigned, "An interview has been given to a person.", Interview{}},
		{InterviewUnassigned, "An interview is nobody's any more.", Interview{}},
		{InterviewCommunicated, "The trader has been told the outcome, as somebody has noted.", Interview{}},
		{InterviewInviteReissued, "The trader has got a fresh invite. The link before is dead.", Interview{}},
		{InterviewShareCreated, "A link to a read-only page has been made.", Interview{}},
		{InterviewShareRevoked, "The link to the read-only page has been revoked.", Interview{}},
		{InterviewSubtitlesReady, "There are captions.", Interview{}},

		{TraderCreated, "A trader has come into the directory: made by hand, or read from a platform after the first complete read of its traders.", Trader{}},
		{TraderUpdated, "Something about a trader has changed, on the platform or by a person. After the first complete read of the platform's traders.", Trader{}},
		{TraderNoteAdded, "Somebody has written a note about a trader.", TraderNote{}},

		{ActivityFileProcessed, "An activity file of a trader has been read, for the first time or anew with other options.", ActivityFile{}},
		{ActivityFileFailed, "An activity file that was sent for a trader could not be read. Nothing of it was kept.", ActivityFileFailure{}},

		{AccountStatusChanged, "The platform reports another status of an account than before, or a new account. After the first complete read of its accounts.", AccountStatus{}},
		{PayoutStatusChanged, "The platform reports another status of a payout than before, or a new payout. After the first complete read of its payouts.", PayoutStatus{}},

		{IntegrationCreated, "An integration has been connected, whether its live check passed or not.", Integration{}},
		{IntegrationConnected, "A live check has passed and polling begins, for the first time or after it had been stopped.", Integration{}},
		{IntegrationCheckFailed, "A live check of a saved integration has failed.", Check{}},
		{IntegrationDegraded, "Some of what an integration reads did not succeed in its last cycle.", Health{}},
		{IntegrationFailing, "Nothing of what an integration reads succeeds any more, or its data is old.", Health{}},
		{IntegrationRecovered, "An integration that was degraded or failing reads everything again.", Health{}},
		{IntegrationBlocked, "The platform has refused the integration's credential. Polling has stopped until a live check passes.", Health{}},
		{IntegrationSyncCompleted, "A cycle has succeeded that was asked for, read something for the first time, or changed something.", Sync{}},
		{IntegrationSyncFailed, "A cycle has failed, at least in part, that was asked for, read something for the first time, changed something, or changed the integration's health.", Sync{}},
		{IntegrationFindingOpened, "A rule of the contract that the platform has not broken before is broken.", Finding{}},
		{IntegrationAuditCompleted, "A comparison of all that the platform shows with what is stored is over. What was missing or stale has been repaired.", Audit{}},
		{IntegrationDeleted, "An integration has been disconnected. Its traders stay.", Integration{}},

		{APIKeyCreated, "An API key has been made.", APIKey{}},
		{APIKeyExpiring, "An API key stops working within seven days. Told once for each key.", APIKey{}},
		{APIKeyRevoked, "An API key has been revoked.", APIKey{}},

		{WebhookEndpointFailing, "Another webhook endpoint has had no success for a day, or for three days. After five it is switched off.", Endpoint{}},
		{WebhookEndpointDisabled, "Another webhook endpoint has been switched off, because it answered 410 or has had no success for five days.", Endpoint{}},

		{Ping, "A test that somebody has asked for. It goes to the endpoint that is tested, whatever that subscribes to.", PingData{}},
	}
}

// Event is something that has happened, to be sent to subscribers.
type Event struct {
	Kind Kind
	Data any // of the type that the catalogue names for the kind
	// ID identifies an event that may be emitted more than once, of which only the first counts.
	// Zero means that each time is another event.
	ID uuid.UUID
}
