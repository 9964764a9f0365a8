package main

import (
	"context"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/assayhq/assay/apiserver/auth"
	"github.com/assayhq/assay/apiserver/interview"
	"github.com/assayhq/assay/apiserver/media"
	"github.com/assayhq/assay/apiserver/middleware"
	"github.com/assayhq/assay/apiserver/oidc"
	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/apiserver/stream"
	v1 "github.com/assayhq/assay/apiserver/v1"
	v1access "github.com/assayhq/assay/apiserver/v1/access"
	"github.com/assayhq/assay/apiserver/v1/integrations"
	"github.com/assayhq/assay/apiserver/web"
	"github.com/assayhq/assay/configs"
	"github.com/assayhq/assay/internal/boot"
	"github.com/assayhq/assay/store/access"
	"github.com/assayhq/assay/store/blob"
)

// wireRoutes wires the API. stopping is closed when live checks and streams must end. The
// returned run must run for as long as requests are served.
func wireRoutes(p *boot.Process, blobs *blob.Bucket, stopping <-chan struct{}) (handler http.Handler, run func(context.Context), err error) {
	config := p.Config
	keys, err := auth.NewKeys(p.Store, p.Log, time.Now, p.Registry)
	if err != nil {
		return nil, nil, err
	}
	origins, err := auth.NewOrigins(config.PublicURL)
	if err != nil {
		return nil, nil, err
	}
	authenticator, err := auth.New(p.Store, keys, origins, time.Now, p.Registry)
	if err != nil {
		return nil, nil, err
	}
	passwords, err := auth.NewPasswords(p.Registry, auth.DefaultCost)
	if err != nil {
		return nil, nil, err
	}
	provider, err := signInProvider(config)
	if err != nil {
		return nil, nil, err
	}
	failures, err := auth.NewFailures(p.Store, p.Log, time.Now, p.Registry)
	if err != nil {
		return nil, nil, err
	}
	stack, err := middleware.New(middleware.Config{
		Logger: p.Log, Registry: p.Registry, Problems: problem.NewWriter(config.PublicURL), Now: time.Now,
		TrustedProxies: config.TrustedProxies, Tracer: p.Tracer,
	})
	if err != nil {
		return nil, nil, err
	}
	pages, err := web.New()
	if err != nil {
		return nil, nil, err
	}
	streams, err := stream.New(p.Store, p.Log, p.Registry)
	if err != nil {
		return nil, nil, err
	}
	replicaMetrics(p.Registry, p.Store)
	api, err := v1.New(v1.Config{
		Store: p.Store, Connectors: p.Connectors, Guard: p.Client.Guard(), Auth: authenticator, Stack: stack, Registry: p.Registry,
		Passwords: passwords, Failures: failures, Origins: origins, Streams: streams, OIDC: provider, GroupRoles: groupRoles(config.OIDC), Media: &media.Handler{Store: p.Store, Blobs: blobs, Now: time.Now},
		Interviews: interview.New(interview.Config{
			Store: p.Store, Blobs: blobs, Pages: pages, Origins: origins, Now: time.Now, PublicURL: config.PublicURL, LawfulBasis: config.Interviews.LawfulBasis,
		}),
		Pages:     pages,
		Egress:    integrations.Egress{Region: config.Egress.Region, CIDRs: config.Egress.CIDRs, Note: config.Egress.Note},
		Languages: config.Interviews.Languages, LawfulBasis: config.Interviews.LawfulBasis, PlaybackTTL: config.Interviews.PlaybackTTL,
		Blob: blobOpener(blobs), PublicURL: config.PublicURL, Stopping: stopping,
	})
	if err != nil {
		return nil, nil, err
	}
	return api.Handler(), joinRuns(failures.Run, streams.Run, keys.Run, followReplica(p.Store, p.Log)), nil
}

// joinRuns returns a function that runs the functions concurrently and waits for all of them.
func joinRuns(runs ...func(context.Context)) func(context.Context) {
	return func(ctx context.Context) {
		var group sync.WaitGroup
		for _, run := range runs {
			group.Go(func() { run(ctx) })
		}
		group.Wait()
	}
}

// blobOpener returns a function that opens blobs for reading them whole.
func blobOpener(blobs *blob.Bucket) func(ctx context.Context, key string) (io.ReadCloser, error) {
	return func(ctx context.Context, key string) (io.ReadCloser, error) {
		r, err := blobs.Open(ctx, key, 0, -1)
		if err != nil {
			return nil, err // avoids a non-nil interface that holds a nil reader
		}
		return r, nil
	}
}

// groupsClaim returns the claim with a person's groups, or nothing if groups give no roles.
func groupsClaim(c configs.OIDC) string {
	if len(c.Roles) == 0 {
		return ""
	}
	return c.GroupsClaim
}

// groupRoles returns the roles that groups at the provider give, by the name of the group.
func groupRoles(c configs.OIDC) map[string]access.Role {
	roles := make(map[string]access.Role, len(c.Roles))
	for _, g := range c.Roles {
		roles[g.Group] = access.Higher(roles[g.Group], access.Role(g.Role))
	}
	return roles
}

// signInProvider returns the OpenID Connect provider, or nil if none is configured.
func signInProvider(c configs.Config) (*oidc.Provider, error) {
	if c.OIDC.Issuer == "" {
		return nil, nil //nolint:nilnil // nil is no provider
	}
	roots, err := boot.Roots(c.Egress.CAFile)
	if err != nil {
		return nil, err
	}
	return oidc.New(oidc.Options{
		Issuer: c.OIDC.Issuer, ClientID: c.OIDC.ClientID, ClientSecret: c.OIDC.ClientSecret, GroupsClaim: groupsClaim(c.OIDC),
		RedirectURL: v1access.OIDCRedirectURL(c.PublicURL), RootCAs: roots, Now: time.Now,
	}), nil
}
