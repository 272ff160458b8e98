//go:build !linux

package machine

// Available is how many bytes of memory new processes of this one can use without swapping, 0 if it cannot be told.
func Available() int64 { return 0 }
