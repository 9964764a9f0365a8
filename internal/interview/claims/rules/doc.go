// Package rules holds the words of each topic: the phrases that name it, those of which one must stand beside them,
// those that deny it, and those that make a clause one about something else. Package extract applies them.
package rules
