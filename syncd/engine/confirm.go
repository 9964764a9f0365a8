package engine

import (
	"context"
	"fmt"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store/syncing/integrations"
)

// confirmPlatform refuses to read pages when the address or the key of an
// integration with records has changed and it is not yet confirmed that the
// platform is the same. Otherwise another platform's data could overwrite what is
// stored. Each slice asks for the first page of traders again until the platform is
// confirmed.
func (c *cycle) confirmPlatform(ctx context.Context) error {
	if !c.unconfirmed {
		return nil
	}
	if c.unknown != nil {
		return c.unknown
	}
	page, err := c.source.ReadPage(ctx, connectors.PageRequest{Stream: record.StreamTraders, Backfill: true})
	if err != nil {
		return err
	}
	defer page.Release()
	var found integrations.Comparison
	err = c.engine.retryTransient(ctx, c.log, func(ctx context.Context) (err error) {
		found, err = integrations.ConfirmPlatform(ctx, c.engine.Store, c.claim, page.Traders)
		return err
	})
	switch {
	case err != nil:
		return err
	case found.Same():
		c.unconfirmed = false
		return nil
	case found.Seen == 0:
		c.unknown = &connectors.Error{Code: connectors.CodeUnknownPlatform, Message: "the URL or the key was changed, and the list of traders is empty"}
	default:
		c.unknown = &connectors.Error{Code: connectors.CodeDifferentPlatform, Message: fmt.Sprintf(
			"of the first %d traders, %d are known from before the URL or the key was changed", found.Seen, found.Known)}
	}
	c.unknown.Endpoint = c.specOf(record.StreamTraders).Endpoint
	return c.unknown
}
