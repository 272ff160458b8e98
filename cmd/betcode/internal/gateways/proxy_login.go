package gateways

import (
	"context"
	"crypto/x509"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"betcode/cmd/betcode/internal/secret"
	"betcode/cmd/betcode/internal/statedir"
	"betcode/gateway/portal/proxy"
	"betcode/messages"
)

type (
	// PortalAddress is the address of a foreign portal.
	PortalAddress = proxy.Address
	// PortalInit is what an init URL of a portal holds.
	PortalInit = proxy.Init
	// PortalCode is what a person enters at a portal to log this machine in.
	PortalCode = proxy.Code
)

// ParsePortal reads the URL of a portal. Without TLS it has to be on this machine, unless insecure
// says otherwise.
func ParsePortal(text string, insecure bool) (PortalAddress, error) {
	return proxy.ParseAddress(text, insecure)
}

// ParseInit reads an init URL of a portal. Nothing is fetched.
func ParseInit(text string) (PortalInit, error) { return proxy.ParseInit(text) }

// Login gets a token from a portal and keeps it: show gets the code that a person approves there.
func Login(ctx context.Context, portal PortalAddress, roots *x509.CertPool, state, hostname string, show func(PortalCode)) error {
	token, err := proxy.NewCaller(portal, roots).Login(ctx, hostname, show, pause)
	if err != nil {
		return err
	}
	if err := secret.Check(token); err != nil {
		return messages.Errorf("log in at the portal", messages.Unavailable, "it gives a token that cannot be one: %w", err)
	}
	return SaveToken(state, portal, token)
}

// pause waits for a time, or until ctx ends.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// tokenFile returns the path of the token for a portal.
func tokenFile(state string, portal PortalAddress) string {
	return filepath.Join(statedir.Proxies(state), "tokens", proxyName(portal))
}

// SavedToken returns the token of the last login at a portal; empty if there is none.
func SavedToken(state string, portal PortalAddress) (string, error) {
	token, err := secret.Read(tokenFile(state, portal))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return token, err
}

// SaveToken keeps the token of a login at a portal, for this user alone.
func SaveToken(state string, portal PortalAddress, token string) error {
	path := tokenFile(state, portal)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return statedir.Replace(path, []byte(token+"\n"))
}

// ForgetToken removes the token of a portal.
func ForgetToken(state string, portal PortalAddress) error {
	if err := os.Remove(tokenFile(state, portal)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
