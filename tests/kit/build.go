package kit

import (
	"context"
	"fmt"
	"os/exec"
)

// Build builds a program of this checkout.
func Build(ctx context.Context, at, pkg string) error {
	build := exec.CommandContext(ctx, "go", "build", "-o", at, pkg)
	build.Dir = Repository()
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build %s: %w\n%s", pkg, err, out)
	}
	return nil
}
