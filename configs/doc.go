// Package configs reads the configuration of syncd and apiserver.
//
// There is one schema, and both processes accept the whole of it; sample.yaml
// shows every key with its default. A configuration comes from a YAML file,
// from the environment, or from both:
//
//   - Every key has a variable: ASSAY_ and the key's path in capitals, with
//     underscores for dots, such as ASSAY_DATABASE_MAX_CONNECTIONS for
//     database.max_connections. Lists are separated by commas. A variable wins
//     over the file; an empty variable puts the key back to its default, as a
//     null in the file does.
//   - The file never contains secrets. They are read from the files that the
//     ..._file keys name, or from the environment, such as ASSAY_SPEECH_API_KEY
//     for speech.api_key_file. A connection URL may be in the file as long as
//     it has no password. direct_url and replica_url take user and
//     password from database.url unless they name a user themselves.
//   - Relative paths are relative to the working directory of the process.
//
// Reading is strict. An unknown key, a value out of range, a duplicate key, an
// anchor or alias, and an unknown ASSAY_ variable that starts like a known
// section are all faults. All of them are reported at once, with file, line,
// column and the choices that there are. Two groups of variables are left
// alone: ASSAY_TEST_..., which `make test` sets for the tests, and
// names whose first word is no section, such as those that Kubernetes makes
// for a Service called assay.
//
// # Exit codes
//
// Every program of assay ends with ExitOK, ExitFailed or ExitUsage.
package configs

//go:generate go run ./reference
