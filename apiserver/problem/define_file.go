package problem

import "net/http"

// fileDefinitions are about files that are uploaded.
var fileDefinitions = map[Code]definition{
	InvalidForm: {
		status: http.StatusBadRequest, title: "Invalid form",
		detail: "The body is not the multipart/form-data that its Content-Type declares.",
		guide: Guide{
			Meaning: "The body could not be read as a form. Nothing of it was kept.",
			Causes: []string{
				"The header `Content-Type` was written by hand and has no boundary, or a different one than the body.",
				"The upload was interrupted before the last part was complete.",
				"A part is encoded, for instance in Base64.",
			},
			Remedies: []string{"Let the client's library create both the body and its header: `curl -F file=@statement.csv`, or FormData in a browser without a `Content-Type` of your own."},
			Retry:    RetryNever,
		},
		example: Problem{Detail: "The form ends before its last part is complete."},
	},
	FileTooLarge: {
		status: http.StatusRequestEntityTooLarge, title: "File too large",
		detail: "The file is too large. The limits are 64 MiB for CSV and HTML, 32 MiB for XLSX and ZIP, and 1,000,000 rows.",
		guide: Guide{
			Meaning:  "The file has more bytes, unpacked bytes, rows, columns or sheets than the limits allow. Nothing of it was kept.",
			Causes:   []string{"The export covers a longer period than is needed.", "A workbook contains sheets that have nothing to do with the trades."},
			Remedies: []string{"Export a shorter period. Files of one account add up, and a trade that is in two of them counts once."},
			Retry:    RetryNever,
		},
	},
	UnsupportedFileType: {
		status: http.StatusUnsupportedMediaType, title: "Unsupported file type",
		detail: "The file is not CSV, XLSX or HTML, nor a ZIP archive of them. Save it as one of them.",
		guide: Guide{
			Meaning:  "The content of the file, whatever its name, is of a type that assay does not read. Nothing of it was kept.",
			Causes:   []string{"It is a report in PDF, a workbook of the old XLS form, or one with a password.", "It is an archive other than ZIP, or XML other than a Flex query of Interactive Brokers."},
			Remedies: []string{"Open the file in a spreadsheet program and save it as XLSX or CSV, or choose CSV, XLSX or HTML when you export it."},
			Retry:    RetryNever,
		},
	},
	FileNotUnderstood: {
		status: http.StatusUnprocessableEntity, title: "File not understood",
		detail: "No table of trades that can be read without guessing was found in the file.",
		guide: Guide{
			Meaning: "A wrong import looks plausible, so assay refuses what is not certain. The `detail` says what was found and what was expected. Nothing of the file was kept.",
			Causes: []string{
				"A required column is missing or has an unknown name: symbol, side, open time, and volume or result.",
				"The numbers do not show whether a comma is a decimal mark.",
				"The file contains a summary or orders instead of trades.",
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
			Causes:   []string{"The file covers only the first twelve days of months."},
			Remedies: []string{"Send the file again with `date_order` set to `dmy` or `mdy`.", "Export a longer period: one date with a day above twelve settles the order for all."},
			Retry:    RetryNever,
		},
	},
}
