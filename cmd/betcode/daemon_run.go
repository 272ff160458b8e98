package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
	"github.com/rs/zerolog"

	"betcode/actors"
	"betcode/config"
	"betcode/grpcapi"
	"betcode/messages"
	"betcode/persistence"
	"betcode/supervision"
)

// How long the parts of a shutdown may take, in its order.
const (
	streamsPatience = 3 * time.Second
	agentsPatience  = 30 * time.Second // SIGTERM, 5 s, SIGKILL, and what is left, on a busy machine
)

// gather is the least time between two journal transactions: what arrives within
// it shares one. It costs a lone event nothing and bounds what a busy day writes
// (docs/performance.md).
const gather = time.Millisecond

// runDaemon is the daemon, from the first signal handler to the last file
// closed. It returns nil after a shutdown that was asked for.
func runDaemon(ctx context.Context, cfg config.Daemon, stderr io.Writer) (err error) {
	d := &daemon{cfg: cfg}
	defer func() { err = errors.Join(err, d.close()) }()
	if err := d.openLog(stderr); err != nil {
		return fmt.Errorf("open log: %w", err)
	}
	ctx, stop := d.heed(ctx)
	defer stop()
	for _, step := range []struct {
		name string
		do   func() error
	}{
		{"prepare directories", d.prepareDirectories},
		{"lock state directory", d.lockState},
		{"listen", d.listen},
		{"open journal", d.openJournal},
		{"start actors", d.startActors},
	} {
		if err := step.do(); err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
	}
	return d.serve(ctx)
}

// daemon holds what is open, in the order in which it was opened.
type daemon struct {
	cfg      config.Daemon
	log      zerolog.Logger
	logFile  *os.File
	lock     *flock.Flock
	listener net.Listener
	socket   os.FileInfo    // of the listener's file
	hangups  chan os.Signal // SIGHUP
	past     config.Past
	store    *persistence.Store
	system   *actors.System
}

func (d *daemon) openLog(stderr io.Writer) error {
	out := stderr
	if d.cfg.LogFile != "" {
		file, err := os.OpenFile(d.cfg.LogFile, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		d.logFile, out = file, file
	}
	level, err := zerolog.ParseLevel(d.cfg.LogLevel)
	if err != nil {
		return err
	}
	zerolog.TimestampFieldName = "timestamp"
	zerolog.TimeFieldFormat = time.RFC3339Nano
	d.log = zerolog.New(zerolog.SyncWriter(out)).Level(level).With().Timestamp().Logger()
	return nil
}

func (d *daemon) prepareDirectories() error {
	for _, dir := range []string{d.cfg.StateDir, d.runs(), filepath.Dir(d.cfg.SocketPath)} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	return actors.CheckRunsDirectory(d.runs())
}

func (d *daemon) runs() string { return filepath.Join(d.cfg.StateDir, "runs") }

func (d *daemon) openJournal() (err error) {
	if d.past, err = config.ReadPast(d.cfg.ConfigDir); err != nil {
		return err
	}
	d.store, err = persistence.Open(persistence.Options{
		Directory: filepath.Join(d.cfg.StateDir, "journal"), RetainBytes: d.past.Bytes, RetainAge: max(d.past.Age, 0),
	})
	return err
}

func (d *daemon) startActors() error {
	rules, err := config.ReadPermissions(d.cfg.ConfigDir)
	if err != nil {
		return err
	}
	notify := d.cfg.NotifyExec
	if len(notify) == 0 {
		if notify, err = config.ReadNotify(d.cfg.ConfigDir); err != nil {
			return err
		}
	}
	home, err := os.UserHomeDir()
	if err != nil {
		home = "" // rules about what is below it match nothing
	}
	resume, err := config.ReadResume(d.cfg.ConfigDir, d.cfg.Resume)
	if err != nil {
		return err
	}
	d.system, err = actors.Start(actors.Options{
		Store: d.store, RunsDirectory: d.runs(), Program: d.claude(), Environment: agentEnvironment(os.Environ()),
		Rules: d.rules(rules), Home: home, Directories: &directories{config: d.cfg.ConfigDir, home: home}, PermissionTTL: d.cfg.PermissionTTL, Silence: d.cfg.AgentSilence, FixedTTL: !d.cfg.ExtendOnActivity, Reminders: d.cfg.Reminders,
		NotifyExec: notify, NotifyEnv: notifyEnvironment(os.Environ()), Gather: gather, MaxAgents: d.cfg.MaxAgents, Logger: &d.log,
		Version: version, MemoryLimit: d.cfg.MemoryLimit, Restart: supervision.Default(), Lease: d.lock.Path(), CompactThreshold: d.past.CompactThreshold,
		LockGrace: d.cfg.LockGrace, SessionBytes: d.past.SessionBytes, SessionAge: d.past.SessionAge,
		Disk:   actors.DiskOptions{Low: d.cfg.Disk.Low, SpoolQuota: d.cfg.Disk.SpoolQuota, ArchiveBytes: d.cfg.Disk.ArchiveBytes, ArchiveAge: d.cfg.Disk.ArchiveAge, Reserve: filepath.Join(d.cfg.StateDir, "reserve")},
		Resume: messages.ResumePolicy(resume.Policy), Continuations: continuations(*resume.Times), ContinueGrace: d.cfg.ContinueGrace,
		VersionsFile: filepath.Join(d.cfg.StateDir, "agent-versions.json"), StopsDirectory: filepath.Join(d.cfg.StateDir, "stops"),
		MachineFile: filepath.Join(d.cfg.StateDir, "machine-id"),
	})
	return err
}

// continuations is how the actors are told that a turn is never continued by itself.
func continuations(times int) int {
	if times == 0 {
		return -1
	}
	return times
}

// claude is the agent's executable; a bare name is looked up in PATH.
func (d *daemon) claude() string { return cmp.Or(d.cfg.ClaudePath, "claude") }

// serve answers clients until the daemon is asked to end, then ends it in the
// reverse order of its making.
func (d *daemon) serve(ctx context.Context) error {
	server := grpcapi.New(grpcapi.Options{Asker: door{d.system}, Logger: &d.log, Version: version, ClaudeVersion: claudeVersion(d.claude()), Restricted: actors.BelowAgent})
	served := make(chan error, 1)
	go func() { served <- server.Serve(d.listener) }()
	select {
	case <-d.system.Ready():
	case <-ctx.Done():
	}
	server.SetReady(true)
	leave := d.reportToManager()
	d.log.Info().Str("socket", d.cfg.SocketPath).Str("version", version).Int("pid", os.Getpid()).Msg("daemon serves")

	keepAgents, cause := false, ""
	var failure error
	for running := true; running; {
		select {
		case <-d.hangups:
			d.reload()
			continue
		case <-ctx.Done():
			keepAgents, cause = d.cfg.KeepAgents, context.Cause(ctx).Error()
		case wish := <-d.system.ShutdownWanted():
			keepAgents, cause = wish.KeepAgents, "asked by a client"
		case failure = <-served:
			keepAgents, cause = true, "the server ended"
		}
		running = false
	}
	d.log.Info().Str("cause", cause).Bool("keep_agents", keepAgents).Msg("daemon shuts down")
	leave()
	return errors.Join(failure, d.shutDown(server, keepAgents))
}

// shutDown uses contexts of its own: the one that ended is why we are here.
func (d *daemon) shutDown(server *grpcapi.Server, keepAgents bool) error {
	streams, cancel := context.WithTimeout(context.Background(), streamsPatience)
	defer cancel()
	if err := server.Shutdown(streams); err != nil {
		d.log.Warn().Err(err).Msg("streams were cut off")
	}
	tree, cancel := context.WithTimeout(context.Background(), agentsPatience)
	defer cancel()
	system := d.system
	d.system = nil
	return system.Stop(tree, keepAgents)
}

// close gives back what is open, newest first.
func (d *daemon) close() error {
	var errs []error
	if d.system != nil {
		ctx, cancel := context.WithTimeout(context.Background(), agentsPatience)
		defer cancel()
		errs = append(errs, d.system.Stop(ctx, true))
	}
	if d.store != nil {
		errs = append(errs, d.store.Close())
	}
	if d.listener != nil {
		d.listener.Close() // the server may have closed it
		errs = append(errs, d.removeSocket())
	}
	if d.lock != nil {
		errs = append(errs, d.lock.Close())
	}
	if d.logFile != nil {
		errs = append(errs, d.logFile.Close())
	}
	return errors.Join(errs...)
}

// door hands the actor system to the gateway.
type door struct{ *actors.System }

// Attach implements grpcapi.Asker.
func (d door) Attach(ctx context.Context, a messages.Attach) (grpcapi.Stream, messages.Attached, error) {
	follower, attached, err := d.System.Attach(ctx, a)
	if err != nil {
		return nil, messages.Attached{}, err
	}
	return follower, attached, nil
}
