//go:build !unix

package paths

import "errors"

func mkfifo(string) error { return errors.ErrUnsupported }
