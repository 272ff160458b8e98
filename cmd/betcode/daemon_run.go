package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/gofrs/flock"
	"github.com/rs/zerolog"

	"betcode/actors"
	"betcode/cmd/betcode/internal/local"
	"betcode/cmd/betcode/internal/logfile"
	"betcode/config"
	"betcode/grpcapi"
	"betcode/messages"
	"betcode/persistence"
	"betcode/persistence/audit"
	"betcode/persistence/tokens"
	"betcode/supervision"
)

// How long the parts of a shutdown may take, in its order.
const (
	streamsPatience = 3 * time.Second
	agentsPatience  = 30 * time.Second // SIGTERM, 5 s, SIGKILL, and what is left, on a busy machine
)

// gather is the least time between two journal transactions: what arrives within
// it shares one. It costs a lone event nothing and bounds what a busy day writes: on
// the fastest disk a page for each event or two (docs/performance.md).
const gather = 500 * time.Microsecond

// runDaemon is the daemon, from the first signal handler to the last file
// closed. It returns nil after a shutdown that was asked for.
func runDaemon(ctx context.Context, settings *liveSettings, stderr io.Writer) (err error) {
	started := settings.get()
	d := &daemon{cfg: started.Daemon(), startup: startupOf(), settings: settings, started: started, mask: audit.NewMasker(heldSecrets(os.Environ()))}
	defer func() { err = errors.Join(err, d.close()) }()
	defer supervision.PaceCollector(supervision.Room).Close()
	if err := d.openLog(stderr); err != nil {
		return fmt.Errorf("open log: %w", err)
	}
	if err := undumpable(); err != nil {
		d.log.Warn().Err(err).Msg("other processes of the user may trace the daemon")
	}
	ctx, stop := d.heed(ctx)
	defer stop()
	for _, step := range []struct {
		name string
		do   func() error
	}{
		{"prepare directories", d.prepareDirectories},
		{"lock state directory", d.lockState},
		{"open audit log", d.openAudit},
		{"open tokens", d.openTokens},
		{"listen", d.listen},
		{"listen on TCP", d.listenTCP},
		{"open journal", d.openJournal},
		{"end agents that nobody knows", func() error { return actors.EndStrays(d.runs(), d.store, &d.base) }},
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
	cfg         config.Daemon
	startup     messages.Startup // how this process was started; its environment is a secret
	base        zerolog.Logger   // what the parts of the daemon write to
	log         zerolog.Logger   // what is written here
	logFiles    []*logfile.File  // the log and standard error, as far as they are files
	mask        *audit.Masker    // of the secrets that the daemon was given
	lock        *flock.Flock
	audit       *audit.Log
	tokens      *tokens.Store
	listener    net.Listener
	tcp         net.Listener   // nil = none
	tls         *tls.Config    // of tcp; nil = in the clear
	socket      os.FileInfo    // of the listener's file
	hangups     chan os.Signal // SIGHUP
	settings    *liveSettings
	home        string          // the user's, may be empty
	directories *directories    // what working directories bring along
	started     config.Settings // as they were when the daemon was started

	reloading     sync.Mutex // one reload after the other
	settingsError string     // why the settings could not be read, the last time
	store         *persistence.Store
	system        *actors.System
	server        *grpcapi.Server // nil until it serves
	components    components      // how they are that are no actors
	claude        *claudeVersion  // of the agent's executable
}

func (d *daemon) prepareDirectories() error {
	dirs := []string{d.cfg.StateDir, d.runs()}
	if !local.IsPipe(d.cfg.SocketPath) {
		dirs = append(dirs, filepath.Dir(d.cfg.SocketPath))
	}
	for _, dir := range dirs {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	if err := d.privateState(); err != nil {
		return err
	}
	return actors.CheckRunsDirectory(d.runs())
}

func (d *daemon) runs() string { return filepath.Join(d.cfg.StateDir, "runs") }

func (d *daemon) openJournal() (err error) {
	d.store, err = persistence.Open(persistence.Options{
		Directory: filepath.Join(d.cfg.StateDir, "journal"), RetainBytes: d.cfg.Past.Bytes, RetainAge: max(d.cfg.Past.Age, 0),
	})
	return offerBackup(err, d.cfg.StateDir)
}

func (d *daemon) startActors() error {
	var err error
	if d.home, err = os.UserHomeDir(); err != nil {
		d.home = "" // rules about what is below it match nothing
	}
	d.directories = &directories{config: d.cfg.ConfigDir, home: d.home, settings: d.settings}
	settings := d.settings.get()
	d.claude = newClaudeVersion(d.cfg.ClaudePath, d.cfg.AgentEnvironment)
	d.claude.latest() // so that it is known when somebody asks
	d.system, err = actors.Start(actors.Options{
		Live: liveOptions(settings), Store: d.store, RunsDirectory: d.runs(), Program: d.cfg.ClaudePath, Environment: d.cfg.AgentEnvironment.Inherited(os.Environ()), Keeps: d.cfg.AgentEnvironment.Keeps,
		Rules: rulesOf(settings), Home: d.home, Directories: d.directories,
		NotifyEnv: notifyEnvironment(os.Environ()), Gather: gather, Logger: &d.base,
		Version: version, MemoryLimit: d.cfg.MemoryLimit, Restart: supervision.Default(), Lease: d.lock.Path(),
		LockGrace:    d.cfg.LockGrace,
		Disk:         actors.DiskOptions{Low: d.cfg.Disk.Low, SpoolQuota: d.cfg.Disk.SpoolQuota, ArchiveBytes: d.cfg.Disk.ArchiveBytes, ArchiveAge: d.cfg.Disk.ArchiveAge, Reserve: filepath.Join(d.cfg.StateDir, "reserve")},
		Backups:      actors.BackupOptions{Directory: backupsIn(d.cfg.StateDir), Every: d.cfg.Backup.Every, Keep: d.cfg.Backup.Keep},
		VersionsFile: filepath.Join(d.cfg.StateDir, "agent-versions.json"), StopsDirectory: filepath.Join(d.cfg.StateDir, "stops"),
		MachineFile: filepath.Join(d.cfg.StateDir, "machine-id"), Audit: d.audit.Record, Mask: d.mask.Mask,
		Components: d.healthComponents, Protected: d.protected(), AgentVersion: d.claude.get,
	})
	return err
}

// serve answers clients until the daemon is asked to end, then ends it in the
// reverse order of its making.
func (d *daemon) serve(ctx context.Context) error {
	d.server = grpcapi.New(grpcapi.Options{
		Asker: door{d.system, d}, Logger: &d.base, Version: version, MaxMessageBytes: d.cfg.MaxPayload,
		ClaudeVersion: d.claude.get, Features: d.settings.flags, Restricted: actors.BelowAgent, GitLab: d.gitLab(),
		Audit: d.audit, Tokens: d.tokens, TCP: d.tcpOptions(),
		Limits: limitsOf(d.cfg),
	})
	server := d.server
	served := make(chan error, 2)
	stopSocket := d.serveSocket(ctx, server.Serve, func(err error) { served <- err })
	defer stopSocket()
	if d.tcp != nil {
		go func() { served <- server.Serve(d.tcp) }()
		d.log.Info().Stringer("address", d.tcp.Addr()).Bool("tls", d.tls != nil).Msg("daemon listens on TCP")
	}
	select {
	case <-d.system.Ready():
	case <-ctx.Done():
	}
	server.SetReady(true)
	leave := d.reportToManager()
	d.log.Info().Str("socket", d.cfg.SocketPath).Str("version", version).Int("pid", os.Getpid()).Msg("daemon serves")

	changed, stopWatching := d.watchSettings(ctx)
	defer stopWatching()
	d.sayHowSettingsAre()

	keepAgents, cause := false, ""
	var failure error
	for running := true; running; {
		select {
		case <-d.hangups:
			d.reload(true, actors.RulesOrigin{How: "SIGHUP"})
			continue
		case <-changed:
			d.reload(false, actors.RulesOrigin{How: "a settings file changed"})
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
	stopSocket()
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
	if d.tcp != nil {
		d.tcp.Close() // the server may have closed it
	}
	if d.listener != nil {
		d.listener.Close() // the server may have closed it
		errs = append(errs, d.removeSocket())
	}
	if d.tokens != nil {
		errs = append(errs, d.tokens.Close())
	}
	if d.audit != nil {
		errs = append(errs, d.audit.Close())
	}
	if d.lock != nil {
		errs = append(errs, d.lock.Close())
	}
	for _, f := range d.logFiles {
		errs = append(errs, f.Close())
	}
	return errors.Join(errs...)
}

// door hands the actor system to the gateway, and answers itself what is about
// settings and about this process.
type door struct {
	*actors.System
	daemon *daemon
}

// Ask implements grpcapi.Asker.
func (d door) Ask(ctx context.Context, r messages.Request) (messages.Reply, error) {
	switch m := r.(type) {
	case messages.GetSettings:
		return d.daemon.getSettings(m)
	case messages.UpdateSettings:
		return d.daemon.updateSettings(m)
	case messages.ExplainPermission:
		return d.explainPermission(ctx, m)
	case messages.GetStartup:
		return d.daemon.getStartup(), nil
	}
	return d.System.Ask(ctx, r)
}

// Attach implements grpcapi.Asker.
func (d door) Attach(ctx context.Context, a messages.Attach) (grpcapi.Stream, messages.Attached, error) {
	follower, attached, err := d.System.Attach(ctx, a)
	if err != nil {
		return nil, messages.Attached{}, err
	}
	return follower, attached, nil
}
