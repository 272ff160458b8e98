package gateways

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/google/uuid"
	"github.com/rs/zerolog"

	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/fleetmcp"
	"betcode/cmd/betcode/internal/statedir"
	"betcode/config"
	"betcode/gateway/portal/proxy"
	"betcode/gateway/portal/wire"
	"betcode/messages"
)

const opProxy = "run proxy"

// ProxyOptions configure a proxy.
type ProxyOptions struct {
	Backend    PortalAddress
	Roots      *x509.CertPool // that sign the backend's certificate; nil = those of the system
	Token      string
	Session    string // its id
	Name       string // of the session at the portal
	Generation int    // whose dialect it speaks, 1 to 3
	ReadOnly   bool
	Detach     bool   // a session that the portal terminates goes on
	Uploads    string // directory of uploaded files; empty for one of the proxy's own
	State      string // the state directory
	Version    string
	Daemon     config.Client
	Ready      io.Writer // gets the session's id when the portal has registered it
	Log        io.Writer
}

// maxUpload bounds an uploaded file, in bytes. It is what portals allow by default.
const maxUpload = 10 << 20

// Proxy registers a session at a foreign portal until ctx ends or the portal ends the session.
func Proxy(ctx context.Context, o ProxyOptions) (err error) {
	if err := fleetmcp.Seclude(); err != nil {
		return fmt.Errorf("keep other processes out: %w", err)
	}
	if o.Daemon.Remote.Address != "" {
		return messages.Errorf(opProxy, messages.Invalid, "the proxy needs the socket of its daemon").
			WithHint("run it on the daemon's machine, without --address")
	}
	store, err := openProxyStore(filepath.Join(statedir.Proxies(o.State), proxyName(o.Backend, o.Session)))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	files := uploads{o.Uploads}
	if o.Uploads == "" {
		files.directory = filepath.Join(store.directory, "uploads")
	}
	name := "portal-proxy-" + proxyName(o.Backend, o.Session)[:8] // the same in every incarnation
	cl, err := client.Open(o.Daemon, client.Identity{ID: name, Type: "proxy"})
	if err != nil {
		return err
	}
	defer cl.Close()
	log := zerolog.New(o.Log).With().Timestamp().Str("session_id", o.Session).Str("portal", o.Backend.String()).Logger()
	hostname, _ := os.Hostname() // for people
	return proxy.New(proxy.Options{
		Config: proxy.Config{
			Backend: o.Backend.String(), Session: o.Session, Name: o.Name, Hostname: hostname, Version: "betcode " + o.Version, Token: o.Token,
			Dialect: wire.Dialect(o.Generation), Client: name, ReadOnly: o.ReadOnly, Detach: o.Detach, MaxUpload: maxUpload, NewID: uuid.NewString,
		},
		Daemon: proxiedSession{cl, o.Session, o.ReadOnly}, Store: store, Dial: proxy.NewCaller(o.Backend, o.Roots).Dial, Branch: branchOf, Keep: files.keep,
		Registered: func() error {
			if _, err := fmt.Fprintln(o.Ready, o.Session); err != nil {
				return fmt.Errorf("report that the session is registered: %w", err)
			}
			return nil
		},
		Random: rand.Float64, Logger: &log,
	}).Run(ctx)
}
