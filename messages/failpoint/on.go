//go:build failpoint && unix

package failpoint

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Enabled reports whether this build has failpoints.
const Enabled = true

// armed is one entry of the environment.
type armed struct {
	name, action string
	at           int  // the n-th time
	again        bool // and every n-th after that
	seen         int
}

var (
	mu   sync.Mutex
	plan = parse(os.Getenv(Variable))
)

// parse reads the variable. An invalid entry ends the process: a harness without its failpoints
// would prove nothing.
func parse(variable string) []*armed {
	var entries []*armed
	for _, word := range strings.Split(variable, ",") {
		if word == "" {
			continue
		}
		name, rest, ok := strings.Cut(word, "=")
		place := strings.LastIndexAny(rest, "@%")
		if !ok || place < 0 {
			panic("failpoint: cannot understand " + strconv.Quote(word))
		}
		n, err := strconv.Atoi(rest[place+1:])
		if err != nil || n < 1 {
			panic("failpoint: cannot understand " + strconv.Quote(word))
		}
		entries = append(entries, &armed{name: name, action: rest[:place], at: n, again: rest[place] == '%'})
	}
	return entries
}

// due counts a visit and returns the action to execute, or "".
func due(name string) string {
	mu.Lock()
	defer mu.Unlock()
	for _, a := range plan {
		if a.name != name {
			continue
		}
		if a.seen++; a.seen == a.at || (a.again && a.seen%a.at == 0) {
			return a.action
		}
	}
	return ""
}

// Hit executes the action that is due at a place. An error is ignored.
func Hit(name string) { _ = Fail(name) }

// Fail executes the action that is due at a place, and returns its error.
func Fail(name string) error {
	if len(plan) == 0 {
		return nil
	}
	action := due(name)
	if action == "" {
		return nil
	}
	if action != "error" {
		fmt.Fprintln(os.Stderr, Mark+name+" "+action)
	}
	switch pause, isSleep := strings.CutPrefix(action, "sleep:"); {
	case action == "kill":
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {} // the signal may take a moment to arrive
	case action == "panic":
		panic("failpoint " + name)
	case isSleep:
		d, err := time.ParseDuration(pause)
		if err != nil {
			panic("failpoint: cannot understand " + strconv.Quote(action))
		}
		time.Sleep(d)
	case action == "error":
		return fmt.Errorf("failpoint %s", name)
	}
	return nil
}
