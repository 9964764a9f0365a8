package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/assayhq/assay/internal/boot"
	"github.com/assayhq/assay/store/rekey"
)

// rekeyDatabase reseals everything that is stored sealed with the keyring's primary key. It
// prints how many values each key seals before and after.
func rekeyDatabase(ctx context.Context, o options, stdout, stderr io.Writer) error {
	config, err := loadConfig(o, "database.url", "keyring_file")
	if err != nil {
		return err
	}
	keyring, err := boot.Keyring(config.KeyringFile)
	if err != nil {
		return err
	}
	db, err := openForCommand(ctx, config, "apiserver rekey", keyring)
	if err != nil {
		return err
	}
	defer db.Close()
	reported := time.Now()
	report, err := rekey.Run(ctx, db, rekey.Options{
		DryRun: o.dryRun,
		Progress: func(done, total int64) {
			if time.Since(reported) >= progressEvery {
				reported = time.Now()
				fmt.Fprintf(stderr, "%d of %d values\n", done, total)
			}
		},
		Failed: func(f rekey.Failure) {
			fmt.Fprintf(stdout, "not re-encrypted: %s of %s, organization %s: %v\n", f.Column, strings.Join(f.Key, " "), f.OrganizationID, f.Err)
		},
	})
	if err != nil {
		return err
	}
	printCounts(stdout, "before", keyring.Primary(), report.Before)
	if o.dryRun {
		fmt.Fprintf(stdout, "%d values would be moved to key %s\n", report.Moved, keyring.Primary())
	} else {
		fmt.Fprintf(stdout, "%d values moved to key %s\n", report.Moved, keyring.Primary())
		printCounts(stdout, "after", keyring.Primary(), report.After)
	}
	if report.Failed > 0 {
		return fmt.Errorf("%d values could not be moved. Add the missing keys to the keyring, or set those credentials again", report.Failed)
	}
	if left := countOtherKeys(keyring.Primary(), report.After); !o.dryRun && left > 0 {
		return fmt.Errorf("%d values were written with another key in the meantime. Make all processes reload the keyring, and run this command again before you remove a key", left)
	}
	return nil
}

// countOtherKeys counts the values sealed with a key other than the primary one.
func countOtherKeys(primary string, counts []rekey.Count) (n int64) {
	for _, c := range counts {
		if c.KeyID != primary {
			n += c.Values
		}
	}
	return n
}

// printCounts prints a line per column and key.
func printCounts(w io.Writer, when, primary string, counts []rekey.Count) {
	for _, c := range counts {
		key := "key " + c.KeyID
		switch c.KeyID {
		case primary:
			key += " (primary)"
		case "":
			key = "no key: not a sealed value"
		}
		fmt.Fprintf(w, "%-6s  %-24s  %8d  %s\n", when, c.Column, c.Values, key)
	}
}
