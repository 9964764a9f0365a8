package v1

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

	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/connectors/fetch"
	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/seal"
)

// Bounds of an integration's members. The interval is the contract's (service
// API, Limits); the others keep rows and requests of a sane size.
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
	Name                string              // the kind's default when none was given
	AccountScope        *store.AccountScope // nil: everything
	SyncIntervalSeconds int
}

// integrationMembers reads the members that create and PATCH have in common.
type integrationMembers struct {
	*decode.Object
	name         decode.Field[string]
	baseURL      decode.Field[string]
	apiKey       decode.Field[string]
	accountScope decode.Field[*store.AccountScope]
	interval     decode.Field[int]
}

// readMembers notes all faults but those of members that are missing or null.
// kind is empty when it is not known; then nothing is refused for it.
func (a *API) readMembers(ctx context.Context, o *decode.Object, kind record.Kind) (integrationMembers, error) {
	baseURL, err := a.readBaseURL(ctx, o)
	return integrationMembers{
		Object:       o,
		baseURL:      baseURL,
		apiKey:       readAPIKey(o),
		name:         readLabel(o, "name", maxName),
		accountScope: readScope(o, kind),
		interval:     o.Int("sync_interval_seconds", minInterval, maxInterval),
	}, err
}

// readIntegration reads the body of a create. All faults are told at once.
func (a *API) readIntegration(r *http.Request) (p integrationParams, err error) {
	o, err := decode.Body(r)
	if err != nil {
		return p, err
	}
	kind := a.readKind(o)
	m, err := a.readMembers(r.Context(), o, kind.Value)
	if err != nil {
		return p, err
	}
	require(o, "kind", kind.State)
	require(o, "base_url", m.baseURL.State)
	require(o, "api_key", m.apiKey.State)
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

// readPatch reads the body of a PATCH of an integration of the kind: what is
// absent stays, null puts name, account_scope and sync_interval_seconds back
// to their defaults and is a fault elsewhere.
func (a *API) readPatch(r *http.Request, kind record.Kind) (p store.IntegrationPatch, err error) {
	o, err := decode.Body(r)
	if err != nil {
		return p, err
	}
	m, err := a.readMembers(r.Context(), o, kind)
	if err != nil {
		return p, err
	}
	active := o.Bool("is_active")
	refuseNull(o, "base_url", m.baseURL.State)
	refuseNull(o, "api_key", m.apiKey.State)
	refuseNull(o, "is_active", active.State)
	if err := o.Finish(); err != nil {
		return p, err
	}
	p.Name = patched(m.name, defaultName(kind))
	p.SyncIntervalSeconds = patched(m.interval, defaultInterval)
	p.AccountScope = patched(m.accountScope, nil)
	p.BaseURL = patched(m.baseURL, "")
	p.IsActive = patched(active, false)
	if m.apiKey.State == decode.Set {
		key := seal.NewSecret(m.apiKey.Value)
		p.APIKey = &key
	}
	return p, nil
}

// patched returns the new value of a member: nil when it is absent, the given
// one when it is null.
func patched[T any](f decode.Field[T], null T) *T {
	switch f.State {
	case decode.Set:
		return &f.Value
	case decode.Null:
		return &null
	}
	return nil
}

func require(o *decode.Object, name string, state decode.State) {
	if state == decode.Absent || state == decode.Null {
		o.Fault(name, problem.Required, "Is required.")
	}
}

func refuseNull(o *decode.Object, name string, state decode.State) {
	if state == decode.Null {
		o.Fault(name, problem.WrongType, "Must not be null; leave it out to keep it as it is.")
	}
}

// defaultName is what an integration is called when nobody named it.
func defaultName(kind record.Kind) string {
	if kind == record.PartnerPlatform {
		return "Partner platform"
	}
	return "Custom API"
}

// readKind reads the kind, which must be one of the contract's that this
// server has a connector for.
func (a *API) readKind(o *decode.Object) decode.Field[record.Kind] {
	kinds := []record.Kind{record.CustomAPI, record.PartnerPlatform}
	const longest = 100 // far beyond both
	text := o.Text("kind", longest)
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

// readLabel reads a label of 1 to longest characters.
func readLabel(o *decode.Object, name string, longest int) decode.Field[string] {
	label := o.Text(name, longest)
	if label.State == decode.Set && (decode.Blank(label.Value) || strings.ContainsFunc(label.Value, unicode.IsControl)) {
		o.Fault(name, problem.InvalidFormat, fmt.Sprintf("Must be 1 to %d characters, not all of them invisible and none a control character.", longest))
		return decode.Field[string]{State: decode.Faulty}
	}
	return label
}

// readBaseURL reads a platform's address and lets the guard judge it. The
// error is the context's.
func (a *API) readBaseURL(ctx context.Context, o *decode.Object) (decode.Field[string], error) {
	base := o.Text("base_url", maxBaseURL)
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

// preview is what answers show instead of a key (seal.Secret.Preview).
var preview = regexp.MustCompile(`^\*{4}.{0,4}$`)

// readAPIKey reads a platform's key: what a header can carry as a bearer
// token. A preview that a client sends back is refused rather than saved in
// the key's place.
func readAPIKey(o *decode.Object) decode.Field[string] {
	key := o.Text("api_key", maxPlatformKey)
	if key.State != decode.Set {
		return key
	}
	switch {
	case key.Value == "":
		o.Fault("api_key", problem.Required, "Must not be empty.")
	case strings.ContainsFunc(key.Value, func(c rune) bool { return c <= ' ' || c > '~' }):
		o.Fault("api_key", problem.InvalidFormat, "Must be visible ASCII characters without spaces.")
	case preview.MatchString(key.Value):
		o.Fault("api_key", problem.InvalidFormat, "This is the preview that answers show. Leave api_key out to keep the key.")
	default:
		return key
	}
	return decode.Field[string]{State: decode.Faulty}
}

// readScope reads an account_scope, which only partner platforms know.
func readScope(o *decode.Object, kind record.Kind) decode.Field[*store.AccountScope] {
	inner := o.Object("account_scope")
	if inner.State != decode.Set {
		return decode.Field[*store.AccountScope]{State: inner.State}
	}
	if kind != "" && kind != record.PartnerPlatform {
		o.Fault("account_scope", problem.NotAllowedForKind, "Is for integrations of kind partner_platform only.")
		return decode.Field[*store.AccountScope]{State: decode.Faulty}
	}
	ids := inner.Value.Numbers("plan_category_ids", maxScopeItems, maxScopeDigits)
	platforms := inner.Value.Texts("platforms", maxScopeItems, maxScopeText)
	inner.Value.Unknown()
	for i, platform := range platforms.Value {
		// The list is sent comma-separated (platform contract).
		if platforms.State == decode.Set && (platform == "" || strings.ContainsFunc(platform, func(c rune) bool { return c == ',' || unicode.IsControl(c) })) {
			o.At(inner.Value.Pointer("platforms").Index(i), problem.InvalidFormat, "Must not be empty or hold a comma or control character.")
		}
	}
	scope := &store.AccountScope{Platforms: platforms.Value}
	for _, id := range ids.Value {
		scope.PlanCategoryIDs = append(scope.PlanCategoryIDs, json.Number(id))
	}
	return decode.Field[*store.AccountScope]{Value: scope, State: decode.Set}
}
