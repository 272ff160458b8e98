package host

import (
	"crypto/tls"
	"net"
	"path/filepath"
	"time"

	"golang.org/x/time/rate"

	"betcode/actors"
	"betcode/cmd/betcode/internal/local"
	"betcode/cmd/betcode/internal/places"
	"betcode/grpcapi"
	"betcode/messages"
	"betcode/persistence/tokens"
)

// tcpPlaces bounds the connections over TCP, because any process that reaches the port can connect.
var tcpPlaces = places.Limits{
	Known: 192, Address: 160, Newcomers: 64, Strangers: 48,
	Work: places.Work{Free: 8 << 10, Rate: 256 << 10, Burst: 1 << 20},
}

func (d *daemon) openTokens() (err error) {
	d.tokens, err = tokens.Open(filepath.Join(d.cfg.StateDir, "tokens.json"), nil)
	return err
}

// listenTCP opens the port that the settings name, if any. A port that other machines reach needs TLS, which the settings
// check, and at least one token, without which no caller gets in.
func (d *daemon) listenTCP() error {
	address := d.cfg.TCP.Address
	if address == "" {
		return nil
	}
	if d.cfg.TCP.TLS() {
		certificate, err := local.Certificate(d.cfg.TCP.CertFile, d.cfg.TCP.KeyFile)
		if err != nil {
			return err
		}
		d.tls = &tls.Config{MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{certificate}}
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	warned := rate.Sometimes{Interval: time.Minute}
	d.tcp = places.Listen(listener, tcpPlaces, func(from string) {
		warned.Do(func() {
			d.log.Warn().Str("address", from).Int("newcomers", tcpPlaces.Newcomers).
				Msg("connection closed: too many connections have not shown a token")
		})
	})
	if listener.Addr().(*net.TCPAddr).IP.IsLoopback() {
		return nil
	}
	if d.tls == nil { // the name of the address resolved to another machine's
		return messages.Errorf("listen", messages.Invalid, "%s is open to other machines, and tokens would travel in the clear", listener.Addr()).
			WithHint("listen on 127.0.0.1, or set daemon.tls_cert and daemon.tls_key")
	}
	if all, err := d.tokens.List(); err != nil || len(all) == 0 {
		return messages.Errorf("listen", messages.WrongState, "%s is open to other machines, and no token exists", listener.Addr()).
			WithHint("start the daemon without --listen, make a token with 'betcode token create NAME --scope view', then restart it with --listen")
	}
	return nil
}

// tcpOptions returns how the gateway treats callers over TCP.
func (d *daemon) tcpOptions() grpcapi.TCPOptions {
	names := d.cfg.TCP.NameList()
	if host, _, err := net.SplitHostPort(d.cfg.TCP.Address); err == nil && host != "" {
		names = append(names, host)
	}
	return grpcapi.TCPOptions{TLS: d.tls, Names: names, Environment: d.cfg.TCP.Environment, Restricted: actors.ConnectedBelowAgent}
}
