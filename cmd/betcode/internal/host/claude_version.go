package host

import (
	"context"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"betcode/cmd/betcode/internal/agentprogram"
	"betcode/config"
)

const versionRetry = time.Minute // how long to wait after a failure

// claudeVersion caches the version of the agent's executable. It runs the executable on the first request, and again when
// the file has changed. An executable that does not answer has no version.
type claudeVersion struct {
	program string
	ask     func(path string) (string, error)

	last atomic.Pointer[answeredVersion] // the last result of get
	busy atomic.Bool                     // a lookup for latest is running

	mu      sync.Mutex
	of      agentprogram.File
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

func newClaudeVersion(program string, environment config.AgentEnvironment) *claudeVersion {
	return &claudeVersion{program: program, ask: func(path string) (string, error) {
		return agentprogram.Version(context.Background(), path, environment.Inherited(os.Environ()))
	}}
}

// get returns the version, empty if it is not known. It may run the executable and wait for it.
func (c *claudeVersion) get() string {
	version := c.look()
	c.last.Store(&answeredVersion{version, time.Now()})
	return version
}

func (c *claudeVersion) look() string {
	now, err := agentprogram.Find(c.program)
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case err != nil:
		c.of, c.version = agentprogram.File{}, ""
		return ""
	case now == c.of && (c.version != "" || time.Since(c.failed) < versionRetry):
		return c.version
	}
	version, err := c.ask(now.Path)
	c.of, c.version, c.failed = now, version, time.Time{}
	if err != nil {
		c.version, c.failed = "", time.Now()
	}
	return c.version
}
