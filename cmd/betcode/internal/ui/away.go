package ui

import (
	"strings"
	"time"

	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/lookback"
	pb "betcode/proto/betcode/v1"
)

// longAbsence is how long the terminal was without the focus when a digest is shown again.
const longAbsence = 10 * time.Minute

// digestText sums up a digest on one line; empty if nothing happened. before says that the person was here earlier: otherwise there
// was no absence.
func digestText(d *pb.DigestResponse, before bool) string {
	if len(d.GetSessions()) == 0 {
		return ""
	}
	period := "In the last 24 hours: " // [lookback.DefaultPeriod]
	if before {
		period = "While you were away, for " + console.Span(d.GetUntil().AsTime().Sub(d.GetSince().AsTime())) + ": "
	}
	return period + strings.Join(lookback.Sums(d), ", ")
}

// Away takes what happened while the person was away. before says that the person was here earlier.
func (m *Model) Away(d *pb.DigestResponse, before bool) { m.away = digestText(d, before) }

// Focus records whether the terminal has the focus. After an absence of at least longAbsence it returns the time at which the focus was
// lost, otherwise the zero time.
func (m *Model) Focus(now time.Time, focused bool) (since time.Time) {
	switch {
	case !focused:
		m.blurred = now
	case !m.blurred.IsZero():
		if now.Sub(m.blurred) >= longAbsence {
			since = m.blurred
		}
		m.blurred = time.Time{}
	}
	return since
}
