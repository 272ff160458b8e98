package config

import (
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
)

// TCP is how a daemon listens on TCP.
type TCP struct {
	Address  string // host:port; empty = not at all
	Names    string // by which the daemon is called, with commas between them
	CertFile string // empty = in the clear
	KeyFile  string

	Environment bool // of callers who may approve counts
}

// NameList is the names one by one.
func (t TCP) NameList() []string {
	return strings.FieldsFunc(t.Names, func(r rune) bool { return r == ',' || r == ' ' })
}

// TLS reports whether TLS is spoken.
func (t TCP) TLS() bool { return t.CertFile != "" }

// check refuses what should not be listened on. A certificate has its key.
func (t TCP) check() error {
	if t.Address == "" {
		return nil
	}
	loopback, err := onLoopback(t.Address)
	if err != nil {
		return err
	}
	if !loopback && !t.TLS() {
		return fmt.Errorf("%s is open to other machines, and tokens would travel in the clear; "+
			"listen on 127.0.0.1 (and use ssh -L), or set daemon.tls_cert and daemon.tls_key", t.Address)
	}
	return nil
}

// onLoopback says whether a host:port is on this machine and nowhere else.
func onLoopback(address string) (bool, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return false, fmt.Errorf("%q is not host:port: %w", address, err)
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return false, fmt.Errorf("%q is no port; write a number up to 65535", port)
	}
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.Unmap().IsLoopback(), nil
	}
	return host == "localhost", nil
}

// Remote is a daemon that a command reaches over TCP.
type Remote struct {
	Address   string // host:port; empty = the Unix socket is used
	TokenFile string
	TLS       bool
	CAFile    string // who has signed the daemon's certificate; empty = whom the system trusts
}

// RemoteFlags are the flags as they were given; empty for one that was not.
type RemoteFlags struct {
	Address, TokenFile, CAFile string
	TLS                        bool
}

// resolveRemote decides each value and checks it.
func (e Environment) resolveRemote(f RemoteFlags) (Remote, error) {
	r := Remote{
		Address: e.first(f.Address, "BETCODE_ADDRESS", ""), TokenFile: e.first(f.TokenFile, "BETCODE_TOKEN_FILE", ""),
		CAFile: e.first(f.CAFile, "BETCODE_TLS_CA", ""), TLS: f.TLS,
	}
	if text := e.Getenv("BETCODE_TLS"); text != "" && !r.TLS {
		var err error
		if r.TLS, err = strconv.ParseBool(text); err != nil {
			return r, fmt.Errorf("read BETCODE_TLS: %q is neither 1 nor 0", text)
		}
	}
	r.TLS = r.TLS || r.CAFile != ""
	if r.Address == "" {
		return r, nil
	}
	loopback, err := onLoopback(r.Address)
	switch {
	case err != nil:
		return r, fmt.Errorf("reach %s: %w", r.Address, err)
	case r.TokenFile == "":
		return r, fmt.Errorf("reach %s: a token is needed; name its file with --token-file", r.Address)
	case !loopback && !r.TLS:
		return r, fmt.Errorf("reach %s: the token would travel in the clear; add --tls, or --tls-ca with the file of who signed the daemon's certificate", r.Address)
	}
	return r, nil
}
