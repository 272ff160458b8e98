package auth

import (
	"context"
	"errors"

	"google.golang.org/grpc"

	"betcode/grpcapi/wire"
	"betcode/messages"
)

// opAdmit is the operation of all errors that refuse a call.
const opAdmit = "admit call"

// admit serves a call if its caller may make it. It reads nothing of the request before that.
func (d *Interceptor) admit(ctx context.Context, srv any, stream grpc.ServerStream, next grpc.StreamHandler) (err error) {
	c := CallOf(ctx)
	if refusal, err := d.check(ctx, c); err != nil {
		c.refused = true
		return d.refuse(ctx, c, refusal, err)
	}
	leave, err := d.occupy(ctx, c)
	defer leave()
	if err != nil {
		c.refused = true
		return d.refuse(ctx, c, messages.AuditRateLimited, err)
	}
	defer func() { d.auditAdmin(ctx, c.method, err) }()
	if err := d.options.Gate(c.method); err != nil {
		return err
	}
	in := &admitted{ServerStream: stream, ctx: ctx, interceptor: d, call: c, incoming: wire.IncomingOf(stream.Context())}
	defer in.request.End()
	if !c.stream {
		return d.Guard(ctx, func() error { return next(srv, in) })
	}
	valid, end, done := whileValid(ctx, c)
	defer done()
	in.ctx, in.end = valid, end
	err = d.Guard(ctx, func() error { return next(srv, in) })
	var over *messages.Error
	if errors.As(context.Cause(valid), &over) && ctx.Err() == nil {
		return over
	}
	return err
}

// check decides whether a call is served. Cheap checks come first, and rate limits come before
// anything that writes to a log. On an error it also returns the type of the audit entry.
func (d *Interceptor) check(ctx context.Context, c *Call) (messages.AuditType, error) {
	need, _ := Needs(c.method)
	if c.probe = need == Anyone; c.probe && wire.Compressed(ctx) {
		return messages.AuditRefused, messages.Errorf(opAdmit, messages.Unimplemented, "compressed requests are not accepted from callers without a scope").
			WithHint("Send health checks uncompressed.")
	}
	if refusal, err := d.authenticate(ctx, c); err != nil {
		return refusal, err
	}
	if err := d.limitCall(ctx, c); err != nil {
		return messages.AuditRateLimited, err
	}
	if err := allow(ctx, c, c.method); err != nil {
		if need == messages.MayAdmin {
			return messages.AuditAdmin, err
		}
		return messages.AuditRefused, err
	}
	if err := c.limit(); err != nil {
		return messages.AuditRefused, err
	}
	d.auditArrival(ctx, c)
	return "", nil
}

// allow refuses a call for which the caller has none of the rights needed.
func allow(ctx context.Context, c *Call, method string) error {
	need, known := Needs(method)
	switch {
	case !known:
		return messages.Errorf(opAdmit, messages.Denied, "method %s is not in the table of rights", method).
			WithHint("use a method of this version; 'grpcurl describe' lists them")
	case need == Anyone, c.Rights&need != 0:
		return nil
	}
	return lacking(ctx, c, need)
}

// lacking returns the error for a caller that has none of the rights needed.
func lacking(ctx context.Context, c *Call, need messages.Rights) error {
	if p, ok := PeerOf(ctx); ok && p.ancestry.get() != Unrestricted {
		return p.ancestry.get().refuse()
	}
	return messages.Errorf(opAdmit, messages.Denied, "the token %s has the scopes %s, the call needs %s", c.token, c.Rights, need).
		With("token", c.token).WithHint("Use a token that has it: betcode token create NAME --scope ...")
}
