// Package connectors is the seam between assay and the platforms it reads.
//
// A Connector knows one kind of platform: which streams it has, how to request and
// decode a page of a stream, and how to run a live check. It knows no SQL, no
// schedule and no configuration file. syncd drives it page by page and owns order,
// checkpoints and merging; apiserver runs its live check.
package connectors

import (
	"context"
	"encoding/json"
	"time"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store/seal"
)

// Connector opens sources of one kind of platform. Implementations are safe
// for concurrent use and start nothing.
type Connector interface {
	// Kind is the integration kind that the connector serves.
	Kind() record.Kind
	// Streams lists the platform's streams in the order of a cycle.
	Streams() []StreamSpec
	// Open returns a source for one integration. It sends no request and cannot
	// fail: a fault in the configuration shows in the first request as an *Error.
	Open(Config) Source
}

// Order is what is known about the order of a list's records.
type Order int

const (
	// AnyOrder means that nothing is known.
	AnyOrder Order = iota
	// UsuallyByTime lists are mostly sorted by updated_at, although the platform's
	// contract sets no order. As long as a list is sorted, its order shows how much
	// of it has been read.
	UsuallyByTime
	// ByTime lists must be sorted by updated_at. A list that is not is a finding.
	ByTime
)

// StreamSpec describes one stream of a kind of platform.
type StreamSpec struct {
	Stream record.Stream
	// Endpoint names the list in messages: method and path, such as "GET /traders".
	Endpoint string
	// Order says whether the list is sorted by updated_at.
	Order Order
	// History bounds the first read of the stream: it starts this long before
	// now. Zero reads everything.
	History time.Duration
	// Overlap is how far before the watermark a later read begins. Zero means
	// DefaultOverlap.
	Overlap time.Duration
	// Optional streams may answer 404 on their first page, which skips them.
	Optional bool
	// Dispensable streams are not required by the live check. If a platform refuses
	// the key for them alone, only their runs fail.
	Dispensable bool
	// Snapshot streams are read in full every time: they have no watermark
	// and no checkpoint that outlives a cycle.
	Snapshot bool
	// PagesPerRun ends a run as partial after that many pages, and the next run
	// continues from there. Zero sets no such bound.
	PagesPerRun int
	// MaxPages is the number of pages after which a list counts as endless, which
	// is a finding and ends the run as PagesPerRun does. A fiftieth of it is enough
	// if those pages are empty and follow one another. Zero means DefaultMaxPages.
	MaxPages int
}

// DefaultOverlap is how far before the watermark a read begins (platform
// contract, Limits).
const DefaultOverlap = 10 * time.Minute

// DefaultMaxPages bounds a run of a stream whose spec sets no bound. A longer list
// counts as endless. With 200 records a page it is twenty million records, more
// than any platform holds of one kind.
const DefaultMaxPages = 100_000

// Config is what a connector needs to know of one integration.
type Config struct {
	// IntegrationID names the request budget. It is empty for a live check of an
	// integration that is not saved.
	IntegrationID string
	// BaseURL is the platform's origin and path prefix, without trailing slash.
	BaseURL string
	// APIKey is the bearer token for the platform.
	APIKey seal.Secret
	// Scope narrows accounts and payouts of partner platforms; nil reads all.
	Scope *AccountScope
}

// AccountScope is the contract's account_scope (service API, Integration).
type AccountScope struct {
	PlanCategoryIDs []json.Number
	Platforms       []string
}

// Source reads one integration's platform. A Source is used by one cycle at a
// time, but its methods may be called concurrently with each other: the next
// page is fetched while the previous one is written.
type Source interface {
	// ReadPage reads one page. It returns an *Error for every failure on the
	// platform's side, and ctx.Err() when ctx ended. It returns a 429 at once
	// (CodeThrottled with RetryAfter set), because the scheduler does the waiting.
	ReadPage(ctx context.Context, req PageRequest) (*Page, error)
	// Check runs the live check (platform contract, Live check). It always returns
	// a complete report, also when ctx ends first. onStep, unless it is nil, is
	// called with each step of the report as soon as that step is over.
	Check(ctx context.Context, onStep func(Step)) Report
}

// TraderReader is implemented by sources that can read a single trader.
type TraderReader interface {
	// ReadTrader reads the trader with the id. It returns an *Error with
	// CodeNotFound if the platform does not know the trader.
	ReadTrader(ctx context.Context, id string) (record.Trader, error)
}

// PageRequest names one page of a stream.
type PageRequest struct {
	Stream record.Stream
	// UpdatedSince is the run's lower bound: the stream's watermark minus its
	// Overlap, or the start of its History. Zero means that everything is
	// requested. It is the same on every page of a run.
	UpdatedSince time.Time
	// Backfill is set while the stream has never been read completely.
	Backfill bool
	// Cursor is Page.Next of the previous page. Empty asks for the first page.
	Cursor string
}

// Page is one decoded page of a stream.
type Page struct {
	record.Batch
	// Rejected are the records that could not be used. They never fail a page.
	Rejected []record.Rejected
	// Findings are broken rules that did not make a record unusable.
	Findings []record.Finding
	// Next is the cursor of the next page; empty on the last page.
	Next string
	// Seen counts the records on the page, rejected ones included.
	Seen int
	// Read and Total count records of the whole list, as the platform reports:
	// those up to the end of this page, and all. Total is 0 if the platform does
	// not report it, or if the run ends before the list does.
	Read, Total int64
	// Date is the platform's Date header, zero when absent or unreadable.
	Date time.Time
	// Stats counts what the page cost.
	Stats Stats
	// Release releases the memory that is reserved for the page's body. It must be
	// called once, when the page has been written or dropped. It is never nil.
	Release func()
}

// Stats counts what reading a page took.
type Stats struct {
	Requests  int           // HTTP requests sent, retries included
	Throttled time.Duration // time spent waiting because of 429 or Retry-After
	Attempt   time.Duration // duration of the attempt that was answered; 0 if there was none
	Bytes     int           // size of the answer's body, decompressed
}
