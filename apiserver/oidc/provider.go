// Package oidc talks to the OpenID Connect provider that people sign in with, using the
// authorization code flow with PKCE. It does not decide who may sign in.
package oidc

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/assayhq/assay/store/seal"
)

// Limits of requests to the provider.
const (
	callTimeout   = 10 * time.Second
	maxAnswer     = 1 << 20 // bytes
	clockSkew     = time.Minute
	rediscovery   = time.Hour
	failureLife   = 5 * time.Second // how long the provider's configuration is cached
	maxCause      = 300             // bytes of an error that are logged
	maxIdentifier = 255             // longest subject (OpenID Connect Core, 2)
)

// ErrUnavailable means that the provider cannot be reached or does not answer as it should at the
// moment.
var ErrUnavailable = errors.New("the OpenID Connect provider is not available")

// ErrRefused means that the provider's statement about a person's identity cannot be relied on.
var ErrRefused = errors.New("the OpenID Connect provider's answer is not accepted")

// Options identify the provider, and assay as its client.
type Options struct {
	Issuer       string // the provider's URL, exactly
	ClientID     string
	ClientSecret seal.Secret
	RedirectURL  string         // where the provider redirects people to
	GroupsClaim  string         // claim with a person's groups; empty if they are not needed
	RootCAs      *x509.CertPool // the system's roots if nil
	Now          func() time.Time
}

// Provider is an OpenID Connect provider. Its configuration is read when it is first needed, and
// again after an hour.
type Provider struct {
	options Options
	client  *http.Client

	turn   chan struct{} // of size one: its holder may run discovery
	mu     sync.Mutex
	latest discovery
}

// discovery is what the provider publishes about itself.
type discovery struct {
	provider *oidc.Provider // nil until discovery has succeeded
	tokens   *oidc.IDTokenVerifier
	at       time.Time
	failure  error // error of the latest attempt; nil if it succeeded
	failedAt time.Time
}

// Identity is a person's identity according to the provider.
type Identity struct {
	Issuer  string
	Subject string
	Email   string // address that the provider has verified; empty if there is none
	Groups  []string
	// ManyGroups means that the provider has left out the groups, because the person is in more
	// than it sends.
	ManyGroups bool
}

// New returns the provider without sending any request.
func New(o Options) *Provider {
	return &Provider{options: o, turn: make(chan struct{}, 1), client: &http.Client{
		Timeout: callTimeout,
		Transport: limited{&http.Transport{
			Proxy:           http.ProxyFromEnvironment,
			TLSClientConfig: &tls.Config{RootCAs: o.RootCAs, MinVersion: tls.VersionTLS12},
			// Requests to the provider are rare, and its address may change over time.
			IdleConnTimeout: callTimeout, MaxIdleConnsPerHost: 2,
		}},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Issuer is the provider's URL.
func (p *Provider) Issuer() string { return p.options.Issuer }

// Start returns where to redirect a person who wants to sign in. state, nonce and verifier (PKCE)
// are for this sign-in only.
func (p *Provider) Start(ctx context.Context, state, nonce, verifier string) (url string, err error) {
	d, err := p.discoverProvider(ctx)
	if err != nil {
		return "", err
	}
	return p.oauthConfig(d).AuthCodeURL(state, oidc.Nonce(nonce), oauth2.S256ChallengeOption(verifier)), nil
}

// Finish exchanges the code that a person has returned with for the person's identity.
func (p *Provider) Finish(ctx context.Context, code, nonce, verifier string) (id Identity, err error) {
	d, err := p.discoverProvider(ctx)
	if err != nil {
		return id, err
	}
	token, err := p.oauthConfig(d).Exchange(p.clientContext(ctx), code, oauth2.VerifierOption(verifier))
	if err != nil {
		return id, exchangeError(err)
	}
	raw, ok := token.Extra("id_token").(string)
	if !ok {
		return id, fmt.Errorf("%w: it contains no ID token", ErrRefused)
	}
	verified, err := d.tokens.Verify(p.clientContext(ctx), raw)
	if err != nil {
		return id, wrapFailure(ErrRefused, err)
	}
	if verified.Nonce != nonce {
		return id, fmt.Errorf("%w: the ID token belongs to another sign-in", ErrRefused)
	}
	if len(verified.Subject) > maxIdentifier || verified.Subject == "" {
		return id, fmt.Errorf("%w: a subject of %d characters", ErrRefused, len(verified.Subject))
	}
	id = Identity{Issuer: verified.Issuer, Subject: verified.Subject}
	c, err := p.findClaims(ctx, d, token, verified)
	if c.isVerified() {
		id.Email = c.Email
	}
	id.Groups, id.ManyGroups = c.groups, c.manyGroups
	return id, err
}

// claims are the claims that are used of a person.
type claims struct {
	Email    string `json:"email"`
	Verified *truth `json:"email_verified"` // nil if the provider does not say
	// DomainVerified is what Entra ID, which does not say the former, states if it is told to.
	DomainVerified truth `json:"xms_edov"`
	groups         []string
	manyGroups     bool
}

// isVerified reports whether the provider has verified the email.
func (c claims) isVerified() bool {
	if c.Verified != nil {
		return bool(*c.Verified)
	}
	return bool(c.DomainVerified)
}

// truth is a boolean that some providers send as a string or as 1.
type truth bool

// UnmarshalJSON implements json.Unmarshaler.
func (t *truth) UnmarshalJSON(text []byte) error {
	word := strings.Trim(string(text), `"`)
	*t = word == "true" || word == "1"
	return nil
}

// findClaims returns a person's claims: those of the ID token and, if it lacks some, of the
// provider's user info. Okta's own server, for one, sends email_verified with the latter only.
func (p *Provider) findClaims(ctx context.Context, d discovery, token *oauth2.Token, verified *oidc.IDToken) (claims, error) {
	c, err := p.readClaims(verified, ErrRefused)
	if err != nil {
		return c, err
	}
	lacksEmail := c.Email == "" || c.Verified == nil && !c.isVerified()
	lacks := lacksEmail || p.options.GroupsClaim != "" && c.groups == nil
	if !lacks || d.provider.UserInfoEndpoint() == "" {
		return c, nil
	}
	more, err := p.userInfo(ctx, d.provider, oauth2.StaticTokenSource(token), verified.Subject)
	if lacksEmail {
		c.Email, c.Verified, c.DomainVerified = more.Email, more.Verified, more.DomainVerified
	}
	if c.groups == nil {
		c.groups = more.groups
	}
	return c, err
}

func (p *Provider) userInfo(ctx context.Context, found *oidc.Provider, source oauth2.TokenSource, subject string) (c claims, err error) {
	info, err := found.UserInfo(p.clientContext(ctx), source)
	if err != nil {
		return c, wrapFailure(ErrUnavailable, err)
	}
	if info.Subject != subject { // OpenID Connect Core, 5.3.2
		return c, fmt.Errorf("%w: the user info belongs to somebody else", ErrRefused)
	}
	return p.readClaims(info, ErrUnavailable)
}

// readClaims reads the claims of an ID token or of user info. kind is what an unreadable one means.
func (p *Provider) readClaims(from interface{ Claims(into any) error }, kind error) (c claims, err error) {
	if err := from.Claims(&c); err != nil {
		return c, wrapFailure(kind, err)
	}
	if p.options.GroupsClaim == "" {
		return c, nil
	}
	all := make(map[string]json.RawMessage)
	if err := from.Claims(&all); err != nil {
		return c, wrapFailure(kind, err)
	}
	text, ok := all[p.options.GroupsClaim]
	if !ok {
		var elsewhere map[string]json.RawMessage // OpenID Connect Core, 5.6.2
		_ = json.Unmarshal(all["_claim_names"], &elsewhere)
		_, c.manyGroups = elsewhere[p.options.GroupsClaim]
		return c, nil
	}
	var one string // some providers send the only group alone
	if json.Unmarshal(text, &one) == nil {
		c.groups = []string{one}
		return c, nil
	}
	if json.Unmarshal(text, &c.groups) != nil {
		return c, fmt.Errorf("%w: the claim %s is not a list of names", kind, p.options.GroupsClaim)
	}
	return c, nil
}

// exchangeError distinguishes a provider that refuses from one that is unavailable.
func exchangeError(err error) error {
	if refused, ok := errors.AsType[*oauth2.RetrieveError](err); ok && refused.Response != nil && refused.Response.StatusCode < http.StatusInternalServerError {
		// The error itself is not wrapped, because it quotes the provider's response.
		return fmt.Errorf("%w: the code was answered %d %s", ErrRefused, refused.Response.StatusCode, refused.ErrorCode)
	}
	return wrapFailure(ErrUnavailable, err)
}

// wrapFailure describes the failure and quotes no more of the provider's response than belongs in
// a log.
func wrapFailure(kind, cause error) error {
	text := cause.Error()
	return fmt.Errorf("%w: %s", kind, strings.ToValidUTF8(text[:min(len(text), maxCause)], "?"))
}

// oauthConfig returns the OAuth configuration for the provider.
func (p *Provider) oauthConfig(d discovery) *oauth2.Config {
	endpoint := d.provider.Endpoint()
	endpoint.AuthStyle = d.authStyle()
	return &oauth2.Config{
		ClientID: p.options.ClientID, ClientSecret: p.options.ClientSecret.Reveal(), Endpoint: endpoint,
		RedirectURL: p.options.RedirectURL, Scopes: p.chooseScopes(d),
	}
}

// chooseScopes lists what is asked for. Providers that have a scope for the groups' claim send the claim
// only to those who ask.
func (p *Provider) chooseScopes(d discovery) []string {
	scopes := []string{oidc.ScopeOpenID, "email", "profile"}
	var said struct {
		Scopes []string `json:"scopes_supported"`
	}
	if claim := p.options.GroupsClaim; claim != "" && d.provider.Claims(&said) == nil && slices.Contains(said.Scopes, claim) {
		scopes = append(scopes, claim)
	}
	return scopes
}

// authStyle returns how to send the client's secret: in the header, unless the provider states
// that it expects it elsewhere (OpenID Connect Discovery, 3). Trying both would use up the code.
func (d discovery) authStyle() oauth2.AuthStyle {
	var said struct {
		Methods []string `json:"token_endpoint_auth_methods_supported"`
	}
	if err := d.provider.Claims(&said); err != nil || len(said.Methods) == 0 || slices.Contains(said.Methods, "client_secret_basic") {
		return oauth2.AuthStyleInHeader
	}
	return oauth2.AuthStyleInParams
}

// discoverProvider returns what the provider publishes about itself. One request at a time
// refreshes it from time to time. If that fails, the known configuration remains in use.
func (p *Provider) discoverProvider(ctx context.Context) (discovery, error) {
	if d, settled := p.knownDiscovery(); settled {
		return d, d.err()
	}
	select {
	case p.turn <- struct{}{}:
		defer func() { <-p.turn }()
	case <-ctx.Done():
		return discovery{}, wrapFailure(ErrUnavailable, ctx.Err())
	}
	d, settled := p.knownDiscovery() // another request may have done it since
	if settled {
		return d, d.err()
	}
	// The provider's keys are fetched with the context of its discovery, also later.
	found, err := oidc.NewProvider(p.clientContext(context.WithoutCancel(ctx)), p.options.Issuer)
	if err == nil {
		late := func() time.Time { return p.options.Now().Add(-clockSkew) }
		d = discovery{provider: found, tokens: found.Verifier(&oidc.Config{ClientID: p.options.ClientID, Now: late}), at: p.options.Now()}
	} else {
		d.failure, d.failedAt = wrapFailure(ErrUnavailable, err), p.options.Now()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.latest = d
	return d, d.err()
}

// knownDiscovery returns what is known of the provider, and whether it is recent enough.
func (p *Provider) knownDiscovery() (d discovery, settled bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	d = p.latest
	now := p.options.Now()
	return d, d.provider != nil && now.Sub(d.at) < rediscovery || d.failure != nil && now.Sub(d.failedAt) < failureLife
}

// err returns why the provider cannot be used. It is nil if the configuration is known.
func (d discovery) err() error {
	if d.provider != nil {
		return nil
	}
	return d.failure
}

// clientContext returns a context that carries the HTTP client for the provider.
func (p *Provider) clientContext(ctx context.Context) context.Context {
	return oidc.ClientContext(ctx, p.client)
}

// limited limits the size of the provider's responses.
type limited struct{ http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (l limited) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := l.RoundTripper.RoundTrip(r)
	if err == nil {
		res.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(res.Body, maxAnswer), res.Body}
	}
	return res, err
}
