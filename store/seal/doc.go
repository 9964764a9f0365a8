// Package seal protects secrets: in memory and in logs (Secret), and in the database (Keyring).
//
// A sealed value is encrypted with AES-256-GCM under its own random key, which in turn is encrypted
// under the primary key of a keyring file. Both encryptions are bound to the place where the value
// is stored (Binding), so that a sealed value that is copied to another row, column or organization
// cannot be opened there.
//
// A keyring file holds several keys, one of which is primary: it seals. The others still open what
// they sealed earlier, until Rewrap has moved it to the primary key.
package seal
