package v1

import (
	"net/http"
	"net/netip"
)

// egressInfo answers GET /v1/integrations/egress with an EgressInfo.
func (a *API) egressInfo(w http.ResponseWriter, r *http.Request) error {
	return answerItem(w, r, struct {
		Region *string  `json:"region"`
		CIDRs  []string `json:"cidrs"`
		Note   *string  `json:"note"`
	}{orNull(a.egress.Region), convert(a.egress.CIDRs, netip.Prefix.String), orNull(a.egress.Note)})
}
