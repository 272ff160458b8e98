package main

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"

	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/exit"
	"betcode/config"
)

// newClient is a client for a daemon, wherever it is.
func newClient(cfg config.Client) (*client.Client, error) {
	o := client.Options{Socket: cfg.SocketPath, ID: clientID()}
	if r := cfg.Remote; r.Address != "" {
		token, err := readToken(r.TokenFile)
		if err != nil {
			return nil, exit.Usage(fmt.Errorf("read token: %w", err))
		}
		o.Remote = &client.Remote{Address: r.Address, Token: token}
		if r.TLS {
			if o.Remote.TLS, err = clientTLS(r.CAFile); err != nil {
				return nil, exit.Usage(err)
			}
		}
	}
	return client.New(o)
}

// clientTLS trusts who has signed the daemon's certificate: those of a file, or whom the
// system trusts.
func clientTLS(caFile string) (*tls.Config, error) {
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
