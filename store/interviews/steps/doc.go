// Package steps stores the pipeline of an interview: its steps, their states, and which one becomes
// due when. Package worker claims the steps and writes their results.
package steps
