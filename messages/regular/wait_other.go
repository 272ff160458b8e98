//go:build !unix

package regular

// Flags for opening files. There are no pipes among files on this system, and no flag against links.
const (
	NoWait = 0
	NoLink = 0
)
