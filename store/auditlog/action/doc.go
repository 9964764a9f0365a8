// Package action is the catalog of what the audit log records.
package action
