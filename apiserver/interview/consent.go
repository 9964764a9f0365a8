package interview

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/assayhq/assay/store/access"
	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/store/interviews/answering"
)

// consentVersion must change with the words below.
const consentVersion = "2026-11"

// consentWords is what a trader agrees to, in paragraphs. The verbs stand for the firm, what is
// recorded, the number of days that it is kept, and why it is lawful.
const consentWords = `%[1]s asks you to answer questions about your trading, and to let it %[2]s while you do so. You are free to decline: nothing is recorded then, and you can ask %[1]s for another way to answer.

What is kept: your answers as you give them, a transcript and captions that a program makes of them, and what this page notices while it is open, such as that it was left or that a device stopped. Nothing is read from your clipboard, no key is logged, your screen is not captured, and your internet address is kept shortened.

What is done with it: a program compares what you say with the record of your trades and lists observations for a reviewer. It judges neither your face nor your voice nor your feelings, makes no template of them, and does not identify you by them. A person at %[1]s reads, listens and decides. You are told the outcome and can contest it.

How long: recordings are deleted after %[3]d days, what was written of them after twice that time at most. You may ask %[1]s for a copy, for a correction, or for deletion, and you may withdraw this agreement; what was recorded until then was recorded lawfully.

Why it may be done: %[4]s`

// defaultBasis is used if no reason for lawful recording is set.
const defaultBasis = "your consent, which you give with this page."

// consentText returns the text that the interview's trader is asked to agree to.
func (d *Desk) consentText(o answering.OpenedInvite) string {
	return fmt.Sprintf(consentWords, o.OrganizationName, describeRecording(o.Interview.AnswerModes), o.Interview.RetentionDays, d.lawfulBasis(o.Settings, defaultBasis))
}

// lawfulBasis returns why recording is lawful: the organization's reason, otherwise the
// configured one, or otherwise if both are empty.
func (d *Desk) lawfulBasis(s access.Settings, otherwise string) string {
	if s.LawfulBasis != nil && *s.LawfulBasis != "" {
		return *s.LawfulBasis
	}
	if d.LawfulBasis != "" {
		return d.LawfulBasis
	}
	return otherwise
}

// describeRecording describes what is recorded of answers that may be given in these modes.
func describeRecording(modes []string) string {
	words := map[string]string{
		string(interviews.AnswerVideo): "record picture and sound", string(interviews.AnswerAudio): "record your voice", string(interviews.AnswerText): "keep what you write",
	}
	said := make([]string, len(modes))
	for i, mode := range modes {
		said[i] = words[mode]
	}
	return strings.Join(said, ", or ")
}

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
