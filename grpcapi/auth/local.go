package auth

import (
	"net"

	"github.com/rs/zerolog"
)

// Local admits connections to the Unix socket of another gateway. Callers are identified as on the
// daemon's socket. A process that may only view is refused, because behind a gateway the daemon
// cannot distinguish it from the user.
type Local struct {
	credentials unixCredentials
	refusals    *summaries
}

// NewLocal returns a Local. Call Close when no more connections are admitted. restricted is as in [Options].
func NewLocal(restricted func(pid int) (bool, error), log *zerolog.Logger) *Local {
	refusals := newSummaries(func(caller string, more map[refusal]int) {
		total := 0
		for _, n := range more {
			total += n
		}
		log.Warn().Str(FieldTarget, Target).Str("caller", caller).Int("connections", total).Stringer("within", summaryEvery).
			Msg("more connections refused")
	})
	return &Local{newUnixCredentials(restricted, log, refusals), refusals}
}

// Admit identifies the process at the other end and returns the connection to use. The error for a
// process of this user that may only view is a messages.Error.
func (l *Local) Admit(conn net.Conn) (net.Conn, error) {
	admitted, info, err := l.credentials.ServerHandshake(conn)
	if err != nil {
		return nil, err
	}
	if r := info.(AuthInfo).ancestry.get(); r != Unrestricted {
		return nil, r.refuse()
	}
	return admitted, nil
}

// Close reports the refusals that were counted and not reported yet.
func (l *Local) Close() { l.refusals.close() }
