package config

import (
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The defaults, where they are no paths.
const (
	DefaultLogLevel      = "info"
	DefaultPermissionTTL = 7 * 24 * time.Hour
	DefaultAgentSilence  = 7 * time.Minute // the agent gives up a silent API after 6
	DefaultMaxAgents     = 5
	DefaultLockGrace     = 10 * time.Second

	minPermissionTTL = time.Hour
	maxPermissionTTL = 30 * 24 * time.Hour
)

// LogLevels are the levels a daemon may log at, loudest last.
var LogLevels = []string{"error", "warn", "info", "debug", "trace"}

// Daemon is how a daemon shall run. All paths are absolute.
type Daemon struct {
	StateDir      string        // journal, run directories, lock
	ConfigDir     string        // settings.json
	SocketPath    string        // the Unix socket it serves
	ListenTCP     string        // host:port, empty = no TCP
	LogLevel      string        // one of LogLevels
	LogFile       string        // empty = standard error
	ClaudePath    string        // the agent's executable; empty = found in PATH
	MaxAgents     int           // how many agents may run at once
	PermissionTTL time.Duration // how long a permission request waits for a person
	LockGrace     time.Duration // the input lock is kept that long for who held it before a crash
	AgentSilence  time.Duration // an agent that says nothing that long in the middle of a turn hangs

	ExtendOnActivity bool            // the activity of a client gives a request its whole TTL again
	Reminders        []time.Duration // after which an undecided request is spoken of again: none, one or two
	NotifyExec       []string        // the program started for each reminder, with its arguments; empty = see [ReadNotify]

	Resume        Resume        // what follows when a turn is cut off, as far as the environment says; see [ReadResume]
	ContinueGrace time.Duration // how long a resumed agent may take to go on with its turn by itself

	KeepAgents bool // a signal ends the daemon and not its agents

	Disk Disk

	MemoryLimit int64 // bytes; beyond four fifths of it health says so; 0 = no limit
}

// DaemonFlags are the flags as they were given; empty for one that was not.
type DaemonFlags struct {
	StateDir, ConfigDir, SocketPath, ListenTCP string
	LogLevel, LogFile, ClaudePath              string
	MaxAgents, PermissionTTL                   string
	PermissionExtend, PermissionReminders      string
	NotifyExec                                 string
	KeepAgents                                 bool
}

// ResolveDaemon decides each value and checks it.
func ResolveDaemon(f DaemonFlags, e Environment) (Daemon, error) {
	var d Daemon
	var err error
	if d.ConfigDir, err = e.configDir(f.ConfigDir); err != nil {
		return d, err
	}
	if d.StateDir, err = e.stateDir(f.StateDir); err != nil {
		return d, err
	}
	if d.SocketPath, err = e.socketPath(f.SocketPath, f.ConfigDir); err != nil {
		return d, err
	}
	if err := e.checkSocket(d.SocketPath); err != nil {
		return d, err
	}
	if d.LogFile, err = e.absolute(e.first(f.LogFile, "BETCODE_LOG_FILE", "")); err != nil {
		return d, err
	}
	d.ClaudePath = e.first(f.ClaudePath, "BETCODE_CLAUDE", "")
	if strings.ContainsAny(d.ClaudePath, `/\`) { // a bare name is looked up in PATH
		if d.ClaudePath, err = e.absolute(d.ClaudePath); err != nil {
			return d, err
		}
	}
	d.ListenTCP = e.first(f.ListenTCP, "BETCODE_LISTEN_TCP", "")
	if err := checkTCP(d.ListenTCP); err != nil {
		return d, err
	}
	d.LogLevel = strings.ToLower(e.first(f.LogLevel, "BETCODE_LOG_LEVEL", DefaultLogLevel))
	if !slices.Contains(LogLevels, d.LogLevel) {
		return d, fmt.Errorf("set log level: %q is none of %s", d.LogLevel, strings.Join(LogLevels, ", "))
	}
	agents := e.first(f.MaxAgents, "BETCODE_MAX_AGENTS", strconv.Itoa(DefaultMaxAgents))
	if d.MaxAgents, err = strconv.Atoi(agents); err != nil || d.MaxAgents < 1 || d.MaxAgents > 10_000 {
		return d, fmt.Errorf("set number of agents: %q is no number from 1 to 10000", agents)
	}
	d.KeepAgents = f.KeepAgents
	if keep := e.Getenv("BETCODE_KEEP_AGENTS"); keep != "" && !f.KeepAgents {
		if d.KeepAgents, err = strconv.ParseBool(keep); err != nil {
			return d, fmt.Errorf("read BETCODE_KEEP_AGENTS: %q is neither 1 nor 0", keep)
		}
	}
	if d.AgentSilence, err = agentSilence(e.Getenv("BETCODE_AGENT_SILENCE")); err != nil {
		return d, err
	}
	if d.LockGrace, err = lockGrace(e.Getenv("BETCODE_LOCK_GRACE")); err != nil {
		return d, err
	}
	if d.PermissionTTL, err = permissionTTL(e.first(f.PermissionTTL, "BETCODE_PERMISSION_TTL", "")); err != nil {
		return d, err
	}
	if d.MemoryLimit, err = memoryLimit(e.Getenv("BETCODE_MEMORY_LIMIT")); err != nil {
		return d, err
	}
	if err := d.resolveDisk(e); err != nil {
		return d, err
	}
	if err = d.resolveResume(e); err != nil {
		return d, err
	}
	return d, d.resolvePatience(f, e)
}

// checkTCP refuses what cannot be listened on. TCP is served with a token only,
// which is not built yet, so for now it is refused altogether.
func checkTCP(address string) error {
	if address == "" {
		return nil
	}
	if _, _, err := net.SplitHostPort(address); err != nil {
		return fmt.Errorf("listen on TCP: %q is not host:port: %w", address, err)
	}
	return fmt.Errorf("listen on TCP %s: not built yet; use the Unix socket, for example through ssh -L", address)
}

// agentSilence reads how long an agent may say nothing in the middle of a turn.
func agentSilence(s string) (time.Duration, error) {
	if s == "" {
		return DefaultAgentSilence, nil
	}
	silence, err := parseDuration(s)
	if err != nil || silence < time.Second || silence > 24*time.Hour {
		return 0, fmt.Errorf("set agent silence: %q is no duration from 1s to 24h", s)
	}
	return silence, nil
}

// lockGrace reads how long the input lock is kept for who held it before a crash.
func lockGrace(s string) (time.Duration, error) {
	if s == "" {
		return DefaultLockGrace, nil
	}
	grace, err := parseDuration(s)
	if err != nil || grace < time.Second || grace > time.Hour {
		return 0, fmt.Errorf("set lock grace: %q is no duration from 1s to 1h", s)
	}
	return grace, nil
}

// memoryLimit reads how much memory the daemon should use at most.
func memoryLimit(s string) (int64, error) {
	if s == "" {
		return 0, nil
	}
	limit, err := sizeOf(s)
	if err != nil || limit == 0 {
		return 0, fmt.Errorf("read BETCODE_MEMORY_LIMIT: %q is no size; write for example 512MiB", s)
	}
	return limit, nil
}

// permissionTTL reads how long a permission waits: "7d", "36h".
func permissionTTL(s string) (time.Duration, error) {
	if s == "" {
		return DefaultPermissionTTL, nil
	}
	ttl, err := parseDuration(s)
	if err != nil {
		return 0, fmt.Errorf("set permission TTL: %q is no duration; write for example 12h or 7d", s)
	}
	if ttl < minPermissionTTL || ttl > maxPermissionTTL {
		return 0, fmt.Errorf("set permission TTL: %s is not between 1h and 30d", s)
	}
	return ttl, nil
}

// parseDuration is time.ParseDuration, and whole days as "7d".
func parseDuration(s string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(s, "d"); ok {
		n, err := strconv.ParseUint(days, 10, 16)
		return time.Duration(n) * 24 * time.Hour, err
	}
	return time.ParseDuration(s)
}
