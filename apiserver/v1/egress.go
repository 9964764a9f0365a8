package v1

import (
	"net/http"
	"net/netip"
)

// egressBody is the addresses that platforms are called from.
//
//openapi:name EgressInfo
type egressBody struct {
	Region *string  `json:"region" api:"max=100" example:"eu-central"`                    // where the calls come from; null: not told
	CIDRs  []string `json:"cidrs" api:"max=49,items=1000" example:"[\"203.0.113.0/28\"]"` // address ranges to allow on the platform
	Note   *string  `json:"note" api:"max=4096" example:"Allow both ranges."`             // more that the platform's operator should know; null: nothing
}

// egressInfo answers GET /v1/integrations/egress with an EgressInfo.
func (a *API) egressInfo(w http.ResponseWriter, r *http.Request) error {
	return answerItem(w, r, egressBody{orNull(a.egress.Region), convertRows(a.egress.CIDRs, netip.Prefix.String), orNull(a.egress.Note)})
}
