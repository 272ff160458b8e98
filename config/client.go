package config

import (
	"fmt"
	"strconv"
	"time"
)

// DefaultConnectTimeout is how long a command without a person in front of it
// keeps looking for a daemon that went away.
const DefaultConnectTimeout = time.Minute

// Client is how a command finds the daemon.
type Client struct {
	SocketPath     string
	ConnectTimeout time.Duration
	AutoStart      bool // start a daemon if none runs
}

// ClientFlags are the flags as they were given; empty for one that was not.
type ClientFlags struct {
	SocketPath, ConfigDir, ConnectTimeout string
	Start                                 bool
}

// ResolveClient decides each value and checks it.
func ResolveClient(f ClientFlags, e Environment) (Client, error) {
	var c Client
	var err error
	if c.SocketPath, err = e.socketPath(f.SocketPath, f.ConfigDir); err != nil {
		return c, err
	}
	if err := e.checkSocket(c.SocketPath); err != nil {
		return c, err
	}
	timeout := e.first(f.ConnectTimeout, "BETCODE_CONNECT_TIMEOUT", DefaultConnectTimeout.String())
	if c.ConnectTimeout, err = time.ParseDuration(timeout); err != nil || c.ConnectTimeout < 0 {
		return c, fmt.Errorf("set connect timeout: %q is no duration; write for example 30s", timeout)
	}
	c.AutoStart = f.Start
	if auto := e.Getenv("BETCODE_AUTOSTART"); auto != "" && !f.Start {
		if c.AutoStart, err = strconv.ParseBool(auto); err != nil {
			return c, fmt.Errorf("read BETCODE_AUTOSTART: %q is neither 1 nor 0", auto)
		}
	}
	return c, nil
}
