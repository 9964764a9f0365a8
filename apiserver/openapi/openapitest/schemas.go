package openapitest

import (
	"bytes"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/routers"
	"github.com/google/uuid"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// schemas validates bodies against the schemas of a document. Each schema is compiled once, at
// its first use: kin-openapi compiles it for each body, which took a fifth of the processor time
// of the API's tests.
type schemas struct {
	mu       sync.Mutex // only one goroutine at a time may use the compiler
	compiler *jsonschema.Compiler
}

// documentURL is the name of the document inside the compiler. Nothing is fetched.
const documentURL = "https://api.invalid/openapi.json"

func newSchemas(text string) (*schemas, error) {
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("read document: %w", err)
	}
	closeObjects(document)
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.AssertFormat()
	compiler.RegisterFormat(&jsonschema.Format{Name: "uuid", Validate: textFormat(checkUUID)})
	compiler.RegisterFormat(&jsonschema.Format{Name: "date-time", Validate: textFormat(checkTime)})
	if err := compiler.AddResource(documentURL, document); err != nil {
		return nil, fmt.Errorf("read document: %w", err)
	}
	return &schemas{compiler: compiler}, nil
}

// closeObjects forbids members that schemas do not describe. The document allows them in what the API
// sends, so that later versions may add some, but this version sends only what is described.
func closeObjects(value any) {
	switch value := value.(type) {
	case []any:
		for _, item := range value {
			closeObjects(item)
		}
	case map[string]any:
		_, described := value["properties"].(map[string]any)
		if _, said := value["additionalProperties"]; described && !said && value["type"] != nil {
			value["additionalProperties"] = false
		}
		for _, item := range value {
			closeObjects(item)
		}
	}
}

// validateBody returns what is wrong with a body. The pointer is the JSON pointer to its schema,
// such as "#/components/schemas/Problem".
func (s *schemas) validateBody(pointer string, body []byte) error {
	schema, err := s.compileSchema(pointer)
	if err != nil {
		return err
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("read body: %w", err)
	}
	return schema.Validate(value)
}

// validateText returns what is wrong with the text of a header, which is a number if the schema
// says so.
func (s *schemas) validateText(pointer, text string, of *openapi3.Schema) error {
	schema, err := s.compileSchema(pointer)
	if err != nil {
		return err
	}
	if of.Type.Includes(openapi3.TypeString) {
		return schema.Validate(text)
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		return fmt.Errorf("read %q: %w", text, err)
	}
	return schema.Validate(value)
}

// compileSchema returns the compiled schema, which the compiler caches.
func (s *schemas) compileSchema(pointer string) (*jsonschema.Schema, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.compiler.Compile(documentURL + pointer)
}

// answerPointer returns a pointer to a response.
func answerPointer(route *routers.Route, status int, answer *openapi3.ResponseRef) string {
	if answer.Ref != "" {
		return answer.Ref
	}
	return operationPointer(route) + "/responses/" + strconv.Itoa(status)
}

// requestPointer returns a pointer to the schema of a request's body.
func requestPointer(route *routers.Route, media string) string {
	at := route.Operation.RequestBody.Ref
	if at == "" {
		at = operationPointer(route) + "/requestBody"
	}
	return at + "/content/" + escapeToken(media) + "/schema"
}

func operationPointer(route *routers.Route) string {
	return "#/paths/" + escapeToken(route.Path) + "/" + strings.ToLower(route.Method)
}

// escapeToken escapes a token of a JSON pointer that stands in a URL.
func escapeToken(token string) string {
	return url.PathEscape(strings.NewReplacer("~", "~0", "/", "~1").Replace(token))
}

// isJSON reports whether bodies of the media type are JSON.
func isJSON(media string) bool {
	return media == "application/json" || strings.HasSuffix(media, "+json")
}

// textFormat checks only texts, because a format does not apply to other types.
func textFormat(check func(string) error) func(any) error {
	return func(value any) error {
		if text, ok := value.(string); ok {
			return check(text)
		}
		return nil
	}
}

func checkUUID(text string) error {
	if id, err := uuid.Parse(text); err != nil || id.String() != strings.ToLower(text) {
		return fmt.Errorf("%q is not a UUID in canonical text", text)
	}
	return nil
}

func checkTime(text string) error {
	_, err := time.Parse(time.RFC3339, text)
	return err
}
