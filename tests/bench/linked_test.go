//go:build linux

package bench

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/rs/zerolog"

	"betcode/actors"
	"betcode/actors/settings"
	"betcode/grpcapi"
	"betcode/messages"
	"betcode/persistence"
	"betcode/supervision"
)

// Environment variables of the linked daemon, and the file in the world's root with which it
// answers SIGUSR1.
const (
	envGather = "BETCODE_BENCH_GATHER"
	envRetain = "BETCODE_BENCH_RETAIN"
	envStats  = "BETCODE_BENCH_STATS"
	statsFile = "stats.json"
)

// asBuilt is the gathering window of the command.
const asBuilt = 500 * time.Microsecond

// linked is the environment of a linked daemon with a gathering window.
func linked(gather time.Duration) []string {
	return append(profileTo(), envRole+"="+roleDaemon, envGather+"="+gather.String(), envStats+"="+statsFile)
}

func profileTo() []string {
	return []string{envProfile + "=" + os.Getenv(envProfile), envTrace + "=" + os.Getenv(envTrace)}
}

// linkedDaemon runs the packages of the command as a daemon in this binary. It has options that the
// command lacks, and profiles of the daemon alone. On SIGUSR1 it writes the counters of its
// journal, before and after a measured run; in between it records a profile.
func linkedDaemon() error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	ask := make(chan os.Signal, 1)
	signal.Notify(ask, syscall.SIGUSR1)

	state := filepath.Join(os.Getenv("XDG_STATE_HOME"), "betcode")
	socket := os.Getenv("BETCODE_SOCKET")
	if err := os.MkdirAll(filepath.Dir(socket), 0o700); err != nil {
		return err
	}
	gather, err := time.ParseDuration(os.Getenv(envGather))
	if err != nil {
		return err
	}
	agents, err := strconv.Atoi(os.Getenv(envMaxAgents))
	if err != nil {
		return err
	}
	listener, err := net.Listen("unix", socket)
	if err != nil {
		return err
	}
	keep, err := strconv.ParseInt(cmp.Or(os.Getenv(envRetain), "0"), 10, 64)
	if err != nil {
		return err
	}
	store, err := persistence.Open(persistence.Options{Directory: filepath.Join(state, "journal"), RetainBytes: keep, SealBytes: keep / 4})
	if err != nil {
		return err
	}
	defer supervision.PaceCollector(supervision.Room).Close()
	log := zerolog.New(os.Stderr).Level(zerolog.WarnLevel)
	now := settings.Default()
	now.MaxAgents = agents
	system, err := actors.Start(actors.Options{
		Store: store, RunsDirectory: filepath.Join(state, "runs"), Program: os.Getenv("BETCODE_CLAUDE"),
		Environment: withoutOurs(os.Environ()), Gather: gather, Settings: &now, Logger: &log, Version: "bench", Restart: supervision.Default(),
	})
	if err != nil {
		return err
	}
	server := grpcapi.New(grpcapi.Options{Asker: door{system}, Logger: &log, Version: "bench"})
	go server.Serve(listener)
	<-system.Ready()
	server.SetReady(true)
	answer(ctx, ask, store)

	end, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	server.Shutdown(end)
	if err := system.Stop(end, false); err != nil {
		return err
	}
	return store.Close()
}

// answer writes the counters at each signal on ask, until ctx ends.
func answer(ctx context.Context, ask <-chan os.Signal, store *persistence.Store) {
	p := profile{dir: os.Getenv(envProfile), trace: os.Getenv(envTrace) != ""}
	defer p.stop()
	path := filepath.Join(filepath.Dir(os.Getenv("XDG_STATE_HOME")), os.Getenv(envStats))
	for {
		select {
		case <-ctx.Done():
			return
		case <-ask:
		}
		content, err := json.Marshal(count(store))
		if err == nil {
			err = os.WriteFile(path+".new", content, 0o600)
		}
		if err == nil {
			err = os.Rename(path+".new", path)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		p.toggle()
	}
}

// counted has counters that only the daemon itself knows.
type counted struct {
	persistence.Stats

	Heap       int64 // bytes in use
	Stacks     int64
	Goroutines int
}

func count(store *persistence.Store) counted {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return counted{Stats: store.Stats(), Heap: int64(m.HeapInuse), Stacks: int64(m.StackInuse), Goroutines: runtime.NumGoroutine()}
}

func withoutOurs(environ []string) []string {
	return slices.DeleteFunc(environ, func(entry string) bool { return strings.HasPrefix(entry, "BETCODE_") })
}

// door adapts the actor system to the gateway, as the command does.
type door struct{ *actors.System }

// Attach implements grpcapi.Asker.
func (d door) Attach(ctx context.Context, a messages.Attach) (grpcapi.Stream, messages.Attached, error) {
	follower, attached, err := d.System.Attach(ctx, a)
	if err != nil {
		return nil, messages.Attached{}, err
	}
	return follower, attached, nil
}
