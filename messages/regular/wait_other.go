//go:build !unix

package regular

// Flags for opening files. This system has no named pipes among files, and no flag against links.
const (
	NoWait = 0
	NoLink = 0
)
