package response

import (
	"mime"
	"net/http"
)

// BeginDownload begins a response with a file that browsers save under the name.
func BeginDownload(w http.ResponseWriter, media, name string) {
	header := w.Header()
	header.Set("Content-Type", media)
	header.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name}))
	w.WriteHeader(http.StatusOK)
}
