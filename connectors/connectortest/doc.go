// Package connectortest is what the tests of all connectors need: a platform
// that answers by a script, the text of records, and what must hold for every
// report and every page.
package connectortest
