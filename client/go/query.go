package assay

import (
	"fmt"
	"net/url"
	"reflect"
	"strings"
	"time"
)

// encodeQuery returns the query parameters of a generated struct: pointers with the name of the
// parameter in their tag.
func encodeQuery(params any) url.Values {
	query := url.Values{}
	v := reflect.ValueOf(params)
	if !v.IsValid() || v.IsNil() {
		return query
	}
	v = v.Elem()
	for i := range v.NumField() {
		field := v.Field(i)
		if field.IsNil() {
			continue
		}
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("form"), ",")
		switch value := field.Elem().Interface().(type) {
		case time.Time:
			query.Set(name, value.UTC().Format(time.RFC3339Nano))
		default:
			query.Set(name, fmt.Sprint(value))
		}
	}
	return query
}
