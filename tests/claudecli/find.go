package claudecli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Minimum is the oldest Claude Code that [Find] accepts. Older ones may work;
// they were never measured.
const Minimum = Version

// ErrNotFound reports that no directory has an executable named claude.
var ErrNotFound = errors.New("no claude found")

// Find returns the first suitable claude of a PATH-like list of directories and its version. If all
// are unsuitable the error has the reason for each; if there is none the error is [ErrNotFound].
func Find(ctx context.Context, pathList string) (path, version string, err error) {
	var passedOver []error
	for _, dir := range filepath.SplitList(pathList) {
		candidate := filepath.Join(dir, "claude")
		if !filepath.IsAbs(candidate) || !isExecutable(candidate) {
			continue // a relative entry would run a file of the working directory
		}
		version, err := versionOf(ctx, candidate)
		switch {
		case err != nil:
			passedOver = append(passedOver, err)
		case older(version, Minimum):
			passedOver = append(passedOver, fmt.Errorf("%s is version %s, need %s or newer", candidate, version, Minimum))
		default:
			return candidate, version, nil
		}
	}
	if passedOver == nil {
		return "", "", ErrNotFound
	}
	return "", "", errors.Join(passedOver...)
}

func isExecutable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

// older compares two versions of three numbers, which [versionLine] guarantees.
func older(a, b string) bool {
	x, y := strings.Split(a, "."), strings.Split(b, ".")
	for i := range min(len(x), len(y)) {
		m, _ := strconv.Atoi(x[i])
		n, _ := strconv.Atoi(y[i])
		if m != n {
			return m < n
		}
	}
	return len(x) < len(y)
}
