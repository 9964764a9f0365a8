package webhooks

import (
	"context"

	"github.com/assayhq/assay/apiserver/auth"
	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/route"
)

// Routes lists the routes of webhooks.
func (a *API) Routes() []route.Route {
	return route.Document([]route.Route{
		{Method: "GET", Path: "/v1/webhooks", Scope: auth.WebhooksManage, Query: route.WithQuery((*decode.Query).Collection, a.listWebhooks), ID: "listWebhooks"},
		{Method: "POST", Path: "/v1/webhooks", Scope: auth.WebhooksManage, Handle: a.createWebhook, ReadBody: a.describeNewWebhook, ID: "createWebhook"},
		{Method: "GET", Path: "/v1/webhooks/events", Scope: auth.WebhooksManage, Query: route.WithQuery((*decode.Query).Collection, a.listEventKinds), ID: "listWebhookEvents"},
		{Method: "GET", Path: "/v1/webhooks/{id}", Scope: auth.WebhooksManage, Handle: route.WithID(a.getWebhook), ID: "getWebhook"},
		{Method: "PATCH", Path: "/v1/webhooks/{id}", Scope: auth.WebhooksManage, Handle: a.updateWebhook, ReadBody: a.describeWebhookPatch, ID: "updateWebhook"},
		{Method: "DELETE", Path: "/v1/webhooks/{id}", Scope: auth.WebhooksManage, Handle: a.deleteWebhook, ID: "deleteWebhook"},
		{Method: "POST", Path: "/v1/webhooks/{id}/test", Scope: auth.WebhooksManage, Handle: a.testWebhook, ID: "testWebhook"},
		{Method: "POST", Path: "/v1/webhooks/{id}/rotate-secret", Scope: auth.WebhooksManage, Handle: route.WithID(a.rotateSecret), ID: "rotateWebhookSecret"},
		{Method: "GET", Path: "/v1/webhooks/{id}/deliveries", Scope: auth.WebhooksManage, Query: route.WithQuery(readDeliveriesQuery, a.listDeliveries), ID: "listWebhookDeliveries"},
		{Method: "GET", Path: "/v1/webhooks/{id}/deliveries/export", Scope: auth.WebhooksManage, Query: route.WithQuery(readDeliveryFilter, a.exportDeliveries), Limit: route.DownloadLimit, Produces: decode.MediaCSV, ID: "exportWebhookDeliveries"},
		{Method: "GET", Path: "/v1/webhooks/{id}/health", Scope: auth.WebhooksManage, Handle: route.WithID(a.getWebhookHealth), ID: "getWebhookHealth"},
		{Method: "POST", Path: "/v1/webhooks/{id}/retry", Scope: auth.WebhooksManage, Handle: route.WithID(a.retryDeliveries), ID: "retryWebhookDeliveries"},
		{Method: "POST", Path: "/v1/webhooks/deliveries/{deliveryId}/retry", Scope: auth.WebhooksManage, Handle: a.retryDelivery, ID: "retryWebhookDelivery"},
	}, operations)
}

// describeNewWebhook reads the body of a create as createWebhook does.
func (a *API) describeNewWebhook(o *decode.Object) { _, _ = a.webhookFrom(context.Background(), o) }

// describeWebhookPatch reads the body of a PATCH as updateWebhook does.
func (a *API) describeWebhookPatch(o *decode.Object) {
	_, _ = a.webhookPatchFrom(context.Background(), o)
}
