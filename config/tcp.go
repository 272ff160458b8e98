package config

import (
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
)

// TCP configures a daemon's listener on TCP.
type TCP struct {
	Address  string // host:port; empty = no listener
	Names    string // of the daemon, separated by commas
	CertFile string // empty = no encryption
	KeyFile  string

	Environment bool // use the environment of callers that may approve
}

// NameList returns the names.
func (t TCP) NameList() []string {
	return strings.FieldsFunc(t.Names, func(r rune) bool { return r == ',' || r == ' ' })
}

// TLS reports whether connections use TLS.
func (t TCP) TLS() bool { return t.CertFile != "" }

// check refuses unsafe addresses and a certificate without a key.
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

// onLoopback reports whether a host:port is reachable from this machine only.
func onLoopback(address string) (bool, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return false, fmt.Errorf("%q is not host:port: %w", address, err)
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return false, fmt.Errorf("%q is not a port; write a number up to 65535", port)
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
	CAFile    string // certificates of the signer of the daemon's certificate; empty = those of the system
}

// RemoteFlags are the values of the flags; empty for a flag that was not given.
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
		return r, fmt.Errorf("reach %s: the token would travel in the clear; add --tls, or --tls-ca with the certificate of the signer of the daemon's", r.Address)
	}
	return r, nil
}
