package integrations

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/connectors/fetch"
	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store/seal"
	"github.com/assayhq/assay/store/syncing"
	"github.com/assayhq/assay/store/syncing/integrations"
)

// Limits of an integration's members. The interval is from the contract (service API, Limits).
// The others keep rows and requests at a reasonable size.
const (
	minInterval     = 60
	maxInterval     = 3600
	defaultInterval = 300
	maxName         = 100
	maxBaseURL      = 2048
	maxPlatformKey  = 4096
	maxScopeItems   = 100
	maxScopeText    = 100
	maxScopeDigits  = 30
)

// integrationParams is the body of POST /v1/integrations and of its test.
type integrationParams struct {
	Kind                record.Kind
	BaseURL             string // https, public, without a trailing slash
	APIKey              seal.Secret
	Name                string                // the kind's default if none is given
	AccountScope        *syncing.AccountScope // nil means no restriction
	SyncIntervalSeconds int
}

// integrationMembers reads the members that create and PATCH have in common.
type integrationMembers struct {
	*decode.Object
	name         decode.Field[string]
	baseURL      decode.Field[string]
	apiKey       decode.Field[string]
	accountScope decode.Field[*syncing.AccountScope]
	interval     decode.Field[int]
}

const aboutInterval = "Seconds between the start of one cycle and the start of the next."

// readMembers notes all faults except missing and null members. kind is empty if it is unknown,
// and then nothing is refused because of it.
func (a *API) readMembers(ctx context.Context, o *decode.Object, kind record.Kind) (integrationMembers, error) {
	baseURL, err := a.readBaseURL(ctx, o)
	m := integrationMembers{
		Object:       o,
		baseURL:      baseURL,
		apiKey:       readAPIKey(o),
		name:         decode.ReadLabel(o, "name", maxName),
		accountScope: readScope(o, kind),
		interval:     o.Int("sync_interval_seconds", minInterval, maxInterval),
	}
	o.Note("name", decode.Note{
		About:   "Label shown to people. It must have a visible character and no control characters. Null for the default of the kind, `Custom API` or `Partner platform`.",
		Example: "Trading desk",
	})
	return m, err
}

// readIntegration reads the body of a create. It reports all faults at once.
func (a *API) readIntegration(r *http.Request) (p integrationParams, err error) {
	o, err := decode.Body(r)
	if err != nil {
		return p, err
	}
	return a.integrationFrom(r.Context(), o)
}

func (a *API) integrationFrom(ctx context.Context, o *decode.Object) (p integrationParams, err error) {
	kind := a.readKind(o)
	m, err := a.readMembers(ctx, o, kind.Value)
	if err != nil {
		return p, err
	}
	o.Note("sync_interval_seconds", decode.Note{About: aboutInterval + " Null for the default.", Default: defaultInterval})
	o.Require("kind", kind.State)
	o.Require("base_url", m.baseURL.State)
	o.Require("api_key", m.apiKey.State)
	if err := o.Finish(); err != nil {
		return p, err
	}
	p = integrationParams{
		Kind: kind.Value, BaseURL: m.baseURL.Value, APIKey: seal.NewSecret(m.apiKey.Value),
		Name: m.name.Value, AccountScope: m.accountScope.Value, SyncIntervalSeconds: m.interval.Value,
	}
	if m.name.State != decode.Set {
		p.Name = defaultName(p.Kind)
	}
	if m.interval.State != decode.Set {
		p.SyncIntervalSeconds = defaultInterval
	}
	return p, nil
}

// readPatch reads the body of a PATCH of an integration of the kind: absent members stay
// unchanged. null resets name, account_scope and sync_interval_seconds to their defaults and is a
// fault for other members.
func (a *API) readPatch(r *http.Request, kind record.Kind) (p integrations.Patch, err error) {
	o, err := decode.Body(r)
	if err != nil {
		return p, err
	}
	return a.patchFrom(r.Context(), o, kind)
}

func (a *API) patchFrom(ctx context.Context, o *decode.Object, kind record.Kind) (p integrations.Patch, err error) {
	m, err := a.readMembers(ctx, o, kind)
	if err != nil {
		return p, err
	}
	// An absent member stays unchanged, so there is no default to document.
	o.Note("sync_interval_seconds", decode.Note{About: fmt.Sprintf("%s Null to reset it to %d.", aboutInterval, defaultInterval), Example: defaultInterval})
	active := o.Bool("is_active")
	o.Note("is_active", decode.Note{About: "Whether the platform is polled."})
	o.RefuseNull("base_url", m.baseURL.State)
	o.RefuseNull("api_key", m.apiKey.State)
	o.RefuseNull("is_active", active.State)
	if err := o.Finish(); err != nil {
		return p, err
	}
	p.Name = decode.PatchedValue(m.name, defaultName(kind))
	p.SyncIntervalSeconds = decode.PatchedValue(m.interval, defaultInterval)
	p.AccountScope = decode.PatchedValue(m.accountScope, nil)
	p.BaseURL = decode.PatchedValue(m.baseURL, "")
	p.IsActive = decode.PatchedValue(active, false)
	if m.apiKey.State == decode.Set {
		key := seal.NewSecret(m.apiKey.Value)
		p.APIKey = &key
	}
	return p, nil
}

// defaultName returns the name of an integration that was created without one.
func defaultName(kind record.Kind) string {
	if kind == record.PartnerPlatform {
		return "Partner platform"
	}
	return "Custom API"
}

// readKind reads the kind, which must be in the contract and have a connector on this server.
func (a *API) readKind(o *decode.Object) decode.Field[record.Kind] {
	kinds := []record.Kind{record.CustomAPI, record.PartnerPlatform}
	const longest = 100 // far longer than both
	text := o.Text("kind", longest)
	o.Note("kind", decode.Note{
		About:  "Kind of platform: `custom_api` for the customer's own platform, or `partner_platform` for a supported third-party trading platform. It cannot be changed later.",
		Values: []string{string(kinds[0]), string(kinds[1])},
	})
	kind := decode.Field[record.Kind]{Value: record.Kind(text.Value), State: text.State}
	if text.State != decode.Set {
		return kind
	}
	if !slices.Contains(kinds, kind.Value) {
		o.Fault("kind", problem.InvalidFormat, fmt.Sprintf("Must be %s or %s.", kinds[0], kinds[1]))
		return decode.Field[record.Kind]{State: decode.Faulty}
	}
	if _, ok := a.connectors.Connector(kind.Value); !ok {
		o.Fault("kind", problem.NotAllowedForKind, "This server has no connector for platforms of this kind.")
		kind.State = decode.Faulty
	}
	return kind
}

// readBaseURL reads a platform's address and checks it with the guard. The error is the
// context's.
func (a *API) readBaseURL(ctx context.Context, o *decode.Object) (decode.Field[string], error) {
	base := o.Text("base_url", maxBaseURL)
	o.Note("base_url", decode.Note{
		About: "Base URL of the platform's API: `https`, a public host, and a path prefix if there is one. It has no trailing slash, user, query, or fragment. " +
			"On a `partner_platform`, `/v1` at the end is optional.",
		Example: "https://platform.example.com", Format: "uri", Pattern: `^[hH][tT][tT][pP][sS]://[^\s?#]*[^\s?#/]$`,
	})
	if base.State != decode.Set {
		return base, nil
	}
	err := a.guard.CheckURL(ctx, base.Value)
	if refused, ok := errors.AsType[*fetch.URLError](err); ok {
		o.Fault("base_url", problem.FaultCode(refused.Code), refused.Detail)
		return decode.Field[string]{State: decode.Faulty}, nil
	}
	return base, err
}

// preview is shown in responses instead of a key (seal.Secret.Preview).
var preview = regexp.MustCompile(`^\*{4}.{0,4}$`)

// readAPIKey reads a platform's key: text that a header can carry as a bearer token. It refuses a
// preview that a client sends back, which would otherwise replace the key.
func readAPIKey(o *decode.Object) decode.Field[string] {
	key := o.Text("api_key", maxPlatformKey)
	o.Note("api_key", decode.Note{
		About: "The platform's bearer token, in visible ASCII characters. On a `partner_platform`, a read-only key for customers, accounts, trades, and payouts. " +
			"It is stored encrypted and never shown again. The preview from responses is rejected.",
		Example: "pk_live_4f9c2a7e81d0", Least: 1, Pattern: `^[!-~]+$`,
	})
	if key.State != decode.Set {
		return key
	}
	switch {
	case key.Value == "":
		o.Fault("api_key", problem.Required, "Must not be empty.")
	case strings.ContainsFunc(key.Value, func(c rune) bool { return c <= ' ' || c > '~' }):
		o.Fault("api_key", problem.InvalidFormat, "Must be visible ASCII characters without spaces.")
	case preview.MatchString(key.Value):
		o.Fault("api_key", problem.InvalidFormat, "This is the preview from a response. Omit api_key to keep the key.")
	default:
		return key
	}
	return decode.Field[string]{State: decode.Faulty}
}

// readScope reads an account_scope, which only partner platforms support.
func readScope(o *decode.Object, kind record.Kind) decode.Field[*syncing.AccountScope] {
	inner := o.Object("account_scope")
	o.Note("account_scope", decode.Note{
		About: "Accounts and payouts to read, only for the kind `partner_platform`. Customers and trades are always read. Null to read everything. " +
			"After a change, accounts and payouts are read from the beginning, and records that were read before are kept.",
		Example: jsontext.Value("null"),
	})
	if inner.State != decode.Set {
		return decode.Field[*syncing.AccountScope]{State: inner.State}
	}
	if kind != "" && kind != record.PartnerPlatform {
		o.Fault("account_scope", problem.NotAllowedForKind, "Is only for integrations of the kind partner_platform.")
		return decode.Field[*syncing.AccountScope]{State: decode.Faulty}
	}
	ids := inner.Value.Numbers("plan_category_ids", maxScopeItems, maxScopeDigits)
	platforms := inner.Value.Texts("platforms", maxScopeItems, maxScopeText, func(at problem.Pointer, platform string) bool {
		// The list is sent comma-separated (platform contract).
		usable := platform != "" && !strings.ContainsFunc(platform, func(c rune) bool { return c == ',' || unicode.IsControl(c) })
		if !usable {
			o.At(at, problem.InvalidFormat, "Must not be empty, and must not contain a comma or control character.")
		}
		return usable
	})
	inner.Value.Note("plan_category_ids", decode.Note{About: "Plan categories whose accounts are read. If empty, all are read."})
	inner.Value.Note("platforms", decode.Note{
		About: "Platforms whose accounts are read. If empty, all are read.",
		Each:  &decode.Note{Least: 1, Pattern: `^[^,\x00-\x1f\x7f-\x9f]+$`, Example: "mt5"},
	})
	inner.Value.Unknown()
	scope := &syncing.AccountScope{Platforms: platforms.Value}
	for _, id := range ids.Value {
		scope.PlanCategoryIDs = append(scope.PlanCategoryIDs, json.Number(id))
	}
	return decode.Field[*syncing.AccountScope]{Value: scope, State: decode.Set}
}
