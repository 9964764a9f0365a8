// Package seal keeps secrets secret: in memory and in logs (Secret), and in the
// database (Keyring).
//
// A sealed value is encrypted with AES-256-GCM under a random key of its own,
// which in turn is encrypted under the primary key of a keyring file. Both
// encryptions are bound to the place that the value is stored in (Binding), so
// that a sealed value that is copied to another row, column or organization
// can't be opened there.
//
// A keyring file holds several keys, of which one is primary: it seals. The
// others still open what they sealed earlier, until Rewrap has moved it to the
// primary.
package seal
