package rekey

// SealedColumns lists the columns with sealed values.
func SealedColumns() (names []string) {
	for _, c := range sealedColumns() {
		names = append(names, c.qualifiedName())
	}
	return names
}
