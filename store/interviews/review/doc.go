// Package review is the firm's side of an interview: lists and figures, decisions, assignments, legal
// holds, requests for reports and captions, comments, the trades behind findings, and the activity file.
package review
