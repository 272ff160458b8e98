package doctor

import "errors"

// freeBytes is not asked for on this system: the daemon runs no agents here.
func freeBytes(string) (int64, error) { return 0, errors.New("not known on Windows") }
