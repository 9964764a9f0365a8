// goclient calls the API through a client that oapi-codegen generated from its document. It prints the
// number of traders, the name of the first one, and the types of the events that were delivered.
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"

	"github.com/assayhq/assay/test/clients/testdata/goclient/client"
)

func main() {
	if err := run(context.Background(), os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, url, key string) error {
	authorize := client.WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
		r.Header.Set("Authorization", "Bearer "+key)
		return nil
	})
	c, err := client.NewClientWithResponses(url, authorize)
	if err != nil {
		return err
	}
	traders, err := c.ListTradersWithResponse(ctx, nil)
	if err != nil {
		return err
	}
	if traders.JSON200 == nil {
		return fmt.Errorf("list traders: %s: %s", traders.Status(), traders.Body)
	}
	fmt.Printf("%d traders, first %s\n", traders.JSON200.Meta.Total, traders.JSON200.Data[0].FullName)

	body := client.CreateWebhookJSONRequestBody{Url: "https://example.com/hook", Events: []client.EventPattern{"*"}}
	endpoint, err := c.CreateWebhookWithResponse(ctx, nil, body)
	if err != nil {
		return err
	}
	if endpoint.JSON201 == nil {
		return fmt.Errorf("create webhook: %s: %s", endpoint.Status(), endpoint.Body)
	}
	sent, err := c.TestWebhookWithResponse(ctx, endpoint.JSON201.Id, nil, client.TestWebhookJSONRequestBody{})
	if err != nil {
		return err
	}
	delivery := sent.JSON200
	if delivery == nil {
		delivery = sent.JSON202
	}
	if delivery == nil || delivery.Payload == nil {
		return fmt.Errorf("test webhook: %s: %s", sent.Status(), sent.Body)
	}
	payload, err := delivery.Payload.ValueByDiscriminator()
	if err != nil {
		return err
	}
	fmt.Printf("%T\n", payload)
	return nil
}
