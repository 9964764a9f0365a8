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
const consentVersion = "2026-11-26"

// consentWords is what a trader agrees to, in paragraphs. The verbs stand for the firm, what is
// recorded, the number of days that it is kept, and why it is lawful.
const consentWords = `%[1]s asks you to answer questions about your trading, and to let it %[2]s while you do so. You are free to decline. Nothing is recorded then, and you can ask %[1]s for another way to answer.

What is stored: your answers, a transcript and captions made from them by a program, and events on this page while it is open, for example that you left it or that a device stopped. Your clipboard is not read, your keystrokes are not logged, your screen is not captured, and only a shortened form of your IP address is kept.

How it is used: a program compares what you say with your trades and lists observations for a reviewer. It does not judge your face, your voice or your feelings, makes no template of them, and does not identify you by them. A person at %[1]s reviews your answers and decides. You will be told the outcome and can contest it.

How long it is kept: recordings are deleted after %[3]d days, and what was written about them after at most twice that time. You can ask %[1]s for a copy, a correction or deletion, and you can withdraw this consent. What was recorded before then remains lawful.

Why it is lawful: %[4]s`

// defaultBasis is used if no reason for lawful recording is set.
const defaultBasis = "your consent, which you give with this page."

// consentText returns the text that the interview's trader is asked to agree to.
func (h *Handler) consentText(o answering.OpenedInvite) string {
	return fmt.Sprintf(consentWords, o.OrganizationName, describeRecording(o.Interview.AnswerModes), o.Interview.RetentionDays, h.lawfulBasis(o.Settings, defaultBasis))
}

// lawfulBasis returns why recording is lawful: the organization's reason, otherwise the
// configured one, or otherwise if both are empty.
func (h *Handler) lawfulBasis(s access.Settings, otherwise string) string {
	if s.LawfulBasis != nil && *s.LawfulBasis != "" {
		return *s.LawfulBasis
	}
	if h.LawfulBasis != "" {
		return h.LawfulBasis
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
