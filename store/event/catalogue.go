package event

import "github.com/google/uuid"

// Definition is a kind's entry in the catalogue.
type Definition struct {
	Kind        Kind
	Description string // one or two sentences, for the engineer of a receiver
	data        any    // the zero value of the data's type
}

// All is the catalogue, by group. A kind is listed when a test has seen it
// delivered.
func All() []Definition {
	return []Definition{
		{TraderCreated, "A trader has come into the directory: made by hand, or read from a platform after the first complete read of its traders.", Trader{}},
		{TraderUpdated, "Something about a trader has changed, on the platform or by a person. After the first complete read of the platform's traders.", Trader{}},
		{TraderNoteAdded, "Somebody has written a note about a trader.", TraderNote{}},

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
		{IntegrationDeleted, "An integration has been disconnected. Its traders stay.", Integration{}},

		{APIKeyCreated, "An API key has been made.", APIKey{}},
		{APIKeyExpiring, "An API key stops working within seven days. Told once for each key.", APIKey{}},
		{APIKeyRevoked, "An API key has been revoked.", APIKey{}},

		{WebhookEndpointFailing, "Another webhook endpoint has had no success for a day, or for three days. After five it is switched off.", Endpoint{}},
		{WebhookEndpointDisabled, "Another webhook endpoint has been switched off, because it answered 410 or has had no success for five days.", Endpoint{}},

		{Ping, "A test that somebody has asked for. It goes to the endpoint that is tested, whatever that subscribes to.", PingData{}},
	}
}

// Event is something that has happened, to be told.
type Event struct {
	Kind Kind
	Data any // of the type that the catalogue names for the kind
	// ID of an event that may be told more than once, of which the first counts;
	// zero: each time is another event.
	ID uuid.UUID
}
