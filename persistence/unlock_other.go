//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package persistence

import "os"

func unlock(*os.File) error { return nil }
