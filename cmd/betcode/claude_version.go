package main

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

// How long the agent's executable may take to say its version, and how long one that
// did not is left alone.
const (
	versionPatience = 15 * time.Second
	versionAgain    = time.Minute
)

// claudeVersion knows the version of the agent's executable. It is asked once, when
// somebody wants to know, and again when the executable is another: by its path, size
// and time, behind symbolic links. An agent that does not answer has no version.
type claudeVersion struct {
	program string
	ask     func(path string) (string, error)

	last atomic.Pointer[answeredVersion] // what get returned last
	busy atomic.Bool                     // it is being looked at for latest

	mu      sync.Mutex
	of      executable
	version string
	failed  time.Time // when it did not answer, the last time
}

// answeredVersion is a version and when it was found.
type answeredVersion struct {
	version string
	at      time.Time
}

// latest returns the version that was found last, without waiting, and has it
// looked at again.
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

// asked is when the version that latest returns was found.
func (c *claudeVersion) asked() time.Time {
	if last := c.last.Load(); last != nil {
		return last.at
	}
	return time.Time{}
}

// executable is what a program is recognised by.
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

// get returns the version, empty if it is not known. It may run the program.
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
	case now == c.of && (c.version != "" || time.Since(c.failed) < versionAgain):
		return c.version
	}
	version, err := c.ask(now.path)
	c.of, c.version, c.failed = now, version, time.Time{}
	if err != nil {
		c.version, c.failed = "", time.Now()
	}
	return c.version
}

// identify finds a program as a shell would.
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

// packagedVersion reads the version of a script of the agent's npm package, which
// takes seconds to say it on a busy machine; empty for any other program.
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
