//go:build linux

package bench

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"betcode/tests/kit"
)

// Environment variables beyond those of the package comment. With a role this binary is no test.
const (
	envBinary  = "BETCODE_BENCH_BINARY"
	envMore    = "BETCODE_BENCH_ENV"
	envProfile = "BETCODE_BENCH_PROFILE"
	envTrace   = "BETCODE_BENCH_TRACE"
	envJSON    = "BETCODE_BENCH_JSON"
	envSoak    = "BETCODE_BENCH_SOAK"
	envRole    = "BETCODE_BENCH_ROLE"

	envMaxAgents = "BETCODE_MAX_AGENTS" // the daemon's own

	roleDaemon = "daemon"
	roleFloor  = "floor"
	roleGuest  = "guest"
)

// binaries are the measured programs. linked is this binary in the role of a daemon.
var binaries struct{ betcode, agent, linked string }

// scratch is removed at the end, however that comes.
var scratch string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	roles := map[string]func() error{roleDaemon: linkedDaemon, roleFloor: floorServer, roleGuest: guestClient}
	if play, ok := roles[os.Getenv(envRole)]; ok {
		if err := play(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return 0
	}
	flag.Parse()
	var err error
	if scratch, err = os.MkdirTemp("", "bcbench"); err == nil {
		defer os.RemoveAll(scratch)
		err = build(scratch)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-interrupted
		endWorlds()
		os.RemoveAll(scratch)
		os.Exit(1)
	}()
	if flag.Lookup("test.bench").Value.String() == "" {
		return m.Run()
	}
	machine := machineOf(scratch)
	fmt.Print(machine)
	code := m.Run()
	if err := table.publish(os.Stdout, os.Getenv(envJSON), machine); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if strings.Contains(flag.Lookup("test.bench").Value.String(), "Fleet") { // else the summary stays last
		fmt.Println(fleetLine)
	}
	return code
}

// build compiles the binaries, the daemon with the flags of `make build`.
func build(dir string) (err error) {
	if binaries.linked, err = os.Executable(); err != nil {
		return err
	}
	binaries.betcode, binaries.agent = os.Getenv(envBinary), filepath.Join(dir, "agent")
	targets := map[string]string{"./tests/bench/agent": binaries.agent}
	if binaries.betcode == "" {
		binaries.betcode = filepath.Join(dir, "betcode")
		targets["./cmd/betcode"] = binaries.betcode
	}
	for target, out := range targets {
		c := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", out, target)
		c.Dir, c.Stderr, c.Env = kit.Repository(), os.Stderr, append(os.Environ(), "CGO_ENABLED=0")
		if err := c.Run(); err != nil {
			return fmt.Errorf("build %s: %w", target, err)
		}
	}
	return nil
}
