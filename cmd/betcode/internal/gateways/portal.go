package gateways

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/netip"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"betcode/actors"
	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/local"
	"betcode/config"
	"betcode/gateway/portal"
	"betcode/gateway/portal/voice"
	"betcode/messages"
)

const opPortal = "open portal"

// CodePrefix begins the names of tokens that a browser may exchange for a login, once.
const CodePrefix = portal.CodePrefix

// InitURL returns the address from which a proxy of the portal at base reads its token.
func InitURL(base, secret string) string { return portal.InitURL(base, secret) }

// PortalOptions configure the gateway of the portal.
type PortalOptions struct {
	Listen     string        // host:port
	URL        string        // at which browsers reach it, if that is not where it listens
	Cert       string        // file; empty = no TLS
	Key        string        // file
	Pages      string        // directory of the page; empty = none
	Uploads    string        // directory for files of pages
	MaxProxies int           // that may be connected
	Dev        bool          // without logins
	Command    string        // that recognises speech: a program and its arguments, between blanks; empty = none
	Speech     string        // URL of a server that does; empty = none
	Lifetime   time.Duration // of a login
	Version    string
	Daemon     config.Client
	Ready      io.Writer // gets a line when browsers may connect
	Log        io.Writer
}

// Portal serves pages of the portal until ctx ends.
func Portal(ctx context.Context, o PortalOptions) error {
	serve, err := o.serving()
	if err != nil {
		return err
	}
	log := zerolog.New(o.Log).With().Timestamp().Logger()
	serve.Logger = &log
	recogniser, closeRecogniser, err := o.recogniser()
	if err != nil {
		return err
	}
	defer closeRecogniser()
	serve.Recogniser = recogniser
	serve.Keep = uploads{o.Uploads}.keep
	serve.Connect = func(secret, id string) (portal.Daemon, error) {
		cl, err := client.New(client.Options{Socket: o.Daemon.SocketPath, Identity: client.Identity{ID: id, Type: "portal"}, Caller: secret})
		if err != nil {
			return nil, err
		}
		return portalDaemon{cl}, nil
	}
	user, err := client.Open(o.Daemon, client.Identity{ID: "portal-gateway", Type: "portal"})
	if err != nil {
		return err
	}
	defer user.Close()
	serve.Tokens, serve.Admit = portalTokens{user}, admitTCP
	listener, err := net.Listen("tcp", o.Listen)
	if err != nil {
		return (&messages.Error{Op: opPortal, Kind: messages.Unavailable, Err: err}).WithHint("another program may have the port; --listen 127.0.0.1:0 takes a free one")
	}
	address, scheme := listener.Addr().String(), "http"
	if o.Cert != "" {
		certificate, err := local.Certificate(o.Cert, o.Key)
		if err != nil {
			listener.Close()
			return fmt.Errorf("%s: %w", opPortal, err)
		}
		listener = tls.NewListener(listener, &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{certificate}})
		scheme = "https"
	}
	if _, err := fmt.Fprintf(o.Ready, "%s://%s\n", scheme, address); err != nil {
		listener.Close()
		return fmt.Errorf("report that the portal is ready: %w", err)
	}
	return portal.New(serve).Serve(ctx, listener)
}

// serving checks the options. Beyond this machine there is TLS, here or in front of the portal, and
// never dev mode.
func (o PortalOptions) serving() (portal.Options, error) {
	if o.Daemon.Remote.Address != "" {
		return portal.Options{}, messages.Errorf(opPortal, messages.Invalid, "the portal needs the socket of its daemon").
			WithHint("run it on the daemon's machine, without --address")
	}
	serve := portal.Options{MaxProxies: o.MaxProxies, Dev: o.Dev, Lifetime: o.Lifetime, Version: o.Version, Secure: o.Cert != ""}
	serve.Hostname, _ = os.Hostname() // a page shows it
	host, _, err := net.SplitHostPort(o.Listen)
	if err != nil {
		return serve, messages.Errorf(opPortal, messages.Invalid, "--listen %q is no HOST:PORT", o.Listen)
	}
	address, err := netip.ParseAddr(host)
	loopback := host == "localhost" || err == nil && address.IsLoopback()
	switch {
	case loopback:
	case o.Dev:
		return serve, messages.Errorf(opPortal, messages.Denied, "dev mode serves everybody, and %s is not on loopback", o.Listen).
			WithHint("listen on 127.0.0.1, or leave --dev out")
	case o.Cert == "":
		return serve, messages.Errorf(opPortal, messages.Denied, "%s is not on loopback, and there is no TLS", o.Listen).
			WithHint("give --tls-cert and --tls-key, or listen on 127.0.0.1 behind a server that has TLS and name it with --url")
	}
	if err != nil && !loopback {
		serve.Names = append(serve.Names, host)
	}
	if o.URL != "" {
		u, err := url.Parse(o.URL)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			return serve, messages.Errorf(opPortal, messages.Invalid, "--url %q is no address of a site", o.URL)
		}
		serve.Names, serve.Secure = append(serve.Names, u.Hostname()), serve.Secure || u.Scheme == "https"
	}
	if o.Dev && len(serve.Names) > 0 {
		return serve, messages.Errorf(opPortal, messages.Denied, "dev mode serves everybody, and --url makes it known to others").
			WithHint("leave --dev or --url out")
	}
	serve.Pages, err = pagesIn(o.Pages)
	return serve, err
}

// recogniser returns what recognises speech, nil if nothing does, and how to end it.
func (o PortalOptions) recogniser() (voice.Recogniser, func(), error) {
	argv := strings.Fields(o.Command)
	switch {
	case len(argv) > 0 && o.Speech != "":
		return nil, nil, messages.Errorf(opPortal, messages.Invalid, "there are two recognisers").
			WithHint("leave --recogniser-command or --recogniser-url out")
	case len(argv) > 0:
		if _, err := exec.LookPath(argv[0]); err != nil {
			return nil, nil, messages.Errorf(opPortal, messages.Invalid, "the recogniser cannot be started: %s", err)
		}
		return voice.Command{Argv: argv}, func() {}, nil
	case o.Speech != "":
		server, err := voice.NewServer(o.Speech)
		if err != nil {
			return nil, nil, messages.Errorf(opPortal, messages.Invalid, "%s", err).WithHint("give an https URL, or an http URL of this machine")
		}
		return server, server.Close, nil
	}
	return nil, func() {}, nil
}

// pagesIn opens the directory of the page. Links in it do not lead out of it.
func pagesIn(directory string) (fs.FS, error) {
	if directory == "" {
		return nil, nil
	}
	root, err := os.OpenRoot(directory)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", opPortal, err)
	}
	return root.FS(), nil
}

// admitTCP refuses processes that an agent has started: behind a gateway the daemon cannot tell
// them from the user, and a token that one has found must not help it.
func admitTCP(conn net.Conn) error {
	if secured, ok := conn.(*tls.Conn); ok {
		conn = secured.NetConn()
	}
	caller, err := netip.ParseAddrPort(conn.RemoteAddr().String())
	ours, err2 := netip.ParseAddrPort(conn.LocalAddr().String())
	if err := errors.Join(err, err2); err != nil {
		return err
	}
	below, err := actors.ConnectedBelowAgent(netip.AddrPortFrom(caller.Addr().Unmap(), caller.Port()), netip.AddrPortFrom(ours.Addr().Unmap(), ours.Port()))
	switch {
	case err != nil:
		return fmt.Errorf("whether an agent started this process is unknown, so it is not served: %w", err)
	case below:
		return errors.New("an agent started this process, and agents may only view")
	}
	return nil
}
