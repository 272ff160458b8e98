//go:build !linux

package launch

// seen knows nothing: on this system a daemon can only be asked.
func seen(int) (background, bool) { return background{}, false }

func inService(int) bool { return false }

// InUnit reports whether a process is in the control group of a unit of systemd, which there is not.
func InUnit(int, string) bool { return false }
