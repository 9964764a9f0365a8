package assay

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	// streamSilence is how long a stream may be silent. The server sends a comment every 25 seconds.
	streamSilence = time.Minute
	// maxStreamLine bounds a line of a stream, in bytes.
	maxStreamLine = 64 << 10
)

// Change says that an object has changed. Read it again to see how.
type Change struct {
	// Topic is one of integrations, traders, interviews, webhooks, api_keys, users and audit. New ones
	// may be added. It is empty at the beginning and whenever the stream has been interrupted, because
	// anything may have changed before: read everything that you show.
	Topic string `json:"topic"`
	// ID is the object's. It is empty if several objects have changed.
	ID string `json:"id"`
}

// Changes yields what changes, as far as the key may read it. It connects again when the stream is
// interrupted, and ends with ctx, or with an error that connecting again would not cure. Changes
// during an interruption are not sent later, so use webhooks for events that you must not miss.
func (c *Client) Changes(ctx context.Context) iter.Seq2[Change, error] {
	return func(yield func(Change, error) bool) {
		s := stream{pause: firstPause, yield: yield}
		for {
			err := c.readStream(ctx, &s)
			if ctx.Err() != nil || s.stopped {
				return
			}
			if err != nil && (!s.ready || isPermanent(err)) {
				yield(Change{}, err)
				return
			}
			select {
			case <-ctx.Done():
				return
			case <-time.After(s.pause):
			}
		}
	}
}

// isPermanent reports whether the server has refused the stream, rather than not answered.
func isPermanent(err error) bool {
	p, refused := errors.AsType[*Problem](err)
	return refused && p.Status < http.StatusInternalServerError && p.Status != http.StatusTooManyRequests
}

// readStream reads one connection to its end. It returns an error if there was none to be had.
func (c *Client) readStream(ctx context.Context, s *stream) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	res, err := c.do(ctx, call{method: http.MethodGet, path: "/v1/stream"}, []CallOption{withHeader("Accept", "text/event-stream")})
	if err != nil {
		return err
	}
	defer res.Body.Close()
	silence := time.AfterFunc(streamSilence, cancel)
	defer silence.Stop()
	return s.read(res.Body, func() { silence.Reset(streamSilence) })
}

// stream is what is known of a stream across its connections.
type stream struct {
	pause   time.Duration // before the next connection
	yield   func(Change, error) bool
	ready   bool // there was a connection
	stopped bool // by the caller
}

// read reads events until the caller stops or the connection breaks, which is no error.
func (s *stream) read(r io.Reader, received func()) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxStreamLine)
	var kind, data string
	for !s.stopped && lines.Scan() { // a caller that has stopped does not wait for another line
		received()
		name, value, _ := strings.Cut(lines.Text(), ":")
		value = strings.TrimPrefix(value, " ")
		switch name {
		case "retry":
			if ms, err := strconv.Atoi(value); err == nil {
				s.pause = time.Duration(ms) * time.Millisecond
			}
		case "event":
			kind = value
		case "data":
			data = value
		}
		if lines.Text() != "" {
			continue
		}
		if err := s.pass(kind, data); err != nil {
			return err
		}
		kind, data = "", ""
	}
	return nil
}

// pass yields an event. Events of other kinds may be added.
func (s *stream) pass(kind, data string) error {
	var change Change
	switch kind {
	case "ready":
		s.ready = true
	case "change":
		if err := json.Unmarshal([]byte(data), &change); err != nil {
			return fmt.Errorf("assay: read a change: %w", err)
		}
	default:
		return nil
	}
	s.stopped = !s.yield(change, nil)
	return nil
}
