package fault

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"
)

// Options say when a fault strikes and how hard. Zero values mean each
// fault's own defaults, which its description names.
type Options struct {
	// Endpoint limits the fault to one route, as the platform lists them.
	Endpoint string
	// After lets that many matching requests pass first.
	After int
	// Times ends the fault after it has struck that often; 0 is for ever.
	Times int
	// Probability strikes only this share of the matching requests, chosen by
	// the platform's seed; 0 strikes all.
	Probability float64
	// Every makes faults of single records touch every n-th record of a page,
	// beginning with the first; 0 is the fault's default, mostly all.
	Every int
	// Delay is how long a fault that waits does so.
	Delay time.Duration
	// Size is bytes, levels, pages or records, as the fault has it.
	Size int64
	// Value is a text, such as the Retry-After header to send.
	Value string
}

// Info describes a fault of a registry.
type Info struct {
	Name        string
	Description string
	Endpoints   []string // the routes it can strike; empty means all
}

// Fault is one way to break a contract. Its hooks change the exchange at their
// stages; every one may be nil. Q is a platform's parsed query for a list, P
// its page on the way out.
type Fault[Q, P any] struct {
	Name, Description string
	Endpoints         []string // the routes it can strike; empty means all
	Defaults          Options
	OpenAuth          bool // lets requests without a key in
	AnyKey            bool // lets requests with any Authorization in
	Backwards         bool // its Delay may be negative

	Answer func(x *Exchange, o *Options) (done bool)                     // before all other hooks
	Query  func(q *Q, o *Options)                                        // a list's parsed query
	Record func(list string, i int, record []byte, o *Options) []byte    // each record, i counts within the page
	Page   func(q *Q, p *P, o *Options)                                  // a page as a whole
	Body   func(x *Exchange, status int, body []byte, o *Options) []byte // any response body
	Header func(x *Exchange, o *Options)                                 // any response header
	Write  func(x *Exchange, status int, body []byte, o *Options) bool   // instead of sending
}

// appliesTo reports whether the fault has anything to do at an endpoint.
func (f *Fault[Q, P]) appliesTo(at string) bool {
	return len(f.Endpoints) == 0 || slices.Contains(f.Endpoints, at)
}

// At limits faults to some routes.
func At[Q, P any](endpoints []string, faults []Fault[Q, P]) []Fault[Q, P] {
	for i := range faults {
		faults[i].Endpoints = endpoints
	}
	return faults
}

// Describe lists a registry for people.
func Describe[Q, P any](registry []Fault[Q, P]) []Info {
	var infos []Info
	for i := range registry {
		infos = append(infos, Info{registry[i].Name, registry[i].Description, slices.Clone(registry[i].Endpoints)})
	}
	return infos
}

// Set holds a platform's faults and which of them are on. It is safe for
// concurrent use.
type Set[Q, P any] struct {
	mu        sync.Mutex
	seed      uint64
	endpoints []string
	onRequest func(RequestInfo)
	known     []Fault[Q, P]
	on        []*armed[Q, P] // in the registry's order
}

// armed is a fault that is on.
type armed[Q, P any] struct {
	*Fault[Q, P]
	order        int // in the registry
	options      Options
	seen, struck int
}

// NewSet returns a set with every fault off. Faults apply in the order of the
// registry; the seed chooses the requests that a probability strikes. onRequest,
// unless it is nil, is called after each request, from many goroutines at once.
func NewSet[Q, P any](seed uint64, endpoints []string, registry []Fault[Q, P], onRequest func(RequestInfo)) *Set[Q, P] {
	return &Set[Q, P]{seed: seed, endpoints: endpoints, known: registry, onRequest: onRequest}
}

// SetFault switches a fault on, or changes the options of one that is on and resets
// its counts. An unknown name, an endpoint that the fault cannot strike or an option
// out of range is an error that names the choices. Several faults may be on at
// once.
func (s *Set[Q, P]) SetFault(name string, o Options) error {
	order := slices.IndexFunc(s.known, func(f Fault[Q, P]) bool { return f.Name == name })
	if order < 0 {
		var names []string
		for i := range s.known {
			names = append(names, s.known[i].Name)
		}
		return fmt.Errorf("unknown fault %q: want one of %s", name, strings.Join(names, ", "))
	}
	f := &s.known[order]
	if err := s.validateOptions(f, &o); err != nil {
		return fmt.Errorf("fault %s: %w", name, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.on = slices.DeleteFunc(s.on, func(a *armed[Q, P]) bool { return a.order == order })
	s.on = append(s.on, &armed[Q, P]{Fault: f, order: order, options: o})
	slices.SortFunc(s.on, func(a, b *armed[Q, P]) int { return a.order - b.order })
	return nil
}

// validateOptions validates options and fills in the defaults.
func (s *Set[Q, P]) validateOptions(f *Fault[Q, P], o *Options) error {
	switch {
	case o.Endpoint != "" && !slices.Contains(s.endpoints, o.Endpoint):
		return fmt.Errorf("unknown endpoint %q: want one of %s", o.Endpoint, strings.Join(s.endpoints, ", "))
	case o.Endpoint != "" && !f.appliesTo(o.Endpoint):
		return fmt.Errorf("it cannot strike %s", o.Endpoint)
	case o.After < 0 || o.Times < 0 || o.Every < 0 || o.Size < 0 || o.Delay < 0 && !f.Backwards:
		return errors.New("negative option")
	case !(o.Probability >= 0 && o.Probability <= 1):
		return fmt.Errorf("probability %v: want 0 to 1", o.Probability)
	}
	if o.Every == 0 {
		o.Every = max(f.Defaults.Every, 1)
	}
	if o.Delay == 0 {
		o.Delay = f.Defaults.Delay
	}
	if o.Size == 0 {
		o.Size = f.Defaults.Size
	}
	if o.Value == "" {
		o.Value = f.Defaults.Value
	}
	return nil
}

// ClearFault switches a fault off and reports whether it was on.
func (s *Set[Q, P]) ClearFault(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := len(s.on)
	s.on = slices.DeleteFunc(s.on, func(a *armed[Q, P]) bool { return a.Name == name })
	return len(s.on) < before
}

// ClearFaults switches every fault off.
func (s *Set[Q, P]) ClearFaults() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.on = nil
}

// matchFaults counts a request and returns the faults that strike it.
func (s *Set[Q, P]) matchFaults(at string) Active[Q, P] {
	s.mu.Lock()
	defer s.mu.Unlock()
	var active Active[Q, P]
	for _, a := range s.on {
		o := &a.options
		if at == "" || !a.appliesTo(at) || o.Endpoint != "" && o.Endpoint != at {
			continue
		}
		a.seen++
		if a.seen <= o.After || o.Times > 0 && a.struck >= o.Times {
			continue
		}
		chance := rand.New(rand.NewPCG(s.seed+uint64(a.order), uint64(a.seen))) //nolint:gosec // repeatable on purpose
		if o.Probability > 0 && chance.Float64() >= o.Probability {
			continue
		}
		a.struck++
		active = append(active, struck[Q, P]{a.Fault, *o})
	}
	return active
}
