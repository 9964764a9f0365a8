// Package openapitest validates the requests and responses of tests against the OpenAPI document.
package openapitest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"

	"github.com/assayhq/assay/apiserver/problem"
)

// Load reads a document.
func Load(text string) (*openapi3.T, error) {
	doc, err := openapi3.NewLoader().LoadFromData([]byte(text))
	if err != nil {
		return nil, fmt.Errorf("read document: %w", err)
	}
	doc.SetStringFormatValidators(formatValidators())
	return doc, nil
}

// Validate checks that a document is valid, including its examples and defaults. It takes seconds
// for the document of the API.
func Validate(ctx context.Context, doc *openapi3.T) error {
	return doc.Validate(ctx,
		openapi3.EnableExamplesValidation(), openapi3.EnableSchemaDefaultsValidation(),
		openapi3.EnableSchemaPatternValidation(), openapi3.EnableMultiError())
}

// formatValidators returns validators for the text formats that the document uses.
func formatValidators() map[string]openapi3.StringFormatValidator {
	return map[string]openapi3.StringFormatValidator{
		"uuid":      openapi3.NewCallbackValidator(checkUUID),
		"date-time": openapi3.NewCallbackValidator(checkTime),
	}
}

// Exchange is a request and its response.
type Exchange struct {
	Request     *http.Request // its body need not be readable any more
	RequestBody []byte
	Status      int
	Header      http.Header
	Body        []byte
}

// Checker validates exchanges against a document and remembers which of the document's responses
// have occurred. It is safe for concurrent use.
type Checker struct {
	doc     *openapi3.T
	router  routers.Router
	schemas *schemas
	mu      sync.Mutex
	met     map[answer]bool
}

// answer identifies a status of an operation.
type answer struct{ operation, status string }

// mediaEvents is the type of server-sent events.
const mediaEvents = "text/event-stream"

// New returns a checker for the document, regardless of where it is served.
func New(text string) (*Checker, error) {
	for _, media := range []string{"text/vtt", "text/html", "application/zip", "application/xml", mediaEvents} { // a schema cannot describe files
		openapi3filter.RegisterBodyDecoder(media, openapi3filter.FileBodyDecoder)
	}
	doc, err := Load(text)
	if err != nil {
		return nil, err
	}
	doc.Servers = nil
	router, err := gorillamux.NewRouter(doc)
	if err != nil {
		return nil, fmt.Errorf("route by the document: %w", err)
	}
	schemas, err := newSchemas(text)
	if err != nil {
		return nil, err
	}
	return &Checker{doc: doc, router: router, schemas: schemas, met: make(map[answer]bool)}, nil
}

// Check returns what is wrong with an exchange. A response must be documented: its status, its
// headers and its body. A request must match the document if the API has accepted it. If the API
// has refused it, the document need not describe it. What the document does not describe at all,
// such as a path, a method, or a body of an operation that takes none, may be answered with any
// problem.
func (c *Checker) Check(ctx context.Context, e Exchange) error {
	route, variables, err := c.findOperation(e.Request)
	if err != nil {
		return c.checkUndocumented(e)
	}
	input := &openapi3filter.RequestValidationInput{
		Request: e.Request.Clone(ctx), PathParams: variables, Route: route,
		Options: &openapi3filter.Options{
			AuthenticationFunc: openapi3filter.NoopAuthenticationFunc, IncludeResponseStatus: true, SkipSettingDefaults: true,
			SchemaValidationOptions: []openapi3.SchemaValidationOption{openapi3.WithStringFormatValidators(formatValidators())},
		},
	}
	if e.Status < http.StatusBadRequest {
		input.Request.URL.RawQuery = withoutEmptyFilters(input.Request.URL.RawQuery, route.Operation)
		if err := c.checkRequest(ctx, input, e); err != nil {
			return fmt.Errorf("the request is not valid by the document, and was answered %d: %w", e.Status, err)
		}
	}
	return c.checkAnswer(route, e)
}

// findOperation returns the operation of a request. HEAD is not documented separately from GET.
func (c *Checker) findOperation(r *http.Request) (*routers.Route, map[string]string, error) {
	if r.Method == http.MethodHead {
		r = r.Clone(r.Context())
		r.Method = http.MethodGet
	}
	return c.router.FindRoute(r)
}

// checkUndocumented checks the response to a request that the document does not describe: it must
// say that there is no such thing.
func (c *Checker) checkUndocumented(e Exchange) error {
	switch e.Status {
	case http.StatusUnauthorized, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusRequestEntityTooLarge,
		http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusServiceUnavailable:
	default:
		return fmt.Errorf("the document has no such operation, and it was answered %d", e.Status)
	}
	if e.Status == http.StatusMethodNotAllowed && e.Header.Get("Allow") == "" {
		return errors.New("the answer 405 does not tell the methods that there are")
	}
	return c.checkProblem(e)
}

// checkProblem checks a refusal that is not documented itself.
func (c *Checker) checkProblem(e Exchange) error {
	if got := e.Header.Get("Content-Type"); got != problem.MediaType {
		return fmt.Errorf("the problem has the media type %q", got)
	}
	if e.Request.Method == http.MethodHead {
		return nil
	}
	return c.schemas.validateBody("#/components/schemas/Problem", e.Body)
}

// checkRequest checks a request that was accepted.
func (c *Checker) checkRequest(ctx context.Context, input *openapi3filter.RequestValidationInput, e Exchange) error {
	options := *input.Options
	checked := *input
	checked.Options = &options
	media := e.Request.Header.Get("Content-Type")
	if body := input.Route.Operation.RequestBody; body != nil && len(e.RequestBody) > 0 && isJSON(media) && body.Value.Content[media] != nil {
		if err := c.schemas.validateBody(requestPointer(input.Route, media), e.RequestBody); err != nil {
			return err
		}
		options.ExcludeRequestBody = true
	}
	checked.Request.Body = io.NopCloser(bytes.NewReader(e.RequestBody))
	return openapi3filter.ValidateRequest(ctx, &checked)
}

// withoutEmptyFilters removes filters without a value from a query: they count as absent, which a
// schema of their values cannot express. A number, such as that of a page, must not be empty.
func withoutEmptyFilters(query string, operation *openapi3.Operation) string {
	var kept []string
	for pair := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		parameter := operation.Parameters.GetByInAndName(openapi3.ParameterInQuery, name)
		if value != "" || parameter == nil || parameter.Schema.Value.Type.Is(openapi3.TypeInteger) {
			kept = append(kept, pair)
		}
	}
	return strings.Join(kept, "&")
}

// checkAnswer checks an answer of an operation.
func (c *Checker) checkAnswer(route *routers.Route, e Exchange) error {
	operation := route.Operation
	documented := operation.Responses.Status(e.Status)
	if documented == nil && len(e.RequestBody) > 0 && operation.RequestBody == nil && e.Status >= http.StatusBadRequest && e.Status < http.StatusInternalServerError {
		return c.checkProblem(e) // clients that follow the document never send that
	}
	if documented == nil {
		return fmt.Errorf("the document does not know the answer %d of %s: %s", e.Status, operation.OperationID, e.Body)
	}
	c.noteAnswer(operation.OperationID, e.Status)
	if err := c.checkHeaders(route, documented, e); err != nil {
		return fmt.Errorf("answer %d of %s: %w", e.Status, operation.OperationID, err)
	}
	if len(documented.Value.Content) == 0 && (len(e.Body) > 0 || e.Header.Get("Content-Type") != "") {
		return fmt.Errorf("answer %d of %s: the document knows no body: %s", e.Status, operation.OperationID, e.Body)
	}
	if e.Header.Get("Content-Type") == mediaEvents && documented.Value.Content[mediaEvents] == nil {
		return nil // described only in words, because client generators would otherwise produce two types of responses
	}
	if err := c.checkBody(route, documented, e); err != nil {
		return fmt.Errorf("answer %d of %s is not what the document says: %w\n%s", e.Status, operation.OperationID, err, e.Body)
	}
	return nil
}

// checkBody checks the media type of a response's body, and the body itself if it is JSON.
func (c *Checker) checkBody(route *routers.Route, documented *openapi3.ResponseRef, e Exchange) error {
	if len(documented.Value.Content) == 0 {
		return nil
	}
	media := e.Header.Get("Content-Type")
	if documented.Value.Content.Get(media) == nil {
		return fmt.Errorf("the document does not know the media type %q", media)
	}
	if e.Request.Method == http.MethodHead || !isJSON(media) {
		return nil
	}
	return c.schemas.validateBody(answerPointer(route, e.Status, documented)+"/content/"+escapeToken(media)+"/schema", e.Body)
}

// ordinary are headers that any server's response may have.
var ordinary = []string{"Connection", "Content-Encoding", "Content-Length", "Content-Type", "Date", "Vary"}

// hardening are security headers that all responses have and API clients ignore.
var hardening = []string{"Cache-Control", "Strict-Transport-Security", "X-Content-Type-Options", "Referrer-Policy", "Content-Security-Policy"}

// checkHeaders reports headers that are undocumented, missing, or do not match their schemas.
func (c *Checker) checkHeaders(route *routers.Route, documented *openapi3.ResponseRef, e Exchange) error {
	known := slices.Concat(ordinary, hardening)
	for name, header := range documented.Value.Headers {
		values := e.Header.Values(name)
		known = append(known, http.CanonicalHeaderKey(name))
		if header.Value.Required && len(values) == 0 {
			return fmt.Errorf("the header %s is missing", name)
		}
		pointer := header.Ref
		if pointer == "" {
			pointer = answerPointer(route, e.Status, documented) + "/headers/" + escapeToken(name)
		}
		for _, value := range values {
			if err := c.schemas.validateText(pointer+"/schema", value, header.Value.Schema.Value); err != nil {
				return fmt.Errorf("the header %s: %w", name, err)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(e.Header)) {
		if !slices.Contains(known, name) {
			return fmt.Errorf("the document does not know the header %s", name)
		}
	}
	return nil
}

func (c *Checker) noteAnswer(operation string, status int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.met[answer{operation, fmt.Sprint(status)}] = true
}

// Idle reports whether no exchange has been checked.
func (c *Checker) Idle() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.met) == 0
}

// Unmet lists the documented responses that have not occurred in any exchange, as "operationId
// status", in order.
func (c *Checker) Unmet() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var list []string
	for _, item := range c.doc.Paths.Map() {
		for _, operation := range item.Operations() {
			for status := range operation.Responses.Map() {
				if !c.met[answer{operation.OperationID, status}] {
					list = append(list, operation.OperationID+" "+status)
				}
			}
		}
	}
	slices.Sort(list)
	return list
}
