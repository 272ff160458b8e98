package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// run is the whole program; it returns the exit code.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	signal.Ignore(syscall.SIGPIPE)
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)

	o, err := parseFlags(args)
	if err != nil {
		fmt.Fprintln(stderr, err)
		return 1
	}
	if o.version {
		fmt.Fprintln(stdout, version+" (Claude Code)")
		return 0
	}
	home := os.Getenv("HOME")
	if home == "" {
		fmt.Fprintln(stderr, "fake agent: HOME is not set")
		return 1
	}
	if code, exit := atStart(home); exit {
		fmt.Fprintln(stderr, "fake agent: told to exit at start")
		return code
	}
	a, err := newAgent(o, home, stdout, stderr)
	if err != nil {
		return refuse(a, err, stderr)
	}
	a.resume()
	go a.read(stdin)
	go a.obey(signals)
	return <-a.done
}

// atStart delays or ends the start according to the environment.
func atStart(home string) (code int, exit bool) {
	time.Sleep(durationEnv("FAKE_AGENT_START_DELAY", 0))
	value, times, counted := strings.Cut(os.Getenv("FAKE_AGENT_EXIT_AT_START"), ":")
	code, err := strconv.Atoi(value)
	if err != nil {
		return 0, false
	}
	if !counted {
		return code, true
	}
	limit, err := strconv.Atoi(times)
	if err != nil {
		return 0, false
	}
	path := filepath.Join(home, ".fake-agent", "exits-at-start")
	if info, err := os.Stat(path); err == nil && info.Size() >= int64(limit) {
		return 0, false
	}
	return code, appendFile(path, []byte(".")) == nil
}

// refuse ends a start that failed. A session that cannot be resumed gets a
// result line; other refusals are for stderr only.
func refuse(a *agent, err error, stderr io.Writer) int {
	if missing := (*noConversationError)(nil); errors.As(err, &missing) {
		a.emit("result", obj{
			"subtype": "error_during_execution", "is_error": true, "num_turns": 0,
			"duration_ms": 0, "duration_api_ms": 0, "stop_reason": nil, "total_cost_usd": 0,
			"usage": usage(0), "modelUsage": obj{}, "permission_denials": []any{},
			"errors": []string{err.Error()}, "result_index": 0,
		})
		a.out.drain(time.Second)
	}
	fmt.Fprintln(stderr, err)
	return 1
}

// durationEnv reads a duration from the environment.
func durationEnv(name string, otherwise time.Duration) time.Duration {
	if d, err := time.ParseDuration(os.Getenv(name)); err == nil {
		return d
	}
	return otherwise
}
