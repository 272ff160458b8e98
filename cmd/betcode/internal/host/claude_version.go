package host

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"betcode/config"
)

const (
	versionPatience = 15 * time.Second // how long 'claude --version' may take
	versionRetry    = time.Minute      // how long to wait after a failure
)

// claudeVersion caches the version of the agent's executable. It runs the executable on the first request, and again when
// the file has changed: by path behind symbolic links, size and time. An executable that does not answer has no version.
type claudeVersion struct {
	program string
	ask     func(path string) (string, error)

	last atomic.Pointer[answeredVersion] // the last result of get
	busy atomic.Bool                     // a lookup for latest is running

	mu      sync.Mutex
	of      executable
	version string
	failed  time.Time // last failure; zero if the last lookup succeeded
}

// answeredVersion is a version and the time of its lookup.
type answeredVersion struct {
	version string
	at      time.Time
}

// latest returns the version found last, without waiting, and starts a new lookup.
func (c *claudeVersion) latest() string {
	if c.busy.CompareAndSwap(false, true) {
		go func() {
			defer c.busy.Store(false)
			c.get()
		}()
	}
	if last := c.last.Load(); last != nil {
		return last.version
	}
	return ""
}

// asked returns when the version that latest returns was found.
func (c *claudeVersion) asked() time.Time {
	if last := c.last.Load(); last != nil {
		return last.at
	}
	return time.Time{}
}

// executable identifies a program file.
type executable struct {
	path    string
	size    int64
	changed time.Time
}

func newClaudeVersion(program string, environment config.AgentEnvironment) *claudeVersion {
	return &claudeVersion{program: program, ask: func(path string) (string, error) {
		if version := packagedVersion(path); version != "" {
			return version, nil
		}
		return askVersion(path, environment.Inherited(os.Environ()))
	}}
}

// get returns the version, empty if it is not known. It may run the executable and wait for it.
func (c *claudeVersion) get() string {
	version := c.look()
	c.last.Store(&answeredVersion{version, time.Now()})
	return version
}

func (c *claudeVersion) look() string {
	now, found := identify(c.program)
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case !found:
		c.of, c.version = executable{}, ""
		return ""
	case now == c.of && (c.version != "" || time.Since(c.failed) < versionRetry):
		return c.version
	}
	version, err := c.ask(now.path)
	c.of, c.version, c.failed = now, version, time.Time{}
	if err != nil {
		c.version, c.failed = "", time.Now()
	}
	return c.version
}

// identify finds a program in PATH.
func identify(program string) (executable, bool) {
	path, err := exec.LookPath(program)
	if err == nil {
		path, err = filepath.EvalSymlinks(path)
	}
	if err != nil {
		return executable{}, false
	}
	info, err := os.Stat(path)
	if err != nil {
		return executable{}, false
	}
	return executable{path, info.Size(), info.ModTime()}, true
}

// packagedVersion reads the version of the agent's npm package from its manifest, because the script takes seconds to
// print it on a busy machine; empty for any other program.
func packagedVersion(path string) string {
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

// askVersion runs `claude --version`, which prints "2.1.330 (Claude Code)".
func askVersion(path string, environ []string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), versionPatience)
	defer cancel()
	ask := exec.CommandContext(ctx, path, "--version")
	ask.Env = environ
	out, err := ask.Output()
	if err != nil {
		return "", err
	}
	version, _, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	return version, nil
}
