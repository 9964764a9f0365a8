package activityfile

import "io"

func openWorkbook(r io.ReaderAt, size int64) (source, error) {
	return nil, refuse(NotUnderstood, "No table of trades was found.")
}
