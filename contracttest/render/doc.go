// Package render writes reports of package contracttest in the forms that people
// and machines read: text for a terminal, JSON, JUnit, TAP, Markdown, one HTML
// page that needs no network, and a badge. It uses the standard library only.
package render
