//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package boltfile

import "os"

func unlock(*os.File) error { return nil }
