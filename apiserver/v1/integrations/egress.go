package integrations

import (
	"net/http"
	"net/netip"

	"github.com/assayhq/assay/apiserver/response"
	"github.com/assayhq/assay/store"
)

// Egress is what customers learn about the addresses from which assay calls.
type Egress struct {
	Region string         // empty if not disclosed
	CIDRs  []netip.Prefix // ranges to allow on the customer's platform
	Note   string         // empty if there is none
}

// egressBody is the IP addresses from which assay calls platforms.
//
//openapi:name EgressInfo
type egressBody struct {
	Region *string  `json:"region" api:"max=100" example:"eu-central"`                    // Region that the calls come from. Null if the operator does not state it.
	CIDRs  []string `json:"cidrs" api:"max=49,items=1000" example:"[\"203.0.113.0/28\"]"` // IP address ranges to allow on the platform
	Note   *string  `json:"note" api:"max=4096" example:"Allow both ranges."`             // Further information for the platform's operator. Null if there is none.
}

// egressInfo answers GET /v1/integrations/egress with an EgressInfo.
func (a *API) egressInfo(w http.ResponseWriter, r *http.Request) error {
	return response.AnswerItem(w, r, egressBody{store.OrNil(a.egress.Region), response.ConvertRows(a.egress.CIDRs, netip.Prefix.String), store.OrNil(a.egress.Note)})
}
