package docs

import (
	_ "embed"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"
)

// goSamples are the calls of all operations in Go, which client/go writes.
//
//go:embed samples.json
var goSamples []byte

func readSamples() (samples map[string]string, err error) {
	return samples, json.Unmarshal(goSamples, &samples)
}

// sampleView is how an operation is called in a language.
type sampleView struct{ Language, Name, Text string }

// listSamples writes the calls of an operation. body is an example of its body, inGo the call in Go, which operations
// without a client have not.
func listSamples(o *operationView, body jsontext.Value, inGo string) []sampleView {
	list := []sampleView{{"curl", "curl", writeCurl(o, body)}}
	if inGo == "" {
		return list
	}
	return append(list, sampleView{"ts", "TypeScript", writeTypeScript(o, body)}, sampleView{"go", "Go", inGo}, sampleView{"python", "Python", writePython(o, body)})
}

// places are the variable parts of a path.
var places = regexp.MustCompile(`\{(\w+)\}`)

// writeCurl writes a call with curl. $ASSAY is the API's address, $KEY an API key.
func writeCurl(o *operationView, body jsontext.Value) string {
	address := places.ReplaceAllStringFunc(o.Path, func(place string) string { return "$" + strings.ToUpper(snakeCase(strings.Trim(place, "{}"))) })
	lines := []string{`curl "$ASSAY` + address + `"`}
	if o.Method != http.MethodGet {
		lines[0] = "curl -X " + o.Method + ` "$ASSAY` + address + `"`
	}
	if o.TakesKey {
		lines = append(lines, `-H "Authorization: Bearer $KEY"`)
	}
	switch {
	case o.Body == nil || !o.Body.Sent:
	case o.Body.MediaType == "multipart/form-data":
		lines = append(lines, "-F file=@statement.csv")
	case body == nil || o.Body.MediaType != "application/json":
		lines = append(lines, `-H "Content-Type: `+o.Body.MediaType+`"`, "--data-binary @file")
	default:
		lines = append(lines, `-H "Content-Type: application/json"`, "-d '"+strings.ReplaceAll(indentJSON(body), "'", `'\''`)+"'")
	}
	return strings.Join(lines, " \\\n  ")
}

// isList reports whether the clients iterate over the pages of an operation.
func isList(o *operationView) bool {
	return slices.ContainsFunc(o.Parameters, func(p memberView) bool { return p.Name == "cursor" })
}

// writeTypeScript writes a call with @assay/client.
func writeTypeScript(o *operationView, body jsontext.Value) string {
	if o.ID == streamOperation {
		return "for await (const change of assay.changes()) {\n  console.log(change);\n}"
	}
	var options []string
	if found := places.FindAllStringSubmatch(o.Path, -1); found != nil {
		var names []string
		for _, f := range found {
			names = append(names, f[1])
		}
		options = append(options, "path: { "+strings.Join(names, ", ")+" }")
	}
	before := ""
	switch {
	case o.Body == nil || !o.Body.Sent:
	case o.Body.MediaType == "multipart/form-data":
		before = "const body = new FormData();\nbody.set(\"file\", new Blob([await readFile(\"statement.csv\")]), \"statement.csv\");\n"
		options = append(options, "body")
	case body == nil || o.Body.MediaType != "application/json":
		before = "const body = await readFile(\"file\", \"utf8\");\n"
		options = append(options, "body")
	default:
		options = append(options, "body: "+indentJSON(body))
	}
	if isList(o) {
		options = append(options, "query: { limit: 100 }")
		return "for await (const item of assay.list(\"" + o.Path + "\", { " + strings.Join(options, ", ") + " })) {\n  console.log(item);\n}"
	}
	arguments := `"` + o.Path + `"`
	if len(options) > 0 {
		arguments += ", { " + strings.Join(options, ", ") + " }"
	}
	return before + "const answer = await assay." + strings.ToLower(o.Method) + "(" + arguments + ");"
}

// writePython writes a call with the Python package.
func writePython(o *operationView, body jsontext.Value) string {
	if o.ID == streamOperation {
		return "for change in client.changes():\n    print(change)"
	}
	var arguments []string
	for _, f := range places.FindAllStringSubmatch(o.Path, -1) {
		arguments = append(arguments, snakeCase(f[1]))
	}
	switch {
	case o.Body == nil || !o.Body.Sent:
	case o.Body.MediaType == "multipart/form-data":
		arguments = append(arguments, `Upload(open("statement.csv", "rb").read(), "statement.csv")`)
	case body == nil || o.Body.MediaType != "application/json":
		arguments = append(arguments, `open("file").read()`)
	default:
		arguments = append(arguments, writeLiteral(body))
	}
	name := snakeCase(o.ID)
	if isList(o) {
		return "for item in client.all_" + strings.TrimPrefix(name, "list_") + "(" + strings.Join(append(arguments, "limit=100"), ", ") + "):\n    print(item)"
	}
	call := "client." + name + "(" + strings.Join(arguments, ", ") + ")"
	if slices.ContainsFunc(o.Answers, func(a answerView) bool { return a.Status == "204" }) {
		return call
	}
	return "answer = " + call
}

// streamOperation is the operation that the clients offer as an iteration over changes.
const streamOperation = "streamChanges"

// pythonWords are JSON's words in Python.
var pythonWords = regexp.MustCompile(`("(?:[^"\\]|\\.)*")|\b(true|false|null)\b`)

// writeLiteral writes JSON as Python does.
func writeLiteral(body jsontext.Value) string {
	words := map[string]string{"true": "True", "false": "False", "null": "None"}
	return pythonWords.ReplaceAllStringFunc(indentJSON(body), func(part string) string {
		if word, ok := words[part]; ok {
			return word
		}
		return part
	})
}

// snakeCase writes a name as Python does.
func snakeCase(name string) string {
	var out strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 {
			out.WriteByte('_')
		}
		out.WriteRune(unicode.ToLower(r))
	}
	return out.String()
}
