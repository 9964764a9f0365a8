package docs

import (
	"bytes"
	"compress/gzip"
	"embed"
	"fmt"
	"net/http"
	"path"
	"strings"
	"sync"

	"github.com/gorilla/mux"

	"github.com/assayhq/assay/apiserver/problem"
)

// AssetVariable is the path variable that names a file of the reference.
const AssetVariable = "asset"

// AssetsPath is where the files of the reference lie.
const AssetsPath = "/docs/"

// versionParameter of an asset's address holds its version, so that an address
// stands for one content for ever. It is not needed: whatever its value, the
// asset is served.
const versionParameter = "v"

//go:embed assets/*.* assets/swagger-ui/*.js assets/swagger-ui/*.css
var assetFiles embed.FS

// asset is a file of the reference.
type asset struct {
	plain   page
	version string
	zipped  func() page // made when it is first asked for
}

// loadAssets reads the files by their names without folders.
func loadAssets() (map[string]asset, error) {
	assets := make(map[string]asset)
	for _, folder := range []string{"assets", "assets/swagger-ui"} {
		entries, err := assetFiles.ReadDir(folder)
		if err != nil {
			return nil, err
		}
		for _, entry := range entries {
			if entry.IsDir() {
				continue
			}
			body, err := assetFiles.ReadFile(path.Join(folder, entry.Name()))
			if err != nil {
				return nil, err
			}
			if assets[entry.Name()], err = newAsset(entry.Name(), body); err != nil {
				return nil, err
			}
		}
	}
	return assets, nil
}

func newAsset(name string, body []byte) (asset, error) {
	var media string
	switch path.Ext(name) { // not from the machine's own table of types
	case ".js":
		media = "text/javascript; charset=utf-8"
	case ".css":
		media = "text/css; charset=utf-8"
	case ".svg":
		media = "image/svg+xml"
	default:
		return asset{}, fmt.Errorf("%s is of an unknown type", name)
	}
	plain := page{body: body, media: media, policy: "default-src 'none'", cache: cachePage, etag: etagOf(body)}
	return asset{
		plain: plain, version: strings.Trim(plain.etag, `"`)[:12],
		zipped: sync.OnceValue(func() page { return zip(plain) }),
	}, nil
}

// zip compresses a page. The entity tag differs, because the bytes do.
func zip(p page) page {
	var text bytes.Buffer
	w, _ := gzip.NewWriterLevel(&text, gzip.BestCompression) // fails for unknown levels only
	_, _ = w.Write(p.body)                                   // a buffer takes everything
	_ = w.Close()
	p.body, p.coding, p.etag = text.Bytes(), "gzip", strings.TrimSuffix(p.etag, `"`)+`-gzip"`
	return p
}

// address is where the asset is served.
func (a asset) address(name string) string {
	return AssetsPath + name + "?" + versionParameter + "=" + a.version
}

// Asset answers GET /docs/{asset}.
func (p *Pages) Asset(w http.ResponseWriter, r *http.Request) error {
	a, ok := p.assets[mux.Vars(r)[AssetVariable]]
	if !ok {
		return problem.New(problem.NotFound, "")
	}
	w.Header().Set("Vary", "Accept-Encoding")
	served := a.plain
	if acceptsGzip(r.Header) {
		served = a.zipped()
	}
	if r.URL.Query().Get(versionParameter) == a.version {
		served.cache = cacheAsset
	}
	return served.serve(w, r)
}
