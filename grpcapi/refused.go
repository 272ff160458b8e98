package grpcapi

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/grpc/codes"

	"betcode/grpcapi/wire"
	"betcode/messages"
)

// callerOf names whoever makes a call, for limits and summaries: the token over TCP,
// without one the address, on the Unix socket the client. Processes that may only view
// count as one caller: what they say of themselves is not believed.
func callerOf(ctx context.Context, c *call) string {
	p, known := PeerOf(ctx)
	switch {
	case c.token != "":
		return "token " + c.token
	case known && p.Address.IsValid():
		return "address " + network(p.Address.Addr())
	case known && p.judged.decided() && p.judged.get() != unrestricted:
		return "processes that may only view"
	}
	return fmt.Sprintf("client %d %s", p.UID, c.client)
}

// network is an address, of IPv6 the network that one caller usually has.
func network(a netip.Addr) string {
	if a.Is6() && !a.Is4In6() {
		if prefix, err := a.Prefix(64); err == nil {
			return prefix.String()
		}
	}
	return a.String()
}

// refused notes that a call, or a request on a stream, was turned away, and returns why.
// The first of a caller is written down in full, those that follow are counted.
func (s *Server) refused(ctx context.Context, c *call, t messages.AuditType, err error) error {
	e := wire.AsError(err)
	if !s.refusals.add(callerOf(ctx, c), refusal{span(c.method), cmp.Or(wire.Reason(e), e.Kind.String()), t}) {
		return err
	}
	s.logCall(ctx, "call refused", 0, wire.Status(err).Err())
	entry := messages.AuditEntry{Type: t, Outcome: messages.OutcomeDenied, Context: map[string]string{"method": span(c.method)}}
	if p, ok := PeerOf(ctx); ok && p.Address.IsValid() {
		entry.ClientIP = p.Address.Addr().String()
	}
	if t != messages.AuditRateLimited {
		entry.ErrorCode, entry.ErrorMessage = wire.Reason(e), e.Error()
	}
	if c.token != "" {
		entry.Context["token"] = c.token
	}
	s.audit(ctx, entry)
	return err
}

// refusedMany writes down what followed the first refusal of a caller.
func (s *Server) refusedMany(caller string, more map[refusal]int) {
	total, calls := 0, map[messages.AuditType]int{}
	var kinds []string
	named := map[messages.AuditType][]string{}
	for _, r := range sortedRefusals(more) {
		total += more[r]
		kind := fmt.Sprintf("%s %s: %d", r.span, r.code, more[r])
		kinds = append(kinds, kind)
		if r.audit != "" {
			calls[r.audit] += more[r]
			named[r.audit] = append(named[r.audit], kind)
		}
	}
	s.log.Warn().Str(fieldTarget, target).Str(fieldSpan, "grpc/refusals").Str("caller", caller).Int("calls", total).
		Strs("kinds", kinds).Stringer("within", summaryEvery).Msg("more calls refused")
	if s.options.Audit == nil {
		return
	}
	for _, t := range slices.Sorted(maps.Keys(calls)) {
		s.options.Audit.Record(messages.AuditEntry{
			Type: t, Outcome: messages.OutcomeDenied, ActorType: messages.ActorUser, ActorID: caller,
			Context: map[string]string{
				"calls": strconv.Itoa(calls[t]), "within": summaryEvery.String(), "methods": strings.Join(named[t], ", "),
			},
		})
	}
}

// repeats reports whether the end of a call is one of many alike that are only counted:
// a refusal by whoever answers it.
func (s *Server) repeats(ctx context.Context, c *call, code codes.Code) bool {
	switch code {
	case codes.PermissionDenied, codes.Unauthenticated, codes.ResourceExhausted:
		return !s.refusals.add(callerOf(ctx, c), refusal{span: span(c.method), code: code.String()})
	default:
		return false
	}
}
