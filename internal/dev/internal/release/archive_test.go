package release_test

import (
	"testing"

	"github.com/assayhq/assay/internal/dev/internal/release"
)

func TestPublishLinks(t *testing.T) {
	t.Parallel()
	const commit = "https://github.com/assayhq/assay/blob/1a2b/"
	tests := []struct{ name, document, text, want string }{
		{"a packed file", "docs/guides/install.md", "[Restore](restore.md#back-up)", "[Restore](restore.md#back-up)"},
		{"a packed folder", "docs/guides/production.md", "[configs](../../configs)", "[configs](../../configs)"},
		{"a picture", "README.md", "![A report](docs/images/report.png)", "![A report](docs/images/report.png)"},
		{"a file of the sources", "README.md", "[contributing](CONTRIBUTING.md) · [rules](contracttest/CASES.md)", "[contributing](" + commit + "CONTRIBUTING.md) · [rules](" + commit + "contracttest/CASES.md)"},
		{"a heading in it", "docs/guides/install.md", "[policy](../deprecation.md#how-to-notice)", "[policy](" + commit + "docs/deprecation.md#how-to-notice)"},
		{"a folder of the sources", "docs/guides/operations.md", "[image](../../configs/docker)", "[image](" + commit + "configs/docker)"},
		{"another site", "README.md", "[site](https://example.com/a.md), [mail](mailto:a@b.example)", "[site](https://example.com/a.md), [mail](mailto:a@b.example)"},
		{"a heading of its own", "README.md", "[start](#start)", "[start](#start)"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			v := release.Version{Name: "0.1.0", Revision: "1a2b"}
			if got := v.PublishLinks(test.document, test.text, release.IsPacked); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
	t.Run("sources outside of a repository", func(t *testing.T) {
		t.Parallel()
		v := release.Version{Name: "0.1.0", Revision: "unknown"}
		if got, want := v.PublishLinks("README.md", "[c](CONTRIBUTING.md)", release.IsPacked), "[c](https://github.com/assayhq/assay/blob/v0.1.0/CONTRIBUTING.md)"; got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	})
}
