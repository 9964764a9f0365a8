package customapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/alias"
	"github.com/assayhq/assay/connectors/fetch"
	"github.com/assayhq/assay/connectors/record"
)

// Bounds of the contract that shape requests (platform contract, Limits and Events).
const (
	pageLimit  = 200                 // records per page in sync
	checkLimit = 5                   // records per page in the live check
	history    = 90 * 24 * time.Hour // first read of trades
)

// Connector opens sources of kind custom_api. It is safe for concurrent use.
type Connector struct {
	client *fetch.Client
	codec  *codec
	slow   time.Duration
}

var (
	_ connectors.Connector    = (*Connector)(nil)
	_ connectors.Source       = (*source)(nil)
	_ connectors.TraderReader = (*source)(nil)
)

// New returns the connector. Its sources send their requests with client.
func New(client *fetch.Client) *Connector {
	return &Connector{client: client, codec: newCodec(), slow: connectors.SlowStep}
}

// Kind implements connectors.Connector.
func (c *Connector) Kind() record.Kind { return record.CustomAPI }

// Streams implements connectors.Connector.
func (c *Connector) Streams() []connectors.StreamSpec {
	return []connectors.StreamSpec{
		{Stream: record.StreamTraders, Endpoint: "GET /traders", Order: connectors.ByTime},
		{Stream: record.StreamAccounts, Endpoint: "GET /accounts", Order: connectors.ByTime},
		{Stream: record.StreamTrades, Endpoint: "GET /trades", Order: connectors.UsuallyByTime, History: history},
		{Stream: record.StreamPayouts, Endpoint: "GET /payouts", Order: connectors.UsuallyByTime, Optional: true},
	}
}

// Open implements connectors.Connector. The source is a connectors.TraderReader too.
func (c *Connector) Open(cfg connectors.Config) connectors.Source {
	return &source{platform: c.client.Platform(record.CustomAPI, cfg), codec: c.codec, slow: c.slow}
}

// source reads one customer's platform.
type source struct {
	platform *fetch.Platform
	codec    *codec
	slow     time.Duration // latency above which a step of the check warns
}

// ReadPage implements connectors.Source.
func (s *source) ReadPage(ctx context.Context, req connectors.PageRequest) (*connectors.Page, error) {
	switch req.Stream {
	case record.StreamTraders, record.StreamAccounts, record.StreamTrades, record.StreamPayouts:
	default:
		return nil, &connectors.Error{Code: connectors.CodeInternal, Message: fmt.Sprintf("the platform has no stream %q", req.Stream)}
	}
	var page *connectors.Page
	list := listRequest(req.Stream, pageLimit, req.UpdatedSince, req.Cursor)
	result, err := s.platform.Get(ctx, list, func(a fetch.Answer) (err error) {
		page, err = s.codec.decodePage(a.Body, pageRequest{stream: req.Stream, since: req.UpdatedSince, limit: pageLimit, cursor: req.Cursor})
		return err
	})
	if err != nil {
		result.Release()
		return nil, nameCursor(err, req.Cursor)
	}
	page.Date, page.Stats, page.Release = result.Date, result.Stats, result.Release
	return page, nil
}

// nameCursor adds to the refusal of a request that it continued a list, which the platform's answer
// may not say.
func nameCursor(err error, cursor string) error {
	var e *connectors.Error
	if cursor == "" || !errors.As(err, &e) || e.HTTPStatus < http.StatusBadRequest {
		return err
	}
	switch e.Code {
	case connectors.CodeUnexpectedResponse, connectors.CodeNotFound:
		named := *e
		named.Message = "the platform refused the cursor of its previous page, which must stay valid while the list is read: " + e.Message
		return &named
	}
	return err
}

// ReadTrader implements connectors.TraderReader. An answer about another trader is
// an unexpected response, and a record that cannot be used is CodeInvalidRecords.
func (s *source) ReadTrader(ctx context.Context, id string) (record.Trader, error) {
	if id == "" || id == "." || id == ".." {
		// In a path these would name another resource.
		return record.Trader{}, &connectors.Error{Code: connectors.CodeNotFound, Message: "this id cannot be part of a path"}
	}
	var trader record.Trader
	req := fetch.Request{Path: "/traders/" + url.PathEscape(id), Resource: string(record.Traders)}
	result, err := s.platform.Get(ctx, req, func(a fetch.Answer) (err error) {
		trader, err = s.codec.decodeTrader(a.Body, id)
		return err
	})
	result.Release()
	if err != nil {
		return record.Trader{}, err
	}
	return trader, nil
}

// decodeTrader decodes the answer to a request for the trader with the id.
func (c *codec) decodeTrader(body []byte, id string) (record.Trader, error) {
	text, err := alias.ReadObject(body)
	if err != nil {
		return record.Trader{}, err
	}
	d := alias.NewDecoder(c.tables.traders, record.Traders)
	trader, who := c.words.readTrader(d.Next(text))
	if !d.Accept(who.key, who.id, who.owner) {
		return record.Trader{}, &connectors.Error{Code: connectors.CodeInvalidRecords, Message: d.Rejected()[0].Describe()}
	}
	if trader.ID != id {
		return record.Trader{}, &connectors.Error{Code: connectors.CodeUnexpectedResponse, Message: "the answer is about a different trader than the requested one"}
	}
	return trader, nil
}

// listRequest is the request for one page of a list.
func listRequest(stream record.Stream, limit int, since time.Time, cursor string) fetch.Request {
	query := url.Values{"limit": {strconv.Itoa(limit)}}
	if !since.IsZero() {
		query.Set("updated_since", fetch.Timestamp(since))
	}
	if cursor != "" {
		query.Set("cursor", cursor)
	}
	resource := string(stream.Resource())
	return fetch.Request{Path: "/" + resource, Query: query, Resource: resource}
}
