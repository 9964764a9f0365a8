package decode

import "github.com/assayhq/assay/apiserver/problem"

// Faults collects the invalid values of a request.
type Faults struct{ list []problem.Fault }

// At notes a fault of the value at the pointer.
func (f *Faults) At(at problem.Pointer, code problem.FaultCode, detail string) {
	f.add(problem.Fault{Pointer: at.String(), Code: code, Detail: detail})
}

// Parameter notes a fault of the query parameter.
func (f *Faults) Parameter(name string, code problem.FaultCode, detail string) {
	f.add(problem.Fault{Parameter: name, Code: code, Detail: detail})
}

// Header notes a fault of the header.
func (f *Faults) Header(name string, code problem.FaultCode, detail string) {
	f.add(problem.Fault{Header: name, Code: code, Detail: detail})
}

// add keeps no more faults than a document shows, because a body may have very many.
func (f *Faults) add(fault problem.Fault) {
	if len(f.list) < problem.MaxFaults {
		f.list = append(f.list, fault)
	}
}

// Err returns a 422 problem with the faults noted so far, or nil if there are none. Use HeaderErr
// for faults of headers.
func (f *Faults) Err() error {
	if len(f.list) == 0 {
		return nil
	}
	return problem.Validation(f.list...)
}

// HeaderErr returns a 400 problem with the faults noted so far, or nil if there are none.
func (f *Faults) HeaderErr() error {
	if len(f.list) == 0 {
		return nil
	}
	return problem.BadHeaders(f.list...)
}
