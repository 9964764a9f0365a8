// Package fetch reads customers' platforms over HTTPS: one guarded GET with
// retries, limits on time and memory, an address guard and a request budget
// for each integration. The connectors build on it; they bring paths and
// decoders, and see no transport.
//
// # Retries
//
// The loop is go-retryablehttp's, with every decision taken here, because five
// of that library's defaults would hurt a service that polls many platforms:
//
//   - Its Retry-After is not bounded, and overflows for large numbers. See retryAfter.
//   - When a request fails for good it closes the idle connections of the whole
//     http.Client, so one dead platform would cost every other one its
//     keep-alive. Each call therefore brings its own http.Client whose
//     RoundTripper has no CloseIdleConnections; the pool below is shared.
//   - Once the headers are in, it considers a request done. Here the body is read
//     and decoded in the response handler, inside the loop, so that a body that
//     breaks off, drips or does not parse is asked for again.
//   - An error handler has to close the last body itself.
//   - With a logger it prints URLs. It gets none: this package logs nothing.
//
// # Time
//
// An attempt has 20 seconds from the dial to the last byte. The clock stands
// still while an attempt waits for memory, and does not run while it waits for
// its budget, because neither is the platform's doing.
//
// # Memory
//
// A body may take 512 KiB. One that turns out larger waits for the client's
// only large-body token before it reads on, and may then reach 32 MiB; while
// its buffer grows, old and new buffer exist together, 48 MiB at most. The token
// stays with the Result until Release, since what was decoded from a large body
// is itself large. All bounds count decompressed bytes.
//
// A caller must therefore not wait for one Get while it keeps another Get's
// Result that only it could release. Fetching page n+1 while a different
// goroutine writes page n is fine: that goroutine releases without waiting for
// anyone. A Get that fails has given the token back, and one that waits for it
// gives up when its context ends.
//
// # Protocol
//
// Requests go out as HTTP/1.1. HTTP/2 would let a platform place megabytes per
// stream in our memory before anybody reads them, and gains nothing where at
// most a few requests are under way per platform.
//
// # Addresses
//
// Guard decides which addresses may be dialled. It judges the address that the
// kernel is about to connect to, so a host name that changes its answer between
// check and use gains nothing.
package fetch
