package claudecli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"time"
)

// cacheDir is <repository>/.cache/claude. The repository is found upwards from
// the working directory, which for a test is its package's directory.
func cacheDir() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("find repository: %w", err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(dir, ".cache", "claude"), nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("find repository: no go.mod above the working directory")
		}
		dir = parent
	}
}

// binaryIn finds the executable of an installation under an npm prefix.
//
// The package's own bin/claude is a hard link to, or a copy of, the native
// program of an optional package for this platform. The native one is
// preferred, so that the process id is certainly the CLI's own and no wrapper's.
func binaryIn(prefix string) (string, error) {
	modules := filepath.Join(prefix, "node_modules")
	candidates := []string{
		filepath.Join(modules, Package+"-"+platform(), "claude"),
		filepath.Join(modules, Package+"-"+platform()+"-musl", "claude"),
		filepath.Join(modules, ".bin", "claude"),
	}
	for _, candidate := range candidates {
		path, err := filepath.EvalSymlinks(candidate)
		if err != nil {
			continue
		}
		info, err := os.Stat(path)
		if err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return path, nil
		}
	}
	return "", fmt.Errorf("find claude executable in npm prefix: %w", fs.ErrNotExist)
}

// platform is this machine in the words of the npm packages.
func platform() string {
	if runtime.GOARCH == "amd64" {
		return runtime.GOOS + "-x64"
	}
	return runtime.GOOS + "-" + runtime.GOARCH
}

// versionLine is what `claude --version` prints: "2.1.330 (Claude Code)".
var versionLine = regexp.MustCompile(`^(\d+\.\d+\.\d+)\S* \(Claude Code\)`)

// versionOf asks an executable for its version, in a temporary home.
func versionOf(ctx context.Context, path string) (string, error) {
	home, err := os.MkdirTemp("", "betcode-version-")
	if err != nil {
		return "", fmt.Errorf("make temporary home: %w", err)
	}
	defer os.RemoveAll(home)

	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "--version")
	cmd.Env = append(Env(home, ""), "PATH="+os.Getenv("PATH")) // a user's claude may be a script that wants node
	cmd.Dir = home
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("ask %s for its version: %w", path, err)
	}
	match := versionLine.FindSubmatch(out)
	if match == nil {
		return "", fmt.Errorf("ask %s for its version: unexpected answer %.80q", path, out)
	}
	return string(match[1]), nil
}
