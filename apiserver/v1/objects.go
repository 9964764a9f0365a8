package v1

import (
	"github.com/assayhq/assay/apiserver/route"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/access"
	"github.com/assayhq/assay/store/directory"
	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/store/syncing/integrations"
	"github.com/assayhq/assay/store/webhooks"
)

// newObjects finds the objects that paths name.
func newObjects(db *store.DB) route.Objects {
	return route.Objects{
		route.IntegrationsPath: route.FindWith[store.Reader](db, integrations.Read),
		route.KeysPath:         route.FindWith(db, access.ReadAPIKey),
		route.UsersPath:        route.FindWith(db, access.ReadPerson),
		route.WebhooksPath:     route.FindWith[store.Reader](db, webhooks.ReadEndpoint),
		route.DeliveriesPath:   route.FindWith(db, webhooks.ReadDelivery),
		route.InterviewsPath:   route.FindWith(db, interviews.ReadHead),
		route.TradersPath:      route.FindWith(db, directory.ReadProfile),
	}
}
