package auth

import (
	"cmp"
	"context"

	"betcode/grpcapi/wire"
	"betcode/messages"
)

// Auditor is the audit log. It is safe for concurrent use.
type Auditor interface {
	// Record writes an entry. A failure is reported by health.
	Record(messages.AuditEntry)
	// Read calls f for the entries that match filter, oldest first, until f returns an error.
	Read(ctx context.Context, filter messages.AuditFilter, f func(messages.AuditEntry) error) error
}

// audit records an entry about the call of ctx.
func (d *Interceptor) audit(ctx context.Context, e messages.AuditEntry) {
	if d.options.Audit == nil {
		return
	}
	c := CallOf(ctx)
	e.ActorType = cmp.Or(e.ActorType, messages.ActorUser)
	e.ActorID, e.Session = cmp.Or(e.ActorID, string(c.Client)), cmp.Or(e.Session, c.Session)
	d.options.Audit.Record(e)
}

// auditAdmin records how a call that needs the right admin ended.
func (d *Interceptor) auditAdmin(ctx context.Context, method string, err error) {
	if need, _ := Needs(method); need != messages.MayAdmin {
		return
	}
	e := messages.AuditEntry{Type: messages.AuditAdmin, Outcome: messages.OutcomeSuccess, Context: map[string]string{"method": span(method)}}
	if err != nil {
		ours := wire.AsError(err)
		e.Outcome, e.ErrorCode, e.ErrorMessage = messages.OutcomeFailure, wire.Reason(ours), ours.Error()
	}
	d.audit(ctx, e)
}
