//go:build !linux

package cli

import "github.com/rogpeppe/go-internal/testscript"

// terminal is for scripts on Linux: they ask '[linux]' first.
func terminal(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Fatalf("terminals of tests are for Linux")
}
