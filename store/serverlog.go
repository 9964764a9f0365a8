package store

import (
	"context"
	"fmt"
)

// logSettings are the server's settings that determine whether its log contains values.
var logSettings = []string{
	"log_statement", "log_min_duration_statement", "log_min_duration_sample", "log_statement_sample_rate", "log_transaction_sample_rate",
	"log_parameter_max_length", "log_parameter_max_length_on_error", "debug_print_plan",
	"auto_explain.log_min_duration", "pgaudit.log", "pgaudit.log_parameter",
}

// LogWarnings returns a warning, with advice, for each server setting that writes values of
// statements, and with them names and emails, to the server's log. It checks the settings in force
// for this connection's user. An empty list means that the log contains no values.
func (db *DB) LogWarnings(ctx context.Context) (warnings []string, err error) {
	defer WrapError(&err, "read the settings of the server's log")
	var list []struct{ Name, Setting string }
	if err := db.Bun.NewRaw(`SELECT name, setting FROM pg_settings WHERE name = ANY (?::text[])`, Array(logSettings)).Scan(ctx, &list); err != nil {
		return nil, err
	}
	settings := make(map[string]string)
	for _, s := range list {
		settings[s.Name] = s.Setting
	}
	return logWarnings(settings), nil
}

// logWarnings checks the settings by name. Settings of extensions that are not loaded are missing.
func logWarnings(s map[string]string) (warnings []string) {
	warn := func(name, advice string) {
		warnings = append(warnings, fmt.Sprintf("the database server logs values: %s = %s; %s", name, s[name], advice))
	}
	if s["log_parameter_max_length"] != "0" {
		const advice = "set log_parameter_max_length = 0"
		if s["log_statement"] == "all" || s["log_statement"] == "mod" {
			warn("log_statement", advice)
		}
		if s["log_min_duration_statement"] != "-1" {
			warn("log_min_duration_statement", advice)
		}
		if s["log_min_duration_sample"] != "-1" && s["log_statement_sample_rate"] != "0" {
			warn("log_min_duration_sample", advice)
		}
		if s["log_transaction_sample_rate"] != "0" {
			warn("log_transaction_sample_rate", advice)
		}
	}
	if s["log_parameter_max_length_on_error"] != "0" {
		warn("log_parameter_max_length_on_error", "set it to 0")
	}
	if s["debug_print_plan"] == "on" {
		warn("debug_print_plan", "set it to off")
	}
	if v, loaded := s["auto_explain.log_min_duration"]; loaded && v != "-1" {
		warn("auto_explain.log_min_duration", "set it to -1: plans hold values")
	}
	if v, loaded := s["pgaudit.log"]; loaded && v != "none" && s["pgaudit.log_parameter"] == "on" {
		warn("pgaudit.log_parameter", "set it to off")
	}
	return warnings
}
