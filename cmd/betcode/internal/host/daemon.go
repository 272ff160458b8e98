package host

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"betcode/actors"
	"betcode/actors/journal"
	"betcode/cmd/betcode/internal/local"
	"betcode/cmd/betcode/internal/logfile"
	"betcode/cmd/betcode/internal/statedir"
	"betcode/config"
	"betcode/grpcapi"
	"betcode/messages"
	"betcode/messages/masking"
	"betcode/persistence"
	"betcode/persistence/audit"
	"betcode/persistence/tokens"
	"betcode/supervision"

	"github.com/gofrs/flock"
	"github.com/rs/zerolog"
)

// daemon is everything that is open, in the order in which it was opened.
type daemon struct {
	version     string
	cfg         config.Daemon
	startup     messages.Startup // how this process was started; its environment is a secret
	base        zerolog.Logger   // the log of the parts of the daemon
	log         zerolog.Logger   // the log of this package
	logFiles    []*logfile.File  // the log and standard error, where they are files
	mask        *masking.Masker  // hides the secrets in the daemon's environment
	lock        *flock.Flock
	audit       *audit.Log
	tokens      *tokens.Store
	listener    net.Listener
	tcp         net.Listener   // nil = none
	tls         *tls.Config    // of tcp; nil = in the clear
	socket      os.FileInfo    // the file of listener
	hangups     chan os.Signal // SIGHUP
	settings    *liveSettings
	home        string          // of the user; empty if unknown
	directories *directories    // settings and trust of working directories
	started     config.Settings // at the start of the daemon

	reloading     sync.Mutex // serialises reloads
	settingsError string     // why the last reload failed; empty if it did not
	store         *persistence.Store
	system        *actors.System
	server        *grpcapi.Server // nil until it serves
	components    components      // health of the parts that are no actors
	claude        *claudeVersion  // version of the agent's executable
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

func (d *daemon) runs() string { return statedir.Runs(d.cfg.StateDir) }

// lockState refuses to run beside another daemon of the same state directory.
func (d *daemon) lockState() (err error) {
	d.lock, err = statedir.Lock(d.cfg.StateDir)
	return err
}

func (d *daemon) openJournal() (err error) {
	d.store, err = persistence.Open(persistence.Options{
		Directory: statedir.Journal(d.cfg.StateDir), Plans: statedir.Orchestrations(d.cfg.StateDir), RetainBytes: d.cfg.Past.Bytes, RetainAge: max(d.cfg.Past.Age, 0),
	})
	return offerBackup(err, d.cfg.StateDir)
}

func (d *daemon) startActors() error {
	var err error
	if d.home, err = os.UserHomeDir(); err != nil {
		d.home = "" // rules about paths below it match nothing
	}
	d.directories = &directories{config: d.cfg.ConfigDir, home: d.home, settings: d.settings}
	now := actorSettings(d.settings.get())
	d.claude = newClaudeVersion(d.cfg.ClaudePath, d.cfg.AgentEnvironment)
	d.claude.latest() // in the background, so that it is known when a client asks
	d.system, err = actors.Start(actors.Options{
		Settings: &now, Store: d.store, RunsDirectory: d.runs(), Home: d.home, Directories: d.directories,
		Program: d.cfg.ClaudePath, Environment: d.cfg.AgentEnvironment.Inherited(os.Environ()), Keeps: d.cfg.AgentEnvironment.Keeps,
		NotifyEnv: notifyEnvironment(os.Environ()), Gather: gather, Logger: &d.base,
		Version: d.version, FreeMemory: actors.AvailableMemory, MemoryLimit: d.cfg.MemoryLimit, Restart: supervision.Default(), Lease: d.lock.Path(),
		LockGrace:    d.cfg.LockGrace,
		Disk:         actors.DiskOptions{Low: d.cfg.Disk.Low, SpoolQuota: d.cfg.Disk.SpoolQuota, ArchiveBytes: d.cfg.Disk.ArchiveBytes, ArchiveAge: d.cfg.Disk.ArchiveAge, Reserve: filepath.Join(d.cfg.StateDir, "reserve")},
		Backups:      journal.BackupOptions{Directory: statedir.Backups(d.cfg.StateDir), Every: d.cfg.Backup.Every, Keep: d.cfg.Backup.Keep},
		VersionsFile: filepath.Join(d.cfg.StateDir, "agent-versions.json"), StopsDirectory: filepath.Join(d.cfg.StateDir, "stops"),
		Executable: ownProgram(), Socket: d.cfg.SocketPath,
		SearchDirectory:         statedir.Search(d.cfg.StateDir),
		NoticesDirectory:        filepath.Join(d.cfg.StateDir, "notices"),
		FleetFile:               filepath.Join(d.cfg.StateDir, "fleet.json"),
		LimitsFile:              filepath.Join(d.cfg.StateDir, "rate-limits.json"),
		WorktreesDirectory:      filepath.Join(d.cfg.StateDir, "worktrees"),
		OrchestrationsDirectory: statedir.Orchestrations(d.cfg.StateDir),
		ReposDirectory:          filepath.Join(d.cfg.StateDir, "repositories"),
		MachineFile:             filepath.Join(d.cfg.StateDir, "machine-id"), Audit: d.audit.Record, Mask: d.mask.Mask,
		Components: d.healthComponents, Protected: d.protected(), AgentVersion: d.claude.get,
	})
	return err
}

// close closes what is open, newest first.
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

// ownProgram returns the path of this program, empty if it is not known. A program that was replaced while it ran has its path.
func ownProgram() string {
	path, err := os.Executable()
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(path, " (deleted)")
}
