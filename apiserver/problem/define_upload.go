package problem

// StatusChecksumMismatch is the tus protocol's own status.
const StatusChecksumMismatch = 460

// uploadDefinitions are about resumable uploads.
var uploadDefinitions = map[Code]definition{
	ChecksumMismatch: {
		status: StatusChecksumMismatch, title: "Checksum mismatch",
		detail: "The bytes do not have the checksum that came with them. None of them was kept.",
		guide: Guide{
			Meaning:  "Something between the client and assay has changed the bytes, or the client computed the checksum of others. The upload stands where it stood before.",
			Causes:   []string{"A proxy or a bad line has changed or cut the body.", "The checksum is that of the whole file instead of this request's bytes."},
			Remedies: []string{"Send the same bytes again, from the offset that HEAD tells."},
			Retry:    RetryMended,
		},
	},
}
