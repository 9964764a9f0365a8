package decode_test

import (
	"testing"

	"github.com/assayhq/assay/apiserver/decode"
)

func TestBlank(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		text string
		want bool
	}{
		{"empty", "", true},
		{"spaces", " \t\n\u00a0\u2003\u3000", true},
		{"control characters", "\x00\x1b\x7f\u0085", true},
		{"zero-width", "\u200b\u200c\u200d\u2060\ufeff", true},
		{"directions", "\u200e\u200f\u202a\u202e\u2066\u2069", true},
		{"soft hyphen", "\u00ad", true},
		{"fillers", "\u115f\u1160\u3164\uffa0", true},
		{"variation selectors", "\ufe0f\U000e0100\u180b", true},
		{"tags", "\U000e0001\U000e0041", true},
		{"blank of Braille", "\u2800", true},
		{"joiner of graphemes", "\u034f", true},
		{"letter", "a", false},
		{"letter among blanks", "\u200b \u4e00\u200b", false},
		{"punctuation", ".", false},
		{"emoji", "❤\ufe0f", false},
		{"combining mark", "\u0301", false},
		{"sign before a number", "\u0600", false},
		{"no UTF-8", "\xff", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := decode.Blank(tt.text); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}
