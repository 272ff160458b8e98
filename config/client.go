package config

import (
	"fmt"
	"path/filepath"
	"strconv"
	"time"
)

// DefaultConnectTimeout is how long a non-interactive command tries to reach a daemon that is away.
const DefaultConnectTimeout = time.Minute

// Client configures how a command reaches the daemon.
type Client struct {
	SocketPath     string
	ConnectTimeout time.Duration
	AutoStart      bool // start a daemon if none runs
	Remote         Remote
}

// Where returns the address of the daemon for messages to people.
func (c Client) Where() string {
	if c.Remote.Address != "" {
		return c.Remote.Address
	}
	return c.SocketPath
}

// ClientFlags are the values of the flags; empty for a flag that was not given.
type ClientFlags struct {
	SocketPath, ConfigDir, ConnectTimeout string
	Start                                 bool
	Remote                                RemoteFlags
}

// ResolveClient decides each value and checks it.
func ResolveClient(f ClientFlags, e Environment) (Client, error) {
	var c Client
	socket, err := e.findSocket(Flags{"daemon.socket_path": f.SocketPath, ConfigDirFlag: f.ConfigDir})
	if err != nil {
		return c, err
	}
	c.SocketPath = socket
	if c.Remote, err = e.resolveRemote(f.Remote); err != nil {
		return c, err
	}
	timeout := e.first(f.ConnectTimeout, "BETCODE_CONNECT_TIMEOUT", DefaultConnectTimeout.String())
	if c.ConnectTimeout, err = time.ParseDuration(timeout); err != nil || c.ConnectTimeout < 0 {
		return c, fmt.Errorf("set connect timeout: %q is not a duration; write for example 30s", timeout)
	}
	c.AutoStart = f.Start
	if auto := e.Getenv("BETCODE_AUTOSTART"); auto != "" && !f.Start {
		if c.AutoStart, err = strconv.ParseBool(auto); err != nil {
			return c, fmt.Errorf("read BETCODE_AUTOSTART: %q is neither 1 nor 0", auto)
		}
	}
	return c, nil
}

// findSocket returns the path of a daemon's socket. It is in the configuration directory if the
// system has no better place.
func (e Environment) findSocket(flags Flags) (string, error) {
	var files []*File
	dir, lost := e.configDir(flags[ConfigDirFlag])
	if lost == nil {
		files = readable(dir)
	}
	v, err := decide(find("daemon.socket_path"), flags, e, dir, files)
	if err != nil {
		return "", err
	}
	path, _ := v.Value.(string)
	if !filepath.IsAbs(path) && !e.isPipe(path) {
		return "", lost
	}
	return path, e.checkSocket(path)
}

// Locate returns the settings of a daemon from its flags, its variables and the readable files,
// which are enough to find or start it. The error is about the flags and variables; the daemon
// reports errors in the files.
func Locate(flags Flags, e Environment) (Daemon, error) {
	dir, err := e.configDir(flags[ConfigDirFlag])
	if err != nil {
		return Daemon{}, err
	}
	given, err := resolve(flags, e, dir, nil)
	if err != nil {
		return Daemon{}, err
	}
	if s, err := resolve(flags, e, dir, readable(dir)); err == nil {
		given = s
	}
	return given.Daemon(), nil
}

// readable returns the user's settings files that can be read.
func readable(dir string) []*File {
	var files []*File
	for _, f := range userFiles(dir) {
		if file, err := ReadFile(f.Path, f.Source); err == nil {
			files = append(files, file)
		}
	}
	return files
}
