// Package clients proves the OpenAPI document with the tools that its
// readers use: linters, a client whose types are generated from it, a proxy
// that validates every request and answer, and a browser.
//
// package.json names the tools and their versions, and apiserver/web/install.mjs
// brings them from npm into the user's cache. The tests start apiserver and syncd as
// programs, on a database of their own, and connect them to the reference
// platform. Where Node or a browser is missing they are skipped, but not in CI.
package clients
