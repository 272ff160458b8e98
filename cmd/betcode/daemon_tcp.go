package main

import (
	"crypto/tls"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"golang.org/x/time/rate"

	"betcode/actors"
	"betcode/cmd/betcode/internal/places"
	"betcode/grpcapi"
	"betcode/messages"
	"betcode/persistence/tokens"
)

// tcpPlaces bounds the connections over TCP, since any process that reaches the port
// may connect.
var tcpPlaces = places.Limits{Known: 192, Address: 160, Newcomers: 64, Strangers: 48}

func (d *daemon) openTokens() (err error) {
	d.tokens, err = tokens.Open(filepath.Join(d.cfg.StateDir, "tokens.json"), nil)
	return err
}

// listenTCP opens the port that the settings name, if any. Beyond this machine that
// takes TLS (the settings have seen to it) and a token, without which nobody could come.
func (d *daemon) listenTCP() error {
	address := d.cfg.TCP.Address
	if address == "" {
		return nil
	}
	if d.cfg.TCP.TLS() {
		certificate, err := d.certificate()
		if err != nil {
			return err
		}
		d.tls = &tls.Config{MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{certificate}}
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	told := rate.Sometimes{Interval: time.Minute}
	d.tcp = places.Listen(listener, tcpPlaces, func(from string) {
		told.Do(func() {
			d.log.Warn().Str("address", from).Int("newcomers", tcpPlaces.Newcomers).
				Msg("connection closed: too many are open that have shown no token")
		})
	})
	if listener.Addr().(*net.TCPAddr).IP.IsLoopback() {
		return nil
	}
	if d.tls == nil { // a name that led elsewhere than it says
		return messages.Errorf("listen", messages.Invalid, "%s is open to other machines, and tokens would travel in the clear", listener.Addr()).
			WithHint("listen on 127.0.0.1, or set daemon.tls_cert and daemon.tls_key")
	}
	if all, err := d.tokens.List(); err != nil || len(all) == 0 {
		return messages.Errorf("listen", messages.WrongState, "%s is open to other machines, and there is no token that somebody could come with", listener.Addr()).
			WithHint("start the daemon without --listen, make a token with 'betcode token create NAME --scope view', then restart it with --listen")
	}
	return nil
}

// certificate reads the daemon's own, with its key.
func (d *daemon) certificate() (tls.Certificate, error) {
	info, err := os.Stat(d.cfg.TCP.KeyFile)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("read key: %w", err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return tls.Certificate{}, messages.Errorf("read key", messages.WrongState, "%s is open to others (%v)", d.cfg.TCP.KeyFile, info.Mode()).
			WithHint("chmod 600 it, and have another key made if somebody may have read it")
	}
	return tls.LoadX509KeyPair(d.cfg.TCP.CertFile, d.cfg.TCP.KeyFile)
}

// tcpOptions say how callers over TCP are met.
func (d *daemon) tcpOptions() grpcapi.TCPOptions {
	names := d.cfg.TCP.NameList()
	if host, _, err := net.SplitHostPort(d.cfg.TCP.Address); err == nil && host != "" {
		names = append(names, host)
	}
	return grpcapi.TCPOptions{TLS: d.tls, Names: names, Environment: d.cfg.TCP.Environment, Restricted: actors.ConnectedBelowAgent}
}
