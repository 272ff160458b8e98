//go:build !linux

package doctor

import "betcode/config"

// filesystemOf knows no filesystems of this system.
func filesystemOf(string) (name string, volatile bool) { return "", false }

// kernel has nothing to offer here that the daemon uses.
func kernel(string, int) Kernel { return Kernel{} }

// service finds no systemd here.
func service(string, config.Environment, string) Service { return Service{} }
