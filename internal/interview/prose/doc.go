// Package prose asks a language model, over the protocol of OpenAI's chat
// completions, what a transcript says: for a draft of a summary, and for claims
// that rules may have missed.
//
// The transcript is what a stranger has said and may try to instruct the model,
// and the model may make things up. So nothing that comes back is believed: a
// claim counts only where its words stand in one segment and the rules read the
// same number in them, verdicts and arithmetic stay with package claims, and a
// draft stands apart from everything else, marked as what it is. What can't be
// used costs the report nothing.
package prose
