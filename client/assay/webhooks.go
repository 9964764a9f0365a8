package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	assay "github.com/assayhq/assay/client/go"
)

// forwardLimit is how long a receiver may take, as long as assay itself waits.
const forwardLimit = 15 * time.Second

// unreachable is the address of the endpoint that is made if there is none. Its name never resolves
// (RFC 6761), so nothing is sent to anybody else.
const unreachable = "https://assay-webhooks-listen.invalid/"

func newWebhooks() *cobra.Command {
	listen := &cobra.Command{
		Use: "listen --forward-to URL", Short: "Forward events to a program on your machine, until Ctrl-C", Args: invalid(cobra.NoArgs),
		Long: `listen forwards the events of your webhook endpoints to a program on your machine, signed with a secret that
it prints. It forwards what is new from now on, and each event once, however many endpoints get it.

If your organization has no endpoint, or with --temporary, listen creates one that gets all events and whose
address cannot be reached, and deletes it at the end. Its deliveries fail, which affects no other endpoint.`,
		Example: "  assay webhooks listen --forward-to http://localhost:3000/webhooks/assay\n  assay webhooks listen --forward-to http://localhost:3000/ --events 'trader.*,payout.*'",
		RunE:    untilInterrupted(listenToWebhooks),
	}
	listen.Flags().String("forward-to", "", "the URL of your program")
	listen.Flags().StringSlice("events", nil, "only these events, such as trader.*")
	listen.Flags().String("endpoint", "", "only the events of the endpoint with this id")
	listen.Flags().Bool("temporary", false, "create a temporary endpoint that gets all events")
	listen.Flags().String("secret", "", "sign with this secret instead of a new one")
	listen.MarkFlagsMutuallyExclusive("endpoint", "temporary")
	return group("webhooks", "Send events to your programs", newWebhooksList(), newWebhooksCreate(), newWebhooksUpdate(), listen)
}

// listener forwards deliveries.
type listener struct {
	client    *assay.Client
	endpoints []string
	to        string
	events    []string // patterns; none means all
	secret    string
	known     map[string]bool // deliveries that are there or were forwarded, and events that were
}

func listenToWebhooks(c *cobra.Command, client *assay.Client, _ []string) error {
	l, err := newListener(c, client)
	if err != nil {
		return err
	}
	end, err := l.chooseEndpoints(c)
	if err != nil {
		return err
	}
	defer end()
	if _, err := l.newDeliveries(c.Context()); err != nil {
		return err
	}
	fmt.Fprintf(c.ErrOrStderr(), "Forwarding events to %s, signed with the secret %s. End with Ctrl-C.\n", l.to, l.secret)
	for _, err := range watch(c.Context(), client, "webhooks") {
		if err != nil {
			return err
		}
		deliveries, err := l.newDeliveries(c.Context())
		if err != nil {
			if reportOutage(c, err) {
				continue
			}
			return err
		}
		for _, d := range deliveries {
			if err := l.forward(c, d); err != nil {
				return err
			}
		}
	}
	return nil
}

func newListener(c *cobra.Command, client *assay.Client) (*listener, error) {
	l := &listener{client: client, known: map[string]bool{}}
	l.to, _ = c.Flags().GetString("forward-to")
	if l.to == "" {
		return nil, usageError{errors.New("--forward-to is required: the URL of your program, such as http://localhost:3000/webhooks")}
	}
	if u, err := url.Parse(l.to); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, usageError{fmt.Errorf("--forward-to must be the URL of your program, such as http://localhost:3000/webhooks, not %q", l.to)}
	}
	l.events, _ = c.Flags().GetStringSlice("events")
	if err := l.checkEvents(c.Context()); err != nil {
		return nil, err
	}
	secret, _ := c.Flags().GetString("secret")
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails
	l.secret = cmp.Or(secret, "whsec_"+base64.StdEncoding.EncodeToString(key))
	if _, err := assay.SignWebhook(l.secret, "", time.Time{}, nil); err != nil {
		return nil, usageError{err}
	}
	return l, nil
}

// checkEvents refuses names and groups that no event has.
func (l *listener) checkEvents(ctx context.Context) error {
	if len(l.events) == 0 {
		return nil
	}
	var kinds []string
	for kind, err := range l.client.AllWebhookEvents(ctx, nil) {
		if err != nil {
			return err
		}
		kinds = append(kinds, kind.Kind)
	}
	for _, pattern := range l.events {
		if !slices.ContainsFunc(kinds, func(kind string) bool { matches, _ := path.Match(pattern, kind); return matches }) {
			return usageError{fmt.Errorf("--events: %q is neither an event nor a group of events, such as trader.*\nThe events are %s", pattern, strings.Join(kinds, ", "))}
		}
	}
	return nil
}

// chooseEndpoints finds the endpoints to follow, or creates one, which end deletes.
func (l *listener) chooseEndpoints(c *cobra.Command) (end func(), err error) {
	if id, _ := c.Flags().GetString("endpoint"); id != "" {
		l.endpoints = []string{id}
		return func() {}, nil
	}
	if temporary, _ := c.Flags().GetBool("temporary"); !temporary {
		for e, err := range l.client.AllWebhooks(c.Context(), nil) {
			if err != nil {
				return nil, err
			}
			l.endpoints = append(l.endpoints, e.ID)
		}
	}
	if len(l.endpoints) > 0 {
		return func() {}, nil
	}
	made, err := l.client.CreateWebhook(c.Context(), assay.NewWebhookEndpoint{URL: unreachable, Events: []assay.EventPattern{"*"}})
	if err != nil {
		return nil, err
	}
	l.endpoints = []string{made.ID}
	return func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(c.Context()), forwardLimit) // also after Ctrl-C
		defer cancel()
		if err := l.client.DeleteWebhook(ctx, made.ID); err != nil {
			fmt.Fprintf(c.ErrOrStderr(), "The temporary endpoint %s could not be deleted, delete it under Developers, Webhooks: %v\n", made.ID, err)
		}
	}, nil
}

// newDeliveries returns the deliveries that were not there before, the oldest first.
func (l *listener) newDeliveries(ctx context.Context) ([]assay.WebhookDelivery, error) {
	var found []assay.WebhookDelivery
	for _, endpoint := range l.endpoints {
		var of []assay.WebhookDelivery
		for d, err := range l.client.AllWebhookDeliveries(ctx, endpoint, nil) { // the newest first
			if err != nil {
				return nil, err
			}
			if l.known[d.ID] {
				break
			}
			of = append(of, d)
			if len(l.known) == 0 { // only where to begin is of interest
				break
			}
		}
		found = append(found, of...)
	}
	for _, d := range found {
		l.known[d.ID] = true
	}
	l.known[""] = true // it has begun, also where there is no delivery
	slices.SortStableFunc(found, func(a, b assay.WebhookDelivery) int { return a.CreatedAt.Compare(b.CreatedAt) })
	return found, nil
}

// forward sends a delivery to the program and prints what it answered. An answer is no error: the
// program may be about to be mended.
func (l *listener) forward(c *cobra.Command, d assay.WebhookDelivery) error {
	event, id := d.Event.Type, d.Event.ID
	if l.known[id] || d.Payload == nil || len(l.events) > 0 && !slices.ContainsFunc(l.events, func(p string) bool { ok, _ := path.Match(p, event); return ok }) {
		return nil
	}
	l.known[id] = true
	body, err := json.Marshal(d.Payload)
	if err != nil {
		return err
	}
	answer, err := l.post(c.Context(), id, body)
	if err != nil {
		answer = err.Error()
	}
	return show(c, map[string]string{"id": id, "event": event, "answer": answer}, []any{time.Now(), event, id, answer})
}

func (l *listener) post(ctx context.Context, id string, body []byte) (answer string, err error) {
	now := time.Now()
	signature, err := assay.SignWebhook(l.secret, id, now, body)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, forwardLimit)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, l.to, bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set(assay.HeaderWebhookID, id)
	req.Header.Set(assay.HeaderWebhookTimestamp, strconv.FormatInt(now.Unix(), 10))
	req.Header.Set(assay.HeaderWebhookSignature, signature)
	res, err := http.DefaultTransport.RoundTrip(req) // follows no redirects, as assay does not
	if err != nil {
		if errors.Is(err, context.DeadlineExceeded) {
			return "", fmt.Errorf("no answer within %d seconds", int(forwardLimit.Seconds()))
		}
		return "", err
	}
	return strings.TrimSpace(res.Status), res.Body.Close()
}
