package rekey

import (
	"fmt"
	"strings"

	"github.com/google/uuid"

	"github.com/assayhq/assay/store/idempotency"
	"github.com/assayhq/assay/store/seal"
)

// sealedColumn is a column with sealed values. All of them are bound to table, column, organization
// and row.
type sealedColumn struct {
	table, column string
	// key is the table's primary key.
	key []keyColumn
	// row returns the binding's row for the primary key as text. If it is nil, the key is an id,
	// which is the row.
	row func(key []string) (uuid.UUID, error)
}

// keyColumn is a column of a primary key.
type keyColumn struct{ name, typ string }

// sealedColumns lists all columns with sealed values, for apiserver rekey. A table that is missing
// loses its secrets when a key is dropped from the keyring. Each table must have a column
// organization_id.
func sealedColumns() []sealedColumn {
	id := []keyColumn{{"id", "uuid"}}
	return []sealedColumn{
		{table: "integrations", column: "api_key", key: id},
		{table: "webhook_endpoints", column: "secret", key: id},
		{table: "webhook_endpoints", column: "previous_secret", key: id},
		{table: "webhook_endpoints", column: "headers", key: id},
		{table: "suppression_keys", column: "key", key: []keyColumn{{"organization_id", "uuid"}}},
		{table: "idempotency_keys", column: "body", key: []keyColumn{{"key_id", "uuid"}, {"slot", "bytea"}}, row: idempotency.ParseSealedRow},
	}
}

// qualifiedName returns the column with its table.
func (c sealedColumn) qualifiedName() string { return c.table + "." + c.column }

// bindingOf returns the binding that ties a value to the row with the primary
// key.
func (c sealedColumn) bindingOf(key []string, organizationID uuid.UUID) (seal.Binding, error) {
	row := func(key []string) (uuid.UUID, error) { return uuid.Parse(key[0]) }
	if c.row != nil {
		row = c.row
	}
	id, err := row(key)
	if err != nil {
		return seal.Binding{}, fmt.Errorf("primary key %s of %s: %w", strings.Join(key, ", "), c.table, err)
	}
	return seal.Binding{Table: c.table, Column: c.column, Row: id, Organization: organizationID}, nil
}

// joinKey joins the results of format for each column of the primary key.
func (c sealedColumn) joinKey(format func(i int, k keyColumn) string) string {
	parts := make([]string, len(c.key))
	for i, k := range c.key {
		parts[i] = format(i, k)
	}
	return strings.Join(parts, ", ")
}
