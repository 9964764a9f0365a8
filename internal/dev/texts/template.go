package main

import (
	"os"
	"regexp"
	"strings"
	"unicode"
)

var (
	// markup matches what is between the texts of a template.
	markup = regexp.MustCompile(`(?s)<script.*?</script>|<style.*?</style>|<!--.*?-->|<[^<>]*>`)
	// action matches what the program fills in.
	action = regexp.MustCompile(`(?s){{.*?}}`)
)

// readTemplate returns the texts between the tags of a template of HTML.
func readTemplate(path string) ([]text, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var texts []text
	line := 1
	tags := markup.FindAllString(string(content), -1)
	for i, says := range markup.Split(string(content), -1) {
		leading := says[:len(says)-len(strings.TrimLeftFunc(says, unicode.IsSpace))]
		if shown := action.ReplaceAllString(says, "…"); strings.ContainsFunc(shown, unicode.IsLetter) {
			texts = append(texts, text{line + strings.Count(leading, "\n"), shown})
		}
		line += strings.Count(says, "\n")
		if i < len(tags) {
			line += strings.Count(tags[i], "\n")
		}
	}
	return texts, nil
}
