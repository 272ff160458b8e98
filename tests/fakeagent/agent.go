package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// agent is the process: one session, at most one running turn, a queue of user
// messages, the requests the host has not answered.
//
// The reader of stdin, the running turn and the signals are goroutines; mu
// guards everything below it and is held while lines are printed whose order
// against a change of state matters.
type agent struct {
	options
	home, cwd string
	session   shared // changed by /clear
	model     shared // changed by set_model
	mode      shared // the permission mode
	out       *output
	stderr    io.Writer
	script    script
	done      chan int
	hung      atomic.Bool   // the reader stops at the next line
	stuck     chan struct{} // closed when it has
	stubborn  atomic.Bool   // nothing but SIGKILL ends the process

	mu      sync.Mutex
	disk    *transcript
	past    history         // of the session resumed
	seen    map[string]bool // uuids used in this process
	queue   []message
	notices []string // ids of ended background tasks that still want a turn
	turn    *turn    // running, or nil
	asks    map[string]*ask
	tasks   map[string]*task
	rules   []string // tools allowed for the session
	results int      // result_index of the next result
	apiMS   int      // runs on from turn to turn, as cost does
	calls   int
	failed  bool // the last result was an error
	eof     bool
	ending  bool // exit after the running turn
	greeted bool // initialize was answered
	exited  bool
}

// noConversationError reports that --resume named an unknown session.
type noConversationError struct{ session string }

func (e *noConversationError) Error() string {
	return "No conversation found with session ID: " + e.session
}

// newAgent prepares a process. With a *noConversationError the agent can only print the result with
// that error.
func newAgent(o options, home string, stdout, stderr io.Writer) (*agent, error) {
	cwd, err := os.Getwd()
	if err != nil {
		return nil, complain("The current directory no longer exists: %v", err)
	}
	if resolved, err := filepath.EvalSymlinks(cwd); err == nil {
		cwd = resolved
	}
	s, err := loadScript(os.Getenv("FAKE_AGENT_SCRIPT"))
	if err != nil {
		return nil, err
	}
	a := &agent{
		options: o, home: home, cwd: cwd, out: newOutput(stdout), stderr: stderr, script: s,
		done: make(chan int, 1), stuck: make(chan struct{}),
		seen: map[string]bool{}, asks: map[string]*ask{}, tasks: map[string]*task{},
		rules: slices.Clone(o.allowedTools),
	}
	a.model.set(o.model)
	a.mode.set(o.mode)
	if o.resume != "" {
		return a, a.open(o.resume)
	}
	if o.sessionID == "" {
		o.sessionID = newUUID()
	}
	if _, taken := findTranscript(home, o.sessionID); taken {
		return nil, complain("Error: Session ID %s is already in use.", o.sessionID)
	}
	a.begin(o.sessionID)
	return a, nil
}

// open takes up an earlier session, or a copy of it.
func (a *agent) open(session string) error {
	a.begin(session)
	if !uuidPattern.MatchString(session) {
		return complain("Error: --resume requires a valid session ID or session title when used with --print."+
			" Usage: claude -p --resume <session-id|title>. Provided value %q is not a UUID and does not match any session title.", session)
	}
	path, found := findTranscript(a.home, session)
	if found {
		a.past = readHistory(path)
	}
	if !a.past.found {
		return &noConversationError{session}
	}
	a.disk.path, a.disk.parent = path, a.past.parent
	if a.past.mode == "plan" && a.mode.get() == "default" {
		a.mode.set("plan")
	}
	if !a.fork {
		return nil
	}
	if a.sessionID == "" {
		a.sessionID = newUUID()
	}
	a.begin(a.sessionID)
	a.disk.parent = a.past.parent
	old, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("read transcript to fork: %w", err)
	}
	return appendFile(a.disk.path, old)
}

// begin makes session the one that lines and records belong to.
func (a *agent) begin(session string) {
	a.session.set(session)
	a.disk = newTranscript(a.home, a.cwd, session, durationEnv("FAKE_AGENT_FLUSH", 100*time.Millisecond))
}

// emit prints a line that has a type, a uuid and the session.
func (a *agent) emit(kind string, members obj) {
	line := obj{"type": kind, "uuid": newUUID(), "session_id": a.session.get()}
	for k, v := range members {
		line[k] = v
	}
	a.out.line(line)
}

// system prints a line of type system.
func (a *agent) system(subtype string, members obj) {
	line := obj{"subtype": subtype}
	for k, v := range members {
		line[k] = v
	}
	a.emit("system", line)
}

// lifecycle prints what became of a message or a command of our own.
func (a *agent) lifecycle(uuid, state string) {
	if uuid != "" {
		a.emit("command_lifecycle", obj{"command_uuid": uuid, "state": state})
	}
}

// state prints a session_state_changed line when those were asked for.
func (a *agent) state(s string) {
	if os.Getenv("CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS") == "1" {
		a.system("session_state_changed", obj{"state": s})
	}
}

// exit ends the process once everything is on disk and on stdout. The caller holds mu, so that no
// line follows.
func (a *agent) exit(code int) {
	if a.exited || a.stubborn.Load() {
		return
	}
	a.exited = true
	a.out.close()
	if a.turn != nil {
		a.turn.killTool()
	}
	a.disk.flush()
	patience := 10 * time.Second
	if code > 128 {
		patience = time.Second
	}
	a.out.drain(patience)
	a.done <- code
}

// exitCode is the code of an orderly end: 1 when the last result was an error.
func (a *agent) exitCode() int {
	if a.failed {
		return 1
	}
	return 0
}
