package main

import (
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"github.com/spf13/cobra"
)

// show prints a value as JSON, if the user asks for it, or else as lines of tab-separated cells.
func show(c *cobra.Command, value any, lines ...[]any) error {
	if wantsJSON(c) {
		return printJSON(c.OutOrStdout(), value)
	}
	return printTable(c.OutOrStdout(), lines)
}

// showList prints as many items as the flag for the limit says; 0 means all. It says if there are more,
// unless the user has set the limit.
func showList[T any](c *cobra.Command, items iter.Seq2[T, error], header []any, row func(T) []any) error {
	limit, _ := c.Flags().GetUint("limit") // the flag exists
	list, lines := []T{}, [][]any{header}
	given, more := c.Flags().Changed("limit"), false
	for item, err := range items {
		if err != nil {
			return err
		}
		if more = !given && limit > 0 && uint(len(list)) == limit; more {
			break
		}
		list, lines = append(list, item), append(lines, row(item))
		if given && uint(len(list)) == limit {
			break
		}
	}
	if len(list) == 0 && !wantsJSON(c) {
		fmt.Fprintln(c.ErrOrStderr(), "There are none.")
		return nil
	}
	err := show(c, list, lines...)
	if more && err == nil {
		fmt.Fprintf(c.ErrOrStderr(), "These are the first %d. Show all with --limit 0.\n", limit)
	}
	return err
}

func wantsJSON(c *cobra.Command) bool {
	want, _ := c.Flags().GetBool("json") // the flag exists
	return want
}

func printJSON(w io.Writer, value any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(value)
}

func printTable(w io.Writer, lines [][]any) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, line := range lines {
		cells := make([]string, len(line))
		for i, value := range line {
			cells[i] = format(value)
		}
		fmt.Fprintln(table, strings.Join(cells, "\t"))
	}
	return table.Flush()
}

// format returns a value as a cell: a dash if it is missing, and nothing that moves the cursor.
func format(value any) string {
	var text string
	switch v := value.(type) {
	case *string:
		if v != nil {
			text = *v
		}
	case *time.Time:
		if v != nil {
			text = format(*v)
		}
	case time.Time:
		text = v.Local().Format("2006-01-02 15:04:05")
	default:
		text = fmt.Sprint(v)
	}
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text)
	if text == "" {
		return "-"
	}
	return text
}
