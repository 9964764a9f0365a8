package page

import (
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"sync"

	"github.com/assayhq/assay/apiserver/coding"
	"github.com/assayhq/assay/apiserver/problem"
)

// versionParameter is the query parameter of an asset's address that holds its version, so that
// an address always stands for the same content. It is optional and may have any value.
const versionParameter = "v"

// Assets holds files that pages load, by their names without folders.
type Assets map[string]asset

// asset is a file that pages load.
type asset struct {
	version string               // empty if its name changes with its content
	plain   func() (Page, error) // read each time, because few clients do without compression
	zipped  func() (Page, error) // created on the first request
}

// LoadAssets returns all files in the folders of files, which stay the same while the process runs. hashed means that the names of the files
// contain their hashes.
func LoadAssets(files fs.FS, hashed bool, folders ...string) (Assets, error) {
	assets := make(Assets)
	for _, folder := range folders {
		entries, err := fs.ReadDir(files, folder)
		if err != nil {
			return nil, err
		}
		for _, entry := range entries {
			if entry.IsDir() {
				continue
			}
			if assets[entry.Name()], err = newAsset(files, path.Join(folder, entry.Name()), hashed); err != nil {
				return nil, err
			}
		}
	}
	return assets, nil
}

func newAsset(files fs.FS, name string, hashed bool) (asset, error) {
	var media string
	switch path.Ext(name) { // independent of the machine's own table of types
	case ".js":
		media = "text/javascript; charset=utf-8"
	case ".css":
		media = "text/css; charset=utf-8"
	case ".svg":
		media = "image/svg+xml"
	default:
		return asset{}, fmt.Errorf("%s is of an unknown type", name)
	}
	content, err := fs.ReadFile(files, name)
	if err != nil {
		return asset{}, err
	}
	tag := etagOf(content)
	a := asset{version: strings.Trim(tag, `"`)[:12]}
	cache := CacheHour
	if hashed {
		cache, a.version = CacheForever, ""
	}
	a.plain = func() (Page, error) {
		body, err := fs.ReadFile(files, name)
		return Page{body: body, media: media, policy: "default-src 'none'", cache: cache, etag: tag}, err
	}
	a.zipped = sync.OnceValues(func() (Page, error) {
		p, err := a.plain()
		if err != nil {
			return Page{}, err
		}
		return compressPage(p), nil
	})
	return a, nil
}

// compressPage compresses a page. Its entity tag differs, because its bytes do.
func compressPage(p Page) Page {
	p.body, p.coding, p.etag = coding.GzipBest(p.body), "gzip", coding.Tag(p.etag)
	return p
}

// Address returns the asset's path if assets are served below prefix.
func (a Assets) Address(prefix, name string) (string, error) {
	found, ok := a[name]
	if !ok {
		return "", fmt.Errorf("there is no asset %s", name)
	}
	if found.version == "" {
		return prefix + name, nil
	}
	return prefix + name + "?" + versionParameter + "=" + found.version, nil
}

// Serve answers a request for the asset with that name. It returns a problem not_found if there
// is none.
func (a Assets) Serve(w http.ResponseWriter, r *http.Request, name string) error {
	found, ok := a[name]
	if !ok {
		return problem.New(problem.NotFound, "")
	}
	w.Header().Set("Vary", "Accept-Encoding")
	form := found.plain
	if coding.AcceptsGzip(r.Header) {
		form = found.zipped
	}
	served, err := form()
	if err != nil {
		return err
	}
	if found.version != "" && r.URL.RawQuery == versionParameter+"="+found.version {
		served.cache = CacheForever
	}
	return served.Serve(w, r)
}
