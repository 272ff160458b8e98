package pythonenv

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"
)

// ErrUnavailable reports that this machine has no Python that can run the example, or cannot reach
// the package registry. A download that the pins do not list is another error.
var ErrUnavailable = errors.New("no Python environment")

// Ensure returns the path of a python in which the packages of the requirements file are installed.
// Ensure creates the environment below cache if it does not exist. Any number of processes may call
// Ensure at once.
func Ensure(ctx context.Context, cache, requirements string) (python string, err error) {
	system, err := exec.LookPath("python3")
	if err != nil {
		return "", fmt.Errorf("%w: python3 is not installed", ErrUnavailable)
	}
	key, err := keyOf(ctx, system, requirements)
	if err != nil {
		return "", err
	}
	final := filepath.Join(cache, key)
	if python, ok := pythonIn(final); ok {
		return python, nil
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return "", fmt.Errorf("make cache directory: %w", err)
	}
	lock := flock.New(final + ".lock")
	if err := lock.Lock(); err != nil {
		return "", fmt.Errorf("lock python cache: %w", err)
	}
	defer func() { _ = lock.Close() }()
	if python, ok := pythonIn(final); ok { // another process was faster
		return python, nil
	}
	return install(ctx, system, final, requirements)
}

// keyOf names an environment: the interpreter and the requirements decide what is in it.
func keyOf(ctx context.Context, python, requirements string) (string, error) {
	content, err := os.ReadFile(requirements)
	if err != nil {
		return "", fmt.Errorf("read requirements: %w", err)
	}
	about, err := exec.CommandContext(ctx, python, "-c", "import sys; print(sys.version, sys.platform, sys.base_prefix)").Output()
	if err != nil {
		return "", fmt.Errorf("%w: %s does not run: %w", ErrUnavailable, python, err)
	}
	sum := sha256.Sum256(append(about, content...))
	return hex.EncodeToString(sum[:8]), nil
}

// pythonIn returns the python of an environment, if it is there.
func pythonIn(environment string) (string, bool) {
	python := filepath.Join(environment, "bin", "python")
	info, err := os.Stat(python)
	return python, err == nil && info.Mode().IsRegular()
}

// install creates the environment beside final and renames it into place. The caller holds the
// lock.
func install(ctx context.Context, system, final, requirements string) (string, error) {
	temporary, err := os.MkdirTemp(filepath.Dir(final), "partial-")
	if err != nil {
		return "", fmt.Errorf("make temporary environment: %w", err)
	}
	defer os.RemoveAll(temporary)

	if output, err := command(ctx, system, "-m", "venv", temporary); err != nil {
		return "", fmt.Errorf("%w: python3 -m venv: %w\n%s", ErrUnavailable, err, output)
	}
	python, _ := pythonIn(temporary)
	output, err := command(ctx, python, "-m", "pip", "install", "--quiet", "--no-cache-dir", "--disable-pip-version-check",
		"--retries", "2", "--require-hashes", "--only-binary", ":all:", "-r", requirements)
	switch {
	case err != nil && strings.Contains(output, "DO NOT MATCH THE HASHES"):
		return "", fmt.Errorf("pip install: %w\n%s", err, output)
	case err != nil:
		return "", fmt.Errorf("%w: pip install (is the package registry reachable?): %w\n%s", ErrUnavailable, err, output)
	}
	if err := os.RemoveAll(final); err != nil {
		return "", fmt.Errorf("remove unusable environment: %w", err)
	}
	if err := os.Rename(temporary, final); err != nil {
		return "", fmt.Errorf("move environment into place: %w", err)
	}
	python, _ = pythonIn(final)
	return python, nil
}

// command runs a program and returns its output.
func command(ctx context.Context, name string, args ...string) (string, error) {
	var output bytes.Buffer
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Stdout, cmd.Stderr = &output, &output
	err := cmd.Run()
	return output.String(), err
}
