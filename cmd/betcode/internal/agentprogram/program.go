// Package agentprogram finds the executable of the agent and its version. It starts no agent, and writes nothing.
package agentprogram

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// patience is how long 'claude --version' may take.
const patience = 15 * time.Second

// InstallCommand installs the agent.
const InstallCommand = "npm install -g @anthropic-ai/claude-code"

// File identifies an executable: by its path behind symbolic links, its size in bytes and its time.
type File struct {
	Path    string
	Size    int64
	Changed time.Time
}

// Find finds a program by its path, or by its name in PATH. The error wraps [exec.ErrNotFound] if there is none.
func Find(program string) (File, error) {
	path, err := exec.LookPath(program)
	if err == nil {
		path, err = filepath.EvalSymlinks(path)
	}
	if err != nil {
		return File{}, fmt.Errorf("find %s: %w", program, err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return File{}, fmt.Errorf("find %s: %w", program, err)
	}
	return File{path, info.Size(), info.ModTime()}, nil
}

// Version returns the version of the executable at a path: that of its npm package, or what it prints. It may run the
// executable, in the given environment, for at most 15 seconds.
func Version(ctx context.Context, path string, environ []string) (string, error) {
	if version := packaged(path); version != "" {
		return version, nil
	}
	return printed(ctx, path, environ)
}

// packaged reads the version of the agent's npm package from its manifest, because the script takes seconds to print it
// on a busy machine; empty for any other program.
func packaged(path string) string {
	if filepath.Base(path) != "cli.js" {
		return ""
	}
	var manifest struct{ Name, Version string }
	text, err := os.ReadFile(filepath.Join(filepath.Dir(path), "package.json"))
	if err != nil || json.Unmarshal(text, &manifest) != nil || manifest.Name != "@anthropic-ai/claude-code" {
		return ""
	}
	return manifest.Version
}

// printed runs `claude --version`, which prints "2.1.330 (Claude Code)".
func printed(ctx context.Context, path string, environ []string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	ask := exec.CommandContext(ctx, path, "--version")
	ask.Env, ask.WaitDelay = environ, time.Second
	out, err := ask.Output()
	if err != nil {
		return "", fmt.Errorf("ask %s for its version: %w", path, err)
	}
	version, _, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	return version, nil
}
