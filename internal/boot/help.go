package boot

import (
	"fmt"
	"strings"
)

// CommandHelp cuts the help of a command, or of those that begin with its words, out of a program's
// usage: the lines that begin with the command, and those that are further indented below. It returns
// the whole usage for the empty name and for names that do not occur.
func CommandHelp(usage, program, name string) string {
	var help strings.Builder
	within := false
	for line := range strings.Lines(usage) {
		command, starts := strings.CutPrefix(line, "  "+program+" ")
		switch {
		case starts:
			within = name != "" && strings.HasPrefix(command, name+" ")
		case !strings.HasPrefix(line, "   "):
			within = false
		}
		if within {
			help.WriteString(line)
		}
	}
	if help.Len() == 0 {
		return usage
	}
	return fmt.Sprintf("Usage:\n%s\nFILE is the configuration. Every setting can also be an environment variable: ASSAY_ and its path in\ncapitals, such as ASSAY_DATABASE_URL. Run %s help for all commands, signals and exit codes.\n", help.String(), program)
}

// UsageError describes an invalid command line. The help itself would push the reason off the screen.
func UsageError(program string, err error) string {
	return fmt.Sprintf("%s: %v\nRun `%s help` for all commands and their flags.\n", program, err, program)
}
