// Package words cuts the text of a segment into words, and reads what words and short phrases mean by themselves:
// numbers with their units, hours of the day, timezones, instruments and denials. It knows the words of English
// that hold sentences together, such as pronouns and auxiliaries, but neither clauses nor topics.
package words
