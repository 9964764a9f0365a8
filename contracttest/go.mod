module github.com/assayhq/assay/contracttest

go 1.26.0
