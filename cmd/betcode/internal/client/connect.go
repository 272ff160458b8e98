package client

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"os/user"
	"strings"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"betcode/cmd/betcode/internal/exit"
	"betcode/cmd/betcode/internal/secret"
	"betcode/config"
)

// PingTimeout bounds how long a daemon may take to answer a health check.
const PingTimeout = 5 * time.Second

// Open returns a client for the daemon that cfg names, over the socket or TCP. It does not connect.
func Open(cfg config.Client, id Identity) (*Client, error) {
	o := Options{Socket: cfg.SocketPath, Identity: id}
	if r := cfg.Remote; r.Address != "" {
		token, err := secret.Read(r.TokenFile)
		if err != nil {
			return nil, exit.Usage(fmt.Errorf("read token: %w", err))
		}
		o.Remote = &Remote{Address: r.Address, Token: token}
		if r.TLS {
			if o.Remote.TLS, err = trusting(r.CAFile); err != nil {
				return nil, exit.Usage(err)
			}
		}
	}
	return New(o)
}

// Dial returns a client for the daemon that cfg names once that daemon has answered a health check.
func Dial(ctx context.Context, cfg config.Client) (*Client, error) {
	cl, err := Open(cfg, Person())
	if err != nil {
		return nil, err
	}
	pinging, cancel := context.WithTimeout(ctx, PingTimeout)
	defer cancel()
	if _, err := cl.Ping(pinging); err != nil {
		cl.Close()
		if pinging.Err() != nil && ctx.Err() == nil { // a process listens and does not answer
			err = status.Errorf(codes.Unavailable, "no answer within %s", PingTimeout)
		}
		return nil, err
	}
	return cl, nil
}

// NoDaemon returns the error for a daemon that does not answer, with the address, the reason and a hint.
func NoDaemon(cfg config.Client) error {
	if cfg.Remote.Address != "" {
		return exit.With(exit.Connection, fmt.Errorf(
			"connect to the daemon at %s: no answer, or not with the expected TLS. The daemon listens there if it was started with --listen; --address, --tls and --tls-ca say how to reach it", cfg.Remote.Address))
	}
	why := "no answer"
	if _, err := os.Stat(cfg.SocketPath); errors.Is(err, os.ErrNotExist) {
		why = "there is no socket"
	} else if errors.Is(err, os.ErrPermission) {
		why = "permission denied"
	}
	return exit.With(exit.Connection, fmt.Errorf(
		"connect to the daemon at %s: %s. Start one with 'betcode daemon start', or add --start", cfg.SocketPath, why))
}

// Person returns an identity for the commands of this process. The daemon shows it as the holder of the input lock and
// with decisions, so it names the person: user@host:terminal, or user@host without one. A number sign, the process id
// and a random text follow, because each client of a session needs an id of its own: another process that gets the id
// of a dead one must not get the lock that is reserved for it.
func Person() Identity {
	host, _ := os.Hostname() // without it the user is named alone
	id := identityPart(userName(), "cli")
	if host = identityPart(host, ""); host != "" {
		id += "@" + host
	}
	if terminal := identityPart(terminalName(), ""); terminal != "" {
		id += ":" + terminal
	}
	return Identity{ID: fmt.Sprintf("%s#%d.%s", id, os.Getpid(), strings.ToLower(rand.Text()[:10]))}
}

// userName returns the name of the user; empty if it is unknown. Jobs of cron and containers often have no USER.
func userName() string {
	if name := cmp.Or(os.Getenv("USER"), os.Getenv("LOGNAME")); name != "" {
		return name
	}
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return ""
}

// identityPart returns text if it can be a part of an identity, otherwise another.
func identityPart(text, otherwise string) string {
	if text == "" || len(text) > 32 || strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' || r == '#' }) {
		return otherwise
	}
	return text
}

// terminalName returns the name of the terminal behind standard input, such as pts/3; empty if there is none.
func terminalName() string {
	name, err := os.Readlink("/proc/self/fd/0")
	if name, ok := strings.CutPrefix(name, "/dev/"); err == nil && ok && (strings.HasPrefix(name, "pts/") || strings.HasPrefix(name, "tty")) {
		return name
	}
	return ""
}

// trusting returns a TLS configuration that trusts the authorities in a file; those of the system if caFile is empty.
func trusting(caFile string) (*tls.Config, error) {
	c := &tls.Config{MinVersion: tls.VersionTLS13}
	if caFile == "" {
		return c, nil
	}
	pem, err := os.ReadFile(caFile)
	if err != nil {
		return nil, fmt.Errorf("read certificate: %w", err)
	}
	if c.RootCAs = x509.NewCertPool(); !c.RootCAs.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("read certificate: there is none in %s", caFile)
	}
	return c, nil
}
