package process

import "betcode/messages"

// CheckDirectory refuses a directory on a network filesystem, on which run directories
// do not work reliably.
func CheckDirectory(dir string) error {
	if name := networkFilesystem(dir); name != "" {
		return messages.Errorf("check run directory", messages.WrongState, "%s is on %s", dir, name).
			WithHint("Run directories need pipes, locks and change notices, which network filesystems do not keep reliably: set the state directory to a local disk.")
	}
	return nil
}
