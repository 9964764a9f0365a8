package assay

import (
	"bytes"
	"io"
	"mime/multipart"
)

// Upload is an export of a trading platform. The strings may be empty.
type Upload struct {
	File io.Reader // CSV, XLSX, HTML, or a ZIP archive of them
	Name string    // of the file

	AccountLogin, Currency, DateOrder, Decimal, InitialBalance, Platform, Timezone string
}

// encode returns the upload as a form. It is read whole, so that it can be sent again.
func (u Upload) encode() (contentType string, body []byte, err error) {
	var text bytes.Buffer
	form := multipart.NewWriter(&text)
	file, err := form.CreateFormFile("file", u.Name)
	if err != nil {
		return "", nil, err
	}
	if _, err := io.Copy(file, u.File); err != nil {
		return "", nil, err
	}
	for name, value := range map[string]string{
		"account_login": u.AccountLogin, "currency": u.Currency, "date_order": u.DateOrder, "decimal": u.Decimal,
		"initial_balance": u.InitialBalance, "platform": u.Platform, "timezone": u.Timezone,
	} {
		if value == "" {
			continue
		}
		if err := form.WriteField(name, value); err != nil {
			return "", nil, err
		}
	}
	if err := form.Close(); err != nil {
		return "", nil, err
	}
	return form.FormDataContentType(), text.Bytes(), nil
}
