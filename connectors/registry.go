package connectors

import (
	"fmt"

	"github.com/assayhq/assay/connectors/record"
)

// Registry holds the connectors that a process knows. It is a value: it has no
// global state and is not changed after NewRegistry.
type Registry struct{ byKind map[record.Kind]Connector }

// NewRegistry returns a registry of the connectors. Two connectors of one kind are
// an error.
func NewRegistry(all ...Connector) (Registry, error) {
	r := Registry{make(map[record.Kind]Connector, len(all))}
	for _, c := range all {
		if _, taken := r.byKind[c.Kind()]; taken {
			return Registry{}, fmt.Errorf("two connectors for kind %q", c.Kind())
		}
		r.byKind[c.Kind()] = c
	}
	return r, nil
}

// Connector returns the connector for the kind. ok is false if there is none.
func (r Registry) Connector(kind record.Kind) (c Connector, ok bool) {
	c, ok = r.byKind[kind]
	return c, ok
}
