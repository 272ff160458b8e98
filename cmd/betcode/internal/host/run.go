package host

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"betcode/actors"
	"betcode/actors/orphans"
	"betcode/cmd/betcode/internal/delay"
	"betcode/cmd/betcode/internal/exit"
	"betcode/cmd/betcode/internal/features"
	"betcode/config"
	"betcode/grpcapi"
	"betcode/messages/masking"
	"betcode/supervision"
)

// The deadlines of the parts of a shutdown, in their order.
const (
	streamsPatience = 3 * time.Second
	agentsPatience  = 30 * time.Second // SIGTERM, 5 s, SIGKILL, and the end, on a busy machine
)

// gather is the shortest interval between two journal transactions. Events that arrive
// within it share one transaction. It does not delay a single event, and it limits the
// bytes that a busy day writes (docs/performance.md).
const gather = 500 * time.Microsecond

// Options are the options of a daemon.
type Options struct {
	Flags   config.Flags       // as given on the command line
	World   config.Environment // variables and directories
	Version string             // of this executable
	Stderr  io.Writer          // the log, unless settings name a file
}

// Run is the daemon, from the first signal handler to the last file closed. It returns nil after an orderly shutdown.
func Run(ctx context.Context, o Options) (err error) {
	settings := &liveSettings{
		load:   func() (config.Settings, error) { return features.Load(o.Flags, o.World) },
		agrees: config.Agrees(o.Flags, o.World),
	}
	started, err := settings.load()
	if err != nil {
		return exit.Usage(err)
	}
	settings.set(started)
	d := &daemon{
		version: o.Version, cfg: started.Daemon(), startup: startupOf(), settings: settings, started: started,
		mask: masking.New(secretsIn(os.Environ())),
	}
	defer func() { err = errors.Join(err, d.close()) }()
	delay.End()
	defer supervision.PaceCollector(supervision.Room).Close()
	if err := d.openLog(o.Stderr); err != nil {
		return fmt.Errorf("open log: %w", err)
	}
	if err := undumpable(); err != nil {
		d.log.Warn().Err(err).Msg("other processes of the user may trace the daemon")
	}
	ctx, stop := d.handleSignals(ctx)
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
		{"end agents that no session owns", func() error { return orphans.End(d.runs(), d.store, &d.base) }},
		{"start actors", d.startActors},
	} {
		if err := step.do(); err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
	}
	return d.serve(ctx)
}

// serve serves clients until a signal or a client ends the daemon, then shuts it down.
func (d *daemon) serve(ctx context.Context) error {
	d.server = grpcapi.New(grpcapi.Options{
		Asker: asker{d.system, d}, Logger: &d.base, Version: d.version, MaxMessageBytes: d.cfg.MaxPayload,
		ClaudeVersion: d.claude.get, Features: d.settings.features, Restricted: actors.BelowAgent, Fleet: d.system.FleetServer, GitLab: d.gitLab(),
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
	d.log.Info().Str("socket", d.cfg.SocketPath).Str("version", d.version).Int("pid", os.Getpid()).Msg("daemon serves")

	changed, stopWatching := d.watchSettings(ctx)
	defer stopWatching()
	d.reportSettings()

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
		case request := <-d.system.ShutdownWanted():
			keepAgents, cause = request.KeepAgents, "requested by a client"
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

// shutDown ends streams, then agents. Its contexts are its own: that of serve has ended.
func (d *daemon) shutDown(server *grpcapi.Server, keepAgents bool) error {
	streams, cancel := context.WithTimeout(context.Background(), streamsPatience)
	defer cancel()
	d.system.Drain()
	if err := server.Shutdown(streams); err != nil {
		d.log.Warn().Err(err).Msg("streams were closed before clients had read everything")
	}
	tree, cancel := context.WithTimeout(context.Background(), agentsPatience)
	defer cancel()
	system := d.system
	d.system = nil
	return system.Stop(tree, keepAgents)
}
