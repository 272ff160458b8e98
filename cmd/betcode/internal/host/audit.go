package host

import (
	"path/filepath"

	"betcode/messages"
	"betcode/persistence/audit"
)

// openAudit opens the audit log. A daemon does not start without one.
func (d *daemon) openAudit() (err error) {
	d.audit, err = audit.Open(audit.Options{
		Directory: filepath.Join(d.cfg.StateDir, "audit"), MaxAge: d.cfg.Audit.Age, MaxBytes: d.cfg.Audit.Bytes, Mask: d.mask,
		Failing: d.auditFails, Warn: func(err error) { d.log.Warn().Err(err).Msg("audit log") },
	})
	if err == nil {
		d.components.report(auditHealth(nil))
		return nil
	}
	return (&messages.Error{Op: "keep audit log", Kind: messages.Unavailable, Err: err}).
		WithHint("the daemon needs an audit log: free disk space, or repair the directory audit in the state directory")
}

// auditFails reports that entries cannot be written to the audit log; a nil error reports that they can again.
func (d *daemon) auditFails(err error) {
	if err != nil {
		d.log.Error().Err(err).Msg("audit log cannot be written")
	} else {
		d.log.Info().Msg("audit log can be written again")
	}
	d.components.report(auditHealth(err))
}

func auditHealth(err error) messages.ComponentHealth {
	c := messages.ComponentHealth{Name: "audit_log", Serving: err == nil}
	if err != nil {
		c.State, c.Message = "audit_log_failing", err.Error()
		c.Reason, c.Impact = "Audit log cannot be written", "Decisions made meanwhile are counted, and not recorded"
	}
	return c
}
