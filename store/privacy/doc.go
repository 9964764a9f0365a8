// Package privacy is for what spans several resources because the law asks for it: exporting and
// erasing a trader, deleting an interview, and deleting what has been kept for as long as it may be.
package privacy
