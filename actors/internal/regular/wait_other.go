//go:build !unix

package regular

// NoWait is a flag for opening files. There are no pipes among files on this system.
const NoWait = 0
