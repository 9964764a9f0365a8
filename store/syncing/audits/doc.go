// Package audits stores the audits of integrations, which compare everything that a platform shows
// with what is stored. They have nothing to do with the audit log.
package audits
