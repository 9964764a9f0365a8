package problem

import "net/http"

// fileDefinitions are about files that are uploaded.
var fileDefinitions = map[Code]definition{
	InvalidForm: {
		status: http.StatusBadRequest, title: "Invalid form",
		detail: "The body is not the multipart/form-data that its Content-Type announces.",
		guide: Guide{
			Meaning: "The body could not be taken apart into the parts of a form. Nothing of it was kept.",
			Causes: []string{
				"The header `Content-Type` was written by hand and has no boundary, or another one than the body.",
				"The upload broke off before the last part had ended.",
				"A part is encoded, for instance in Base64.",
			},
			Remedies: []string{"Let the client's library make both, the body and its header: `curl -F file=@statement.csv`, or FormData in a browser without a `Content-Type` of your own."},
			Retry:    RetryNever,
		},
		example: Problem{Detail: "The form ends before its last part does."},
	},
	FileTooLarge: {
		status: http.StatusRequestEntityTooLarge, title: "File too large",
		detail: "The file is too large. The limits are 64 MiB for CSV and HTML, 32 MiB for XLSX and 1,000,000 rows.",
		guide: Guide{
			Meaning:  "The file has more bytes, unpacked bytes, rows, columns or sheets than are taken. Nothing of it was kept.",
			Causes:   []string{"The export covers more time than is needed.", "A workbook holds sheets that have nothing to do with the trades."},
			Remedies: []string{"Export a shorter time. Files of one account add up: trades that two of them hold count once."},
			Retry:    RetryNever,
		},
	},
	UnsupportedFileType: {
		status: http.StatusUnsupportedMediaType, title: "Unsupported file type",
		detail: "The file is not CSV, XLSX or HTML. Save it as one of them.",
		guide: Guide{
			Meaning:  "By its content, whatever its name, the file is of a type that is not read. Nothing of it was kept.",
			Causes:   []string{"It is a report in PDF, a workbook of the old XLS form, or one with a password.", "It is an archive, and the statement lies in it."},
			Remedies: []string{"Open the file in a spreadsheet program and save it as XLSX or CSV, or choose CSV, XLSX or HTML when you export it."},
			Retry:    RetryNever,
		},
	},
	FileNotUnderstood: {
		status: http.StatusUnprocessableEntity, title: "File not understood",
		detail: "No table of trades that can be read without guessing was found in the file.",
		guide: Guide{
			Meaning: "A wrong import looks plausible, so what is not certain is refused. The `detail` says what was seen and what was expected. Nothing of the file was kept.",
			Causes: []string{
				"A column that is needed is missing or has a name that is not known: symbol, side, open time, and volume or result.",
				"The numbers do not tell whether a comma is a decimal mark.",
				"The file holds a summary or orders instead of trades.",
			},
			Remedies: []string{"Send the file again with the part that `errors` names, such as `decimal`.", "Export the history of closed positions, with a line of column names."},
			Retry:    RetryNever,
		},
		example: Problem{Detail: "The numbers have a comma that may be a decimal mark or part thousands. Send the file again with the part decimal."},
	},
	AmbiguousDates: {
		status: http.StatusUnprocessableEntity, title: "Ambiguous dates",
		detail: "The dates in the file are ambiguous: the day and month cannot be told apart. Send the file again with date_order set to dmy or mdy.",
		guide: Guide{
			Meaning:  "All dates could be read in two ways, as 03/04/2026 can. Nothing of the file was kept.",
			Causes:   []string{"The file covers the first twelve days of months only."},
			Remedies: []string{"Send the file again with `date_order` set to `dmy` or `mdy`.", "Export a longer time: one date with a day above twelve decides for all."},
			Retry:    RetryNever,
		},
	},
}
