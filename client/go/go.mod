module github.com/assayhq/assay/client/go

go 1.26.0
