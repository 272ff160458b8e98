package auth

import (
	"github.com/rs/zerolog"

	"betcode/messages"
)

// Restriction is the reason why a caller may only view.
type Restriction uint8

// The restrictions.
const (
	Unrestricted Restriction = iota
	BelowAgent               // it is an agent or descends from one
	Unknown                  // its ancestry could not be determined
)

// restriction determines whether a caller descends from an agent.
func (c unixCredentials) restriction(pid int, caller witness) Restriction {
	if c.restricted == nil {
		return Unrestricted
	}
	below, err := c.restricted(pid)
	if err == nil {
		err = caller.alive() // otherwise the pid may have been reused before the look-up
	}
	return c.note(below, err, func(e *zerolog.Event) *zerolog.Event { return e.Int(fieldPID, pid) })
}

// note returns the restriction of a caller from the result of its look-up, and logs a
// restricted caller: the first of a minute, the others are counted.
func (c unixCredentials) note(below bool, err error, about func(*zerolog.Event) *zerolog.Event) Restriction {
	switch {
	case err != nil:
		if c.notes.add("callers of unknown origin", refusal{span: spanConnect, code: "view only"}) {
			about(c.log.Warn()).Str(FieldTarget, Target).Str(FieldSpan, spanConnect).Err(err).
				Msg("caller may only view: its ancestry is unknown")
		}
		return Unknown
	case below:
		if c.notes.add("descendants of agents", refusal{span: spanConnect, code: "view only"}) {
			about(c.log.Info()).Str(FieldTarget, Target).Str(FieldSpan, spanConnect).
				Msg("caller may only view: it descends from an agent")
		}
		return BelowAgent
	}
	return Unrestricted
}

// rights returns the rights of a caller with this restriction.
func (r Restriction) rights() messages.Rights {
	if r == Unrestricted {
		return messages.MayEverything
	}
	return messages.MayView
}

// refuse returns the error for a restricted caller that needs more rights.
func (r Restriction) refuse() error {
	if r == BelowAgent {
		return messages.Errorf(opAdmit, messages.Denied, "an agent started this process, and agents may only view").
			WithHint("Run the command in a terminal that no agent started: people decide about agents.")
	}
	return messages.Errorf(opAdmit, messages.Denied, "whether an agent started this process is unknown, so it may only view").
		WithHint("Run the command on the daemon's machine, outside containers; the daemon's log has the reason.")
}
