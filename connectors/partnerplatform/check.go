package partnerplatform

import (
	"context"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/fetch"
	"github.com/assayhq/assay/connectors/livecheck"
	"github.com/assayhq/assay/connectors/record"
)

// Names of the steps of the live check, in the contract's order (platform
// contract, Live check).
const (
	stepAuthentication  = "authentication"
	stepTraders         = "traders"
	stepTradingAccounts = "trading_accounts"
	stepClosedTrades    = "closed_trades"
	stepPayouts         = "payouts"
)

// hintUnusable replaces a code's own hint, because other records may be different
// from the one that was seen.
const hintUnusable = "Compare the record with the names and types that assay reads. Records like this one go to quarantine instead of into the directory."

// Check implements connectors.Source. Payouts are not required: without them the
// check passes, for whatever reason they are missing.
func (s *source) Check(ctx context.Context, onStep func(connectors.Step)) connectors.Report {
	return livecheck.Check{Platform: s.platform, Kind: record.PartnerPlatform, Slow: s.slow, Probes: s.listProbes(), OnStep: onStep}.Run(ctx)
}

// listProbes returns the steps in their order. The first asks for accounts without
// a scope, so that it tests the key alone.
func (s *source) listProbes() []livecheck.Probe {
	var none connectors.AccountScope
	authentication := s.newProbe(stepAuthentication, record.StreamAccounts, none)
	authentication.Gate = true
	payouts := s.newProbe(stepPayouts, record.StreamPayouts, s.scope)
	payouts.Required, payouts.Failed = false, livecheck.PayoutsMissing
	return []livecheck.Probe{
		authentication,
		s.newProbe(stepTraders, record.StreamTraders, none),
		s.newProbe(stepTradingAccounts, record.StreamAccounts, s.scope),
		s.newProbe(stepClosedTrades, record.StreamTradesClosed, none),
		payouts,
	}
}

// newProbe returns a probe that asks for the first record of a list. An empty
// list passes. A record that cannot be used warns, because it says nothing about
// the others.
func (s *source) newProbe(name string, stream record.Stream, scope connectors.AccountScope) livecheck.Probe {
	r, _ := routeOf(stream)
	var page *connectors.Page
	return livecheck.Probe{
		Name: name, Required: true, Request: livecheck.Always(r.checkRequest(scope)),
		Decode: func(a fetch.Answer) (err error) {
			page, err = s.codec.decodePage(a.Body, r, connectors.PageRequest{Stream: stream, Backfill: true}, startCursor())
			return err
		},
		Judge: func(step *connectors.Step) {
			if bad := livecheck.Unusable(page); bad != "" && name != stepAuthentication {
				livecheck.Warn(step, connectors.CodeInvalidRecords, bad, hintUnusable)
			}
		},
	}
}
