package auth

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

// callerOf returns the name under which a call is limited and summarised: the token, or without one the
// address over TCP, and the client on the Unix socket. All restricted processes count as one caller,
// since they choose their client ids.
func callerOf(ctx context.Context, c *Call) string {
	p, known := PeerOf(ctx)
	switch {
	case c.Fleet != "":
		return "fleet server of " + string(c.Fleet)
	case c.token != "":
		return "token " + c.token
	case known && p.Address.IsValid():
		return "address " + network(p.Address.Addr())
	case known && p.ancestry.decided() && p.ancestry.get() != Unrestricted:
		return "processes that may only view"
	}
	return fmt.Sprintf("client %d %s", p.UID, c.Client)
}

// network returns an IPv4 address, or the /64 network of an IPv6 address, which usually belongs to one caller.
func network(a netip.Addr) string {
	if a.Is6() && !a.Is4In6() {
		if prefix, err := a.Prefix(64); err == nil {
			return prefix.String()
		}
	}
	return a.String()
}

// refuse records that a call, or a request on a stream, was refused with err, and returns
// err. The first refusal of a caller is logged in full, the following ones are counted.
func (d *Interceptor) refuse(ctx context.Context, c *Call, t messages.AuditType, err error) error {
	e := wire.AsError(err)
	if !d.refusals.add(callerOf(ctx, c), refusal{span(c.method), cmp.Or(wire.Reason(e), e.Kind.String()), t}) {
		return err
	}
	d.logCall(ctx, "call refused", 0, wire.Status(err).Err())
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
	d.audit(ctx, entry)
	return err
}

// refusedMany logs the refusals that followed the first one of a caller.
func (d *Interceptor) refusedMany(caller string, more map[refusal]int) {
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
	d.log.Warn().Str(FieldTarget, Target).Str(FieldSpan, "grpc/refusals").Str("caller", caller).Int("calls", total).
		Strs("kinds", kinds).Stringer("within", summaryEvery).Msg("more calls refused")
	if d.options.Audit == nil {
		return
	}
	for _, t := range slices.Sorted(maps.Keys(calls)) {
		d.options.Audit.Record(messages.AuditEntry{
			Type: t, Outcome: messages.OutcomeDenied, ActorType: messages.ActorUser, ActorID: caller,
			Context: map[string]string{
				"calls": strconv.Itoa(calls[t]), "within": summaryEvery.String(), "methods": strings.Join(named[t], ", "),
			},
		})
	}
}

// repeats reports whether the end of a call is a repeated refusal by its handler, which is
// counted and not logged.
func (d *Interceptor) repeats(ctx context.Context, c *Call, code codes.Code) bool {
	switch code {
	case codes.PermissionDenied, codes.Unauthenticated, codes.ResourceExhausted:
		return !d.refusals.add(callerOf(ctx, c), refusal{span: span(c.method), code: code.String()})
	default:
		return false
	}
}
