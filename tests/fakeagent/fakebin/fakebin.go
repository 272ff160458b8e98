// Package fakebin builds the fake agent for tests of other packages.
package fakebin

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Build compiles the fake agent into dir under the name claude and returns its
// path. Call it once per test binary, in TestMain; with a warm build cache it
// takes about half a second.
func Build(dir string) (path string, err error) {
	path, err = filepath.Abs(filepath.Join(dir, "claude"))
	if err != nil {
		return "", fmt.Errorf("build fake agent: %w", err)
	}
	cmd := exec.Command("go", "build", "-o", path, "betcode/tests/fakeagent")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build fake agent: %w\n%s", err, out)
	}
	return path, nil
}
