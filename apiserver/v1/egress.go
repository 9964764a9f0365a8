package v1

import (
	"net/http"
	"net/netip"
)

// egressInfo answers GET /v1/integrations/egress with an EgressInfo.
func (a *API) egressInfo(w http.ResponseWriter, _ *http.Request) error {
	return answer(w, http.StatusOK, struct {
		Region *string  `json:"region"`
		CIDRs  []string `json:"cidrs"`
		Note   *string  `json:"note"`
	}{orNull(a.egress.Region), convert(a.egress.CIDRs, netip.Prefix.String), orNull(a.egress.Note)})
}
