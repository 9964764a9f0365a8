package activityfile

import "io"

func openText(r io.ReaderAt, size int64, head []byte) (source, error) {
	return nil, refuse(NotUnderstood, "No table of trades was found.")
}
