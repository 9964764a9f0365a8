package partnerplatform_test

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/record"
)

// TestScopeIgnored: accounts on platforms that were not requested are used, and are
// a finding.
func TestScopeIgnored(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, func(*http.Request) answer {
		return list(`{"accountNr":"1","platform":"MT5"}`, `{"accountNr":"2","platform":"ctrader"}`, `{"accountNr":"3"}`)
	})
	for _, test := range []struct {
		name  string
		scope *connectors.AccountScope
		want  []record.Finding
	}{
		{"no scope", nil, nil},
		{"plans alone", &connectors.AccountScope{PlanCategoryIDs: nil}, nil},
		{"one platform", &connectors.AccountScope{Platforms: []string{"mt5"}}, []record.Finding{
			{Rule: "scope_ignored", Resource: record.Accounts, Count: 1, Samples: []string{"2"}},
		}},
		{"both", &connectors.AccountScope{Platforms: []string{"mt5", "cTrader"}}, nil},
	} {
		page, err := p.open("", test.scope).ReadPage(t.Context(), connectors.PageRequest{Stream: record.StreamAccounts})
		if err != nil {
			t.Fatal(err)
		}
		page.Release()
		if diff := cmp.Diff(test.want, page.Findings); diff != "" {
			t.Errorf("%s (-want +got)\n%s", test.name, diff)
		}
	}
}
