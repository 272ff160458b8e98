package grpcapi

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

// checkHost refuses calls that a page in somebody's browser has made. A name that
// somebody else may point at this machine (DNS rebinding) is not among the names that we
// are called by; an address is no name, and says where the call went. Programs send no
// origin.
func (s *Server) checkHost(ctx context.Context) error {
	if origins := metadata.ValueFromIncomingContext(ctx, "origin"); len(origins) > 0 {
		return messages.Errorf(opAdmit, messages.Denied, "calls from web pages are not served").
			WithHint("Use a program; there is no gateway for browsers here.")
	}
	for _, authority := range metadata.ValueFromIncomingContext(ctx, ":authority") {
		if !s.answersTo(authority) {
			return messages.Errorf(opAdmit, messages.Denied, "this daemon is not called %q", wire.Clip(authority)).
				WithHint("Use its address, or add the name to daemon.listen_names.")
		}
	}
	return nil
}

// answersTo says whether an authority, a name or address with or without a port, means
// this daemon.
func (s *Server) answersTo(authority string) bool {
	host := authority
	if name, _, err := net.SplitHostPort(authority); err == nil {
		host = name
	}
	host = strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
	if _, err := netip.ParseAddr(host); err == nil {
		return true
	}
	return host == "localhost" || slices.ContainsFunc(s.options.TCP.Names, func(name string) bool { return strings.EqualFold(name, host) })
}
