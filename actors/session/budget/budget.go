package budget

import (
	"math"
	"time"

	"betcode/messages"
)

// Bounds of what one turn may report.
const (
	maxTurnUSD    = 100_000.0
	maxTurnTokens = 10_000_000_000
)

// Turn is what the agent reports about one turn.
type Turn struct {
	USD       float64 // of this turn
	CostKnown bool    // the agent has reported a cost
	Tokens    uint64  // as [messages.Spent] counts them
}

// Add returns the sum after a turn. Its cost is unknown if the agent reports none, or one that cannot be true; then its tokens count
// all the same.
func Add(s messages.Spent, t Turn) messages.Spent {
	s.Turns = saturate(s.Turns)
	if t.CostKnown && t.USD >= 0 && t.USD <= maxTurnUSD { // false for what is no number
		s.Micros = sum(s.Micros, uint64(math.Round(t.USD*1e6)))
	} else {
		s.Unknown = saturate(s.Unknown)
	}
	s.Tokens = sum(s.Tokens, min(t.Tokens, maxTurnTokens))
	return s
}

// Before returns the sum of a session that was recorded before sums were kept: that of its usage.
func Before(s messages.Spent, u messages.Usage) messages.Spent {
	if s != (messages.Spent{}) || !(u.CostUSD > 0) {
		return s
	}
	const most = 1e15 // millionths; more cannot have been counted
	return messages.Spent{
		Micros: uint64(math.Round(min(u.CostUSD*1e6, most))),
		Tokens: sum(sum(u.InputTokens, u.OutputTokens), u.CacheCreationTokens),
	}
}

// CutOff returns the sum after a part of a turn that ended without a result.
func CutOff(s messages.Spent) messages.Spent {
	s.Unknown = saturate(s.Unknown)
	return s
}

// Worked returns the sum after some working time. What is not positive does not count.
func Worked(s messages.Spent, d time.Duration) messages.Spent {
	if d > 0 {
		s.Work += min(d, math.MaxInt64-s.Work)
	}
	return s
}

func sum(a, b uint64) uint64 { return a + min(b, math.MaxUint64-a) }

func saturate(n uint32) uint32 { return n + min(1, math.MaxUint32-n) }

// Raised returns the limit after a person has allowed more: each member that is reached is raised by its step as often as it takes to
// leave room for more. A member without a step is raised by itself.
func Raised(l, step messages.BudgetLimit, s messages.Spent) messages.BudgetLimit {
	l.Micros = raised(l.Micros, step.Micros, s.Micros)
	l.Tokens = raised(l.Tokens, step.Tokens, s.Tokens)
	l.Work = time.Duration(raised(uint64(max(l.Work, 0)), uint64(max(step.Work, 0)), uint64(max(s.Work, 0))))
	return l
}

func raised(limit, step, used uint64) uint64 {
	if limit == 0 || used < limit {
		return limit
	}
	if step == 0 {
		step = limit
	}
	times := (used-limit)/step + 1
	if times > (math.MaxInt64-limit)/step {
		return math.MaxInt64
	}
	return limit + times*step
}
