package doctor

import (
	"io/fs"
	"time"

	"betcode/messages/claudecode"
)

// Facts are the input of checks. The field Err of a fact is set if it could not be read.
type Facts struct {
	Now     time.Time
	OS      string // as runtime.GOOS
	User    string // login name; empty = not known
	Version string // of this program

	Daemon  Daemon
	Socket  Directory // the directory of the socket
	State   Directory // the state directory
	Newest  time.Time // the newest time of a file of the journal; zero without one
	Space   Space     // of the state directory
	Agent   Agent
	Login   Login
	Kernel  Kernel
	Service Service
	Orphans int // agents that live although no daemon runs
}

// Daemon has the facts about the daemon.
type Daemon struct {
	Socket  string // its path, or an address
	Remote  bool   // it may run on another machine, so facts about files of this one do not apply
	Answers bool
	Holder  int    // pid of the process that has the state directory; 0 = none
	Version string // of a daemon that answers
	Ill     []Ill  // components that do not serve

	Degraded string // what does not work as it should although the daemon serves; empty = nothing
	Err      error  // why a daemon that answers gave no health
}

// Ill is a component of the daemon that does not serve.
type Ill struct{ Name, Message string }

// Directory is a directory of the daemon.
type Directory struct {
	Path       string
	Missing    bool
	Mode       fs.FileMode
	Mine       bool   // it belongs to this user
	Filesystem string // its name, if locks or synced files may not work there; else empty
	Volatile   bool   // it is in memory, and lost at a restart of the machine
	Err        error
}

// Space is the space on a filesystem, in bytes.
type Space struct {
	Free, Low int64 // Low = the daemon takes the disk for full below this; -1 = not known
	Err       error
}

// Agent is the executable of the agent.
type Agent struct {
	Program  string // as settings name it
	Variable string // the environment variable that names it instead of settings; empty = none
	Path     string // where it was found; empty = nowhere
	Search   string // PATH, in which a program without a directory was searched
	Version  string
	Grade    claudecode.Grade // of the version
	Err      error
}

// Login has the credentials that the agent can use.
type Login struct {
	Variable string // an environment variable that has a credential or names a provider
	File     string // a file that has one
	Hidden   bool   // the system keeps it where this program does not look
}

// Kernel has the features of the kernel.
type Kernel struct {
	Landlock      int  // version of its interface; 0 = none
	FenceWanted   bool // settings ask for the fence
	MemoryControl bool // the control group of this user's services can limit memory
	MemoryWanted  bool // settings ask for a limit of the memory of agents
	Watches       int  // inotify watches that a user may have; 0 = not known
	Instances     int  // inotify instances that a user may have; 0 = not known
}

// Service is the systemd user service.
type Service struct {
	Manager   bool   // systemd is there
	Unit      string // path of its file; empty = not installed
	Lingering bool   // services of the user run without a login
}
