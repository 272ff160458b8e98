package auth

import (
	"context"
	"net"
	"net/netip"
	"slices"
	"strings"

	"google.golang.org/grpc/metadata"

	"betcode/grpcapi/wire"
	"betcode/messages"
)

// checkHost refuses calls made by web pages. Browsers send an origin, programs do not. A name that
// an attacker points at this machine (DNS rebinding) is not among the daemon's names. Addresses are
// accepted.
func (d *Interceptor) checkHost(ctx context.Context) error {
	if origins := metadata.ValueFromIncomingContext(ctx, "origin"); len(origins) > 0 {
		return messages.Errorf(opAdmit, messages.Denied, "calls from web pages are not served").
			WithHint("Use a program; this daemon has no gateway for browsers.")
	}
	for _, authority := range metadata.ValueFromIncomingContext(ctx, ":authority") {
		if !d.answersTo(authority) {
			return messages.Errorf(opAdmit, messages.Denied, "%q is not a name of this daemon", wire.Clip(authority)).
				WithHint("Use its address, or add the name to daemon.listen_names.")
		}
	}
	return nil
}

// answersTo reports whether an authority names this daemon. An authority is a name or an address,
// with or without a port.
func (d *Interceptor) answersTo(authority string) bool {
	host := authority
	if name, _, err := net.SplitHostPort(authority); err == nil {
		host = name
	}
	host = strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
	if _, err := netip.ParseAddr(host); err == nil {
		return true
	}
	return host == "localhost" || slices.ContainsFunc(d.options.TCP.Names, func(name string) bool { return strings.EqualFold(name, host) })
}
