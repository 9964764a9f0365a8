// Package connectortest holds what the tests of all connectors need: a platform
// that answers by a script, the text of records, and checks that every report and
// every page must pass.
package connectortest
