package release

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// chart is the folder of the Helm chart.
const chart = "configs/kubernetes/assay"

// packForAll packs what is the same on all platforms: the chart, and the clients for JavaScript
// and Python.
func (b *Builder) packForAll(ctx context.Context) error {
	// As helm package does, but without the time of the packing.
	if err := b.packFolder("assay-"+b.Version.Name+".tgz", filepath.Join(b.Root, filepath.FromSlash(chart)), "assay", b.stampChart); err != nil {
		return fmt.Errorf("chart: %w", err)
	}
	for _, args := range [][]string{
		{"python3", "client/python/build_backend.py", b.Out, b.Version.Name},
		{"node", "client/js/build.mjs", b.Out, b.Version.Name},
	} {
		if _, err := b.Run(ctx, Command{Dir: b.Root, Env: []string{"PYTHONDONTWRITEBYTECODE=1"}, Args: args}); err != nil {
			return fmt.Errorf("%s: %w", args[1], err)
		}
	}
	return b.describePacked()
}

var chartVersion = regexp.MustCompile(`(?m)^(version|appVersion): .*$`)

// stampChart writes the version into the chart's description.
func (b *Builder) stampChart(name string, content []byte) []byte {
	if name != "Chart.yaml" {
		return content
	}
	return chartVersion.ReplaceAll(content, fmt.Appendf(nil, "${1}: %q", b.Version.Name))
}

// component is a part in a bill of materials of CycloneDX.
type component struct {
	Type     string    `json:"type"`
	Ref      string    `json:"bom-ref"`
	Name     string    `json:"name"`
	Version  string    `json:"version"`
	PURL     string    `json:"purl,omitempty"`
	Hashes   []hash    `json:"hashes,omitempty"`
	Licenses []license `json:"licenses"`
}

type hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

type license struct {
	License struct {
		ID string `json:"id"`
	} `json:"license"`
}

// describePacked writes what packForAll has packed in the form of CycloneDX. None of it requires
// anything else.
func (b *Builder) describePacked() error {
	entries, err := os.ReadDir(b.Out) // sorted
	if err != nil {
		return err
	}
	apache := make([]license, 1)
	apache[0].License.ID = "Apache-2.0"
	parts := make([]component, 0, len(entries))
	for _, e := range entries {
		content, err := os.ReadFile(filepath.Join(b.Out, e.Name()))
		if err != nil {
			return err
		}
		c := describeFile(e.Name(), b.Version.Name)
		c.Ref, c.Licenses, c.Hashes = e.Name(), apache, []hash{{"SHA-256", fmt.Sprintf("%x", sha256.Sum256(content))}}
		parts = append(parts, c)
	}
	whole := component{Type: "application", Ref: "assay", Name: "assay", Version: b.Version.Name, Licenses: apache}
	bom, err := json.MarshalIndent(map[string]any{
		"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1, "metadata": map[string]any{"component": whole}, "components": parts,
	}, "", "  ")
	if err != nil {
		return err
	}
	return writeFile(filepath.Join(b.Out, "assay_"+b.Version.Name+".cdx.json"), append(bom, '\n'), 0o644)
}

// describeFile returns what a packed file is to its package manager.
func describeFile(name, version string) component {
	switch {
	case strings.HasPrefix(name, "assay-client-"):
		return component{Type: "library", Name: "@assay/client", Version: version, PURL: "pkg:npm/%40assay/client@" + version}
	case strings.HasSuffix(name, ".tgz"):
		return component{Type: "application", Name: "assay", Version: version, PURL: "pkg:helm/assay@" + version}
	}
	// Python writes versions in a way of its own, such as 0.1.0rc1.
	version = strings.TrimPrefix(strings.TrimSuffix(strings.TrimSuffix(name, ".tar.gz"), "-py3-none-any.whl"), "assay-")
	return component{Type: "library", Name: "assay", Version: version, PURL: "pkg:pypi/assay@" + version + "?file_name=" + name}
}
