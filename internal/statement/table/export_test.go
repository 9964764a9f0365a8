package table

import "github.com/assayhq/assay/internal/statement/words"

// Unfolded lists the words for operations and totals that no folded text can equal.
func Unfolded() []string {
	var all []string
	for word := range operations {
		if words.Fold(word) != word {
			all = append(all, word)
		}
	}
	for word := range totals {
		if words.Fold(word) != word {
			all = append(all, word)
		}
	}
	return all
}
