package statement

import (
	"bytes"
	"context"

	"github.com/assayhq/assay/internal/statement/broker"
	"github.com/assayhq/assay/internal/statement/sheet"
	"github.com/assayhq/assay/internal/statement/table"
)

// Cells gives the texts of all rows of a file that hold anything, by sheet and
// line.
func Cells(content []byte) (map[string]map[int][]string, error) {
	rows, err := sheet.Open(context.Background(), bytes.NewReader(content), int64(len(content)), sheet.Hooks{CountNames: table.CountNames, CheckTitle: checkTitle, Recognize: broker.Recognize})
	if err != nil {
		return nil, err
	}
	all := map[string]map[int][]string{}
	err = rows.Each(context.Background(), func(r *sheet.Row) error {
		if all[r.Sheet] == nil {
			all[r.Sheet] = map[int][]string{}
		}
		for _, c := range r.Cells {
			all[r.Sheet][r.Line] = append(all[r.Sheet][r.Line], c.Text)
		}
		return nil
	})
	return all, err
}
