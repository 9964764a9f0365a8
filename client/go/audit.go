package assay

import (
	"context"
	"net/http"
)

// RequestIntegrationAudit sends POST /v1/integrations/{id}/audit: it requests an audit immediately, and
// returns the audit that is queued or in progress. An integration that is not polled cannot be audited:
// the audit is then nil, and refused says why.
func (c *Client) RequestIntegrationAudit(ctx context.Context, id string, options ...CallOption) (audit *IntegrationAudit, refused *SyncQueued, err error) {
	op := call{method: http.MethodPost, path: formatPath("/v1/integrations/%s/audit", id), body: NoMembers{}, whole: true}
	res, err := c.do(ctx, op, options)
	if err != nil {
		return nil, nil, err
	}
	defer res.Body.Close()
	if res.StatusCode == http.StatusAccepted {
		audit = new(IntegrationAudit)
		return audit, nil, decodeJSON(res.Body, audit)
	}
	refused = new(SyncQueued)
	return nil, refused, decodeJSON(res.Body, refused)
}
