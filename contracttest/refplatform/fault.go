package refplatform

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// FaultOptions say when a fault strikes and how hard. Zero values mean each
// fault's own defaults, which its description names.
type FaultOptions struct {
	// Endpoint limits the fault to one route, as Endpoints lists them.
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
	// Delay is how long the faults that wait do so.
	Delay time.Duration
	// Size is bytes, levels, pages or records, as the fault has it.
	Size int64
	// Value is a text, such as the Retry-After header to send.
	Value string
}

// FaultInfo describes a fault of the registry.
type FaultInfo struct {
	Name        string
	Description string
	Endpoints   []string // the routes it can strike; empty: all
}

// fault is one way to break the contract. Its hooks change the exchange at
// their stages; every one may be nil.
type fault struct {
	name, description string
	endpoints         []endpoint
	defaults          FaultOptions
	openAuth          bool

	answer func(x *exchange, o *FaultOptions) (done bool)                     // before anything else
	query  func(q *listQuery, o *FaultOptions)                                // a list's parsed query
	record func(list Resource, i int, record []byte, o *FaultOptions) []byte  // each record, i counts within the page
	page   func(q *listQuery, p *listPage, o *FaultOptions)                   // a page's records and cursor
	body   func(x *exchange, status int, body []byte, o *FaultOptions) []byte // any response body
	header func(x *exchange, o *FaultOptions)                                 // any response header
	write  func(x *exchange, status int, body []byte, o *FaultOptions) bool   // instead of sending
}

// strikes reports whether the fault has anything to do at an endpoint.
func (f *fault) strikes(at endpoint) bool {
	return len(f.endpoints) == 0 || slices.Contains(f.endpoints, at)
}

// allFaults lists the registry in the order in which faults apply.
func allFaults() []fault {
	return slices.Concat(statusFaults(), connectionFaults(), bodyFaults(), pageFaults(), recordFaults())
}

// Faults describes every fault there is.
func Faults() []FaultInfo {
	var infos []FaultInfo
	for _, f := range allFaults() {
		info := FaultInfo{Name: f.name, Description: f.description}
		for _, at := range f.endpoints {
			info.Endpoints = append(info.Endpoints, string(at))
		}
		infos = append(infos, info)
	}
	return infos
}

// SetFault switches a fault on, or changes the options of one that is on; its
// counts begin anew. An unknown name, an endpoint that the fault cannot strike
// or an option out of range is an error that names the choices. Several faults
// may be on at once.
func (p *Platform) SetFault(name string, o FaultOptions) error { return p.faults.set(name, o) }

// ClearFault switches a fault off and reports whether it was on.
func (p *Platform) ClearFault(name string) bool { return p.faults.clear(name) }

// ClearFaults switches every fault off.
func (p *Platform) ClearFaults() { p.faults.clear("") }

// faultSet holds the faults that are on.
type faultSet struct {
	mu    sync.Mutex
	seed  uint64
	known []fault
	on    []*armedFault // in the registry's order
}

// armedFault is a fault that is on.
type armedFault struct {
	*fault
	order        int // in the registry
	options      FaultOptions
	seen, struck int
}

func newFaultSet(seed uint64) *faultSet { return &faultSet{seed: seed, known: allFaults()} }

func (s *faultSet) set(name string, o FaultOptions) error {
	order := slices.IndexFunc(s.known, func(f fault) bool { return f.name == name })
	if order < 0 {
		var names []string
		for i := range s.known {
			names = append(names, s.known[i].name)
		}
		return fmt.Errorf("unknown fault %q: want one of %s", name, strings.Join(names, ", "))
	}
	f := &s.known[order]
	if err := f.check(&o); err != nil {
		return fmt.Errorf("fault %s: %w", name, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.on = slices.DeleteFunc(s.on, func(a *armedFault) bool { return a.order == order })
	s.on = append(s.on, &armedFault{fault: f, order: order, options: o})
	slices.SortFunc(s.on, func(a, b *armedFault) int { return a.order - b.order })
	return nil
}

// check validates options and fills in the defaults.
func (f *fault) check(o *FaultOptions) error {
	switch {
	case o.Endpoint != "" && !slices.Contains(Endpoints(), o.Endpoint):
		return fmt.Errorf("unknown endpoint %q: want one of %s", o.Endpoint, strings.Join(Endpoints(), ", "))
	case o.Endpoint != "" && !f.strikes(endpoint(o.Endpoint)):
		return fmt.Errorf("it cannot strike %s", o.Endpoint)
	case o.After < 0 || o.Times < 0 || o.Every < 0 || o.Size < 0 || o.Delay < 0 && f.name != "clock-skew":
		return fmt.Errorf("negative option")
	case !(o.Probability >= 0 && o.Probability <= 1):
		return fmt.Errorf("probability %v: want 0 to 1", o.Probability)
	}
	if o.Every == 0 {
		o.Every = max(f.defaults.Every, 1)
	}
	if o.Delay == 0 {
		o.Delay = f.defaults.Delay
	}
	if o.Size == 0 {
		o.Size = f.defaults.Size
	}
	if o.Value == "" {
		o.Value = f.defaults.Value
	}
	return nil
}

// clear switches one fault off, or all when the name is empty.
func (s *faultSet) clear(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := len(s.on)
	s.on = slices.DeleteFunc(s.on, func(a *armedFault) bool { return name == "" || a.name == name })
	return len(s.on) < before
}

// match counts a request and returns the faults that strike it.
func (s *faultSet) match(at endpoint) activeFaults {
	s.mu.Lock()
	defer s.mu.Unlock()
	var active activeFaults
	for _, a := range s.on {
		o := &a.options
		if at == "" || !a.strikes(at) || o.Endpoint != "" && o.Endpoint != string(at) {
			continue
		}
		a.seen++
		if a.seen <= o.After || o.Times > 0 && a.struck >= o.Times {
			continue
		}
		if d := newDice(s.seed+uint64(a.order), forFault, uint64(a.seen)); o.Probability > 0 && d.unit() >= o.Probability {
			continue
		}
		a.struck++
		active = append(active, activeFault{a.fault, *o})
	}
	return active
}

// activeFaults are the faults that strike one request. Its methods run the
// hooks of a stage.
type activeFaults []activeFault

type activeFault struct {
	*fault
	options FaultOptions
}

func (a activeFaults) none() bool { return len(a) == 0 }

func (a activeFaults) names() []string {
	var names []string
	for i := range a {
		names = append(names, a[i].name)
	}
	return names
}

func (a activeFaults) skipsAuth() bool {
	return slices.ContainsFunc(a, func(f activeFault) bool { return f.openAuth })
}

func (a activeFaults) answer(x *exchange) bool {
	for i := range a {
		if f := &a[i]; f.fault.answer != nil && f.fault.answer(x, &f.options) {
			return true
		}
	}
	return false
}

func (a activeFaults) query(q *listQuery) {
	for i := range a {
		if f := &a[i]; f.fault.query != nil {
			f.fault.query(q, &f.options)
		}
	}
}

func (a activeFaults) record(list Resource, i int, record []byte) []byte {
	for k := range a {
		if f := &a[k]; f.fault.record != nil && i%f.options.Every == 0 {
			record = f.fault.record(list, i, record, &f.options)
		}
	}
	return record
}

func (a activeFaults) page(q *listQuery, p *listPage) {
	for i := range p.records {
		p.records[i] = a.record(q.list, i, p.records[i])
	}
	for i := range a {
		if f := &a[i]; f.fault.page != nil {
			f.fault.page(q, p, &f.options)
		}
	}
}

func (a activeFaults) body(x *exchange, status int, body []byte) []byte {
	for i := range a {
		if f := &a[i]; f.fault.body != nil {
			body = f.fault.body(x, status, body, &f.options)
		}
	}
	return body
}

func (a activeFaults) header(x *exchange) {
	for i := range a {
		if f := &a[i]; f.fault.header != nil {
			f.fault.header(x, &f.options)
		}
	}
}

func (a activeFaults) write(x *exchange, status int, body []byte) bool {
	for i := range a {
		if f := &a[i]; f.fault.write != nil && f.fault.write(x, status, body, &f.options) {
			return true
		}
	}
	return false
}
