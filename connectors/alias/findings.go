package alias

import "github.com/assayhq/assay/connectors/record"

// findings counts broken rules of one page. The zero value is empty.
type findings struct {
	list []record.Finding
}

// Add counts one occurrence of the rule. sample is the id of the record that shows
// it, or empty if the finding is about the page.
func (f *findings) Add(resource record.Resource, rule, sample string) {
	entry := f.findEntry(resource, rule)
	entry.Count++
	if sample != "" && len(entry.Samples) < record.MaxSamples {
		entry.Samples = append(entry.Samples, sample)
	}
}

func (f *findings) findEntry(resource record.Resource, rule string) *record.Finding {
	for i := range f.list {
		if f.list[i].Rule == rule && f.list[i].Resource == resource {
			return &f.list[i]
		}
	}
	f.list = append(f.list, record.Finding{Rule: rule, Resource: resource})
	return &f.list[len(f.list)-1]
}

// List returns the findings in the order in which they first occurred.
func (f *findings) List() []record.Finding { return f.list }
