//go:build !unix

package disk

import "betcode/messages"

// Look is not implemented on this system.
func Look(string) (Space, error) {
	return Space{}, messages.Errorf("look at the disk", messages.Unimplemented, "agents run on Linux and macOS only")
}
