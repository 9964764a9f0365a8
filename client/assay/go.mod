module github.com/assayhq/assay/client/assay

go 1.26.0

require (
	github.com/assayhq/assay/client/go v0.0.0
	github.com/spf13/cobra v1.10.2
	github.com/spf13/pflag v1.0.9
	golang.org/x/term v0.47.0
)

require (
	github.com/inconshreveable/mousetrap v1.1.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
)

replace github.com/assayhq/assay/client/go => ../go
