package assay

import (
	"bytes"
	"cmp"
	"io"
	"mime/multipart"
)

// Upload is an export of a trading platform. Fields that are empty are not sent.
type Upload struct {
	File io.Reader // CSV, XLSX, HTML, a Flex query in XML, or a ZIP archive of statements of one platform
	Name string    // of the file; statement by default

	AccountLogin   string // used if the file names no account
	Currency       string // of the account (ISO 4217), used if the file names none
	DateOrder      string // dmy or mdy: which number of a date such as 03/04/2026 is the day
	Decimal        string // a point or a comma: the decimal mark
	InitialBalance string // of the account, with a decimal point, such as 50000.00
	Platform       string // such as mt5, used if the file does not show it
	Timezone       string // of times without one: an IANA name, an offset such as +02:00, ny_close or eet; UTC by default
}

// encode returns the upload as a form. It is read whole, so that it can be sent again. Its parts are in
// the same order each time, because the server recognizes a repetition by them.
func (u Upload) encode() (contentType string, body []byte, err error) {
	var text bytes.Buffer
	form := multipart.NewWriter(&text)
	file, err := form.CreateFormFile("file", cmp.Or(u.Name, "statement"))
	if err != nil {
		return "", nil, err
	}
	if _, err := io.Copy(file, u.File); err != nil {
		return "", nil, err
	}
	for _, field := range []struct{ name, value string }{
		{"account_login", u.AccountLogin},
		{"currency", u.Currency},
		{"date_order", u.DateOrder},
		{"decimal", u.Decimal},
		{"initial_balance", u.InitialBalance},
		{"platform", u.Platform},
		{"timezone", u.Timezone},
	} {
		if field.value == "" {
			continue
		}
		if err := form.WriteField(field.name, field.value); err != nil {
			return "", nil, err
		}
	}
	if err := form.Close(); err != nil {
		return "", nil, err
	}
	return form.FormDataContentType(), text.Bytes(), nil
}
