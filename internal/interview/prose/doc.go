// Package prose asks a language model, over the protocol of OpenAI's chat
// completions, what a transcript says: for a draft of a summary, and for claims
// that rules may have missed.
//
// The transcript is what a stranger has said and may try to instruct the model, and
// the model may make things up. So its answer is not trusted: a claim counts only
// if its words are in one segment and the rules read the same number in them,
// verdicts and arithmetic stay with package claims, and a draft is kept apart from
// everything else and marked as a draft. An answer that can't be used does no harm
// to the report.
package prose
