package doctor

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"time"

	"betcode/actors/orphans"
	"betcode/cmd/betcode/internal/agentprogram"
	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/launch"
	"betcode/cmd/betcode/internal/local"
	"betcode/cmd/betcode/internal/statedir"
	"betcode/config"
	"betcode/messages/claudecode"
	pb "betcode/proto/betcode/v1"
)

// Sources are the inputs of [Gather].
type Sources struct {
	Client  config.Client // how commands reach the daemon
	Daemon  config.Daemon // the daemon that a command would start
	World   config.Environment
	Version string // of this program
	System  string // the directory below which files of the kernel and of systemd are; empty = /
}

// defaultLow is the free space in bytes below which a daemon without a setting takes the disk for full.
const defaultLow = 512 << 20

// agentVariable is the environment variable that names the agent's program.
const agentVariable = "BETCODE_CLAUDE"

// Gather collects the facts. It does not fail: a fact that cannot be read has an error.
func Gather(ctx context.Context, s Sources) Facts {
	f := Facts{Now: time.Now(), OS: s.World.OS, Version: s.Version, Daemon: askDaemon(ctx, s)}
	if u, err := user.Current(); err == nil {
		f.User = u.Username
	}
	if f.Daemon.Remote {
		return f
	}
	f.Socket, f.State = directory(filepath.Dir(s.Client.SocketPath)), directory(s.Daemon.StateDir)
	f.Newest = newest(statedir.Journal(s.Daemon.StateDir))
	f.Space = spaceOf(s.Daemon.StateDir, cmp.Or(s.Daemon.Disk.Low, defaultLow))
	f.Agent = agentOf(ctx, s)
	f.Login = loginOf(s.World)
	f.Kernel = kernel(s.System, s.World.UID)
	f.Kernel.FenceWanted, f.Kernel.MemoryWanted = s.Daemon.Fence != "off", s.Daemon.MemoryMax > 0
	f.Service = service(s.System, s.World, f.User)
	if !f.Daemon.Answers && f.Daemon.Holder == 0 {
		f.Orphans = len(orphans.Find(statedir.Runs(s.Daemon.StateDir)))
	}
	return f
}

// askDaemon queries the state of the daemon.
func askDaemon(ctx context.Context, s Sources) Daemon {
	d := Daemon{Socket: s.Client.Where(), Remote: s.Client.Remote.Address != ""}
	state := s.Daemon.StateDir
	if d.Remote {
		state = ""
	}
	cl, holder, err := launch.Find(ctx, s.Client, state)
	if holder != nil {
		d.Holder = holder.PID
		return d
	}
	if err != nil {
		d.Answers, d.Err = !client.Unreachable(err), err
		return d
	}
	defer cl.Close()
	d.Answers = true
	h, err := cl.Health.GetHealthDetails(ctx, &pb.HealthDetailsRequest{})
	if err != nil {
		d.Err = err
		return d
	}
	d.Version = h.GetMetadata()["version"]
	d.Degraded = h.GetDegradedReason()
	for _, c := range h.GetComponents() {
		if c.GetStatus() != pb.ServingStatus_SERVING {
			d.Ill = append(d.Ill, Ill{c.GetName(), c.GetMessage()})
		}
	}
	return d
}

// directory examines a directory.
func directory(path string) Directory {
	d := Directory{Path: path}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		d.Missing = true
		return d
	case err != nil:
		d.Err = err
		return d
	case !info.IsDir():
		d.Err = fs.ErrInvalid
		return d
	}
	owner, known := local.Owner(info)
	d.Mode, d.Mine = info.Mode(), !known || owner == os.Geteuid()
	d.Filesystem, d.Volatile = filesystemOf(path)
	return d
}

// newest returns the newest time of the files in a directory.
func newest(directory string) time.Time {
	var at time.Time
	entries, err := os.ReadDir(directory)
	if err != nil {
		return at // there is no journal yet
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.ModTime().After(at) {
			at = info.ModTime()
		}
	}
	return at
}

// spaceOf returns the free space where a directory is, or will be.
func spaceOf(directory string, low int64) Space {
	for {
		free, err := freeBytes(directory)
		if parent := filepath.Dir(directory); errors.Is(err, fs.ErrNotExist) && parent != directory {
			directory = parent
			continue
		}
		return Space{Free: free, Low: low, Err: err}
	}
}

func agentOf(ctx context.Context, s Sources) Agent {
	a := Agent{Program: s.Daemon.ClaudePath, Search: s.World.Getenv("PATH")}
	if s.World.Getenv(agentVariable) != "" {
		a.Variable = agentVariable
	}
	file, err := agentprogram.Find(a.Program)
	if err != nil {
		a.Err = err
		return a
	}
	a.Path = file.Path
	a.Version, a.Err = agentprogram.Version(ctx, file.Path, s.Daemon.AgentEnvironment.Inherited(os.Environ()))
	a.Grade = claudecode.Level(a.Version)
	return a
}
