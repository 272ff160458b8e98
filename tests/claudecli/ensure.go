package claudecli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"time"

	"github.com/gofrs/flock"
)

const (
	// Version is the Claude Code the tests are written against.
	Version = "2.1.330"
	// Package is its name in the npm registry.
	Package = "@anthropic-ai/claude-code"
)

// ErrNoNPM reports that the pinned Claude Code is not in the cache and that npm is missing to fetch it.
var ErrNoNPM = errors.New("npm is not installed; install Node.js 22 or newer (which brings npm)," +
	" or fetch the cache on a machine that has it and copy .cache/claude here")

// Ensure returns the path of the pinned Claude Code's executable, installing it first when it is not in the cache.
// Output of npm, and what Ensure waits for, is written to progress; nil discards it. Any number of processes may call
// it at once.
func Ensure(ctx context.Context, progress io.Writer) (path string, err error) {
	return EnsureVersion(ctx, Version, progress)
}

// EnsureVersion is [Ensure] for any version. The content of a version in pins.json must equal the content of the
// registry at the time of the pin.
func EnsureVersion(ctx context.Context, version string, progress io.Writer) (path string, err error) {
	if !versionNumber.MatchString(version) {
		return "", fmt.Errorf("%q is not a version of three numbers", version)
	}
	cache, err := cacheDir()
	if err != nil {
		return "", err
	}
	return ensureIn(ctx, cache, version, progress, npmInstall)
}

// versionNumber is a version as the registry and the cache know it.
var versionNumber = regexp.MustCompile(`^\d+\.\d+\.\d+$`)

// installer puts a version of the package under prefix, an empty directory.
type installer func(ctx context.Context, prefix, version string, progress io.Writer) error

// ensureIn is EnsureVersion with the cache directory and the way to install given.
func ensureIn(ctx context.Context, cache, version string, progress io.Writer, install installer) (string, error) {
	if progress == nil {
		progress = io.Discard
	}
	final := filepath.Join(cache, version)
	if path, err := binaryIn(final); err == nil {
		return path, nil
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return "", fmt.Errorf("make cache directory: %w", err)
	}
	unlock, err := lock(ctx, final+".lock", progress)
	if err != nil {
		return "", err
	}
	defer unlock()
	if path, err := binaryIn(final); err == nil {
		return path, nil // another process installed it meanwhile
	}
	return installInto(ctx, final, version, progress, install)
}

// installInto builds the installation beside final, checks it, and renames it
// into place. The caller holds the lock.
func installInto(ctx context.Context, final, version string, progress io.Writer, install installer) (string, error) {
	temporary, err := os.MkdirTemp(filepath.Dir(final), version+".partial-")
	if err != nil {
		return "", fmt.Errorf("make temporary prefix: %w", err)
	}
	defer os.RemoveAll(temporary) // nothing there any more after the rename

	fmt.Fprintf(progress, "fetching %s@%s\n", Package, version)
	if err := install(ctx, temporary, version, progress); err != nil {
		return "", err
	}
	path, err := binaryIn(temporary)
	if err != nil {
		return "", err
	}
	got, err := versionOf(ctx, path)
	if err != nil {
		return "", err
	}
	if got != version {
		return "", fmt.Errorf("installed claude says it is version %q, want %q", got, version)
	}
	if err := os.RemoveAll(final); err != nil {
		return "", fmt.Errorf("remove unusable installation: %w", err)
	}
	if err := os.Rename(temporary, final); err != nil {
		return "", fmt.Errorf("move installation into place: %w", err)
	}
	return binaryIn(final)
}

// lock takes the file lock, saying so when it has to wait for it.
func lock(ctx context.Context, path string, progress io.Writer) (unlock func(), err error) {
	l := flock.New(path)
	ok, err := l.TryLock()
	if err == nil && !ok {
		fmt.Fprintln(progress, "waiting for another installation of claude to finish")
		_, err = l.TryLockContext(ctx, 100*time.Millisecond)
	}
	if err != nil {
		return nil, fmt.Errorf("lock claude cache: %w", err)
	}
	return func() { _ = l.Close() }, nil
}

// npmInstall is the real installer. npm checks its downloads against the registry, and the pins detect a registry that
// has changed. npm runs with the caller's environment, so with the caller's registry and proxy, but with a home of its
// own: its cache, its logs and the output of the package's install script are deleted.
func npmInstall(ctx context.Context, prefix, version string, progress io.Writer) error {
	npm, err := exec.LookPath("npm")
	if err != nil {
		return fmt.Errorf("fetch %s@%s: %w", Package, version, ErrNoNPM)
	}
	home, err := os.MkdirTemp("", "betcode-npm-")
	if err != nil {
		return fmt.Errorf("make temporary home for npm: %w", err)
	}
	defer os.RemoveAll(home)

	if prefix, err = filepath.EvalSymlinks(prefix); err != nil { // npm records paths as they really are
		return fmt.Errorf("find npm prefix: %w", err)
	}
	cmd := exec.CommandContext(ctx, npm, "install", "--prefix", prefix,
		"--no-audit", "--no-fund", "--no-update-notifier", "--ignore-scripts=false", "--save-exact",
		Package+"@"+version)
	cmd.Dir = prefix
	cmd.Env = NPMEnv(home)
	cmd.Stdout, cmd.Stderr = progress, progress
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("npm install %s@%s (is the npm registry reachable?): %w", Package, version, err)
	}
	return checkIntegrity(prefix, version)
}

// NPMEnv is the environment in which npm is run: the caller's, with another home,
// which should be temporary, but with the registry that the caller's .npmrc names.
func NPMEnv(home string) []string {
	env := append(os.Environ(), "HOME="+home)
	if user, err := os.UserHomeDir(); err == nil && os.Getenv("NPM_CONFIG_USERCONFIG")+os.Getenv("npm_config_userconfig") == "" {
		env = append(env, "NPM_CONFIG_USERCONFIG="+filepath.Join(user, ".npmrc"))
	}
	return env
}
