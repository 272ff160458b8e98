package claude

import (
	"math"
	"time"

	betcodev1 "betcode/proto/betcode/v1"
)

// What a turn has consumed, as its result says.

// maxCost bounds a plausible cost, in US dollars.
const maxCost = 1_000_000

// plausible reports whether a cost can be true. An implausible cost counts as not reported: the next true total contains the
// turn.
func plausible(cost float64) bool { return cost >= 0 && cost <= maxCost }

// turnUsage returns the usage of this turn. The agent's total runs across turns and
// processes, and starts again when the conversation does.
func (t *translation) turnUsage() Usage {
	r := &t.l
	const most = uint64(1 << 53)
	u := Usage{
		InputTokens:         clampInt(r.Usage.Input, most),
		OutputTokens:        clampInt(r.Usage.Output, most),
		CacheReadTokens:     clampInt(r.Usage.CacheRead, most),
		CacheCreationTokens: clampInt(r.Usage.CacheCreation, most),
		Duration:            millis(r.Duration),
		Model:               t.s.d.Model,
	}
	switch {
	case r.TotalCost != nil && plausible(*r.TotalCost):
		total := *r.TotalCost
		u.CostUSD = total - t.s.d.Cost
		if total < t.s.d.Cost || t.countsAnew() {
			u.CostUSD = total
		}
		t.s.d.Cost, t.s.d.Tokens, t.s.d.Fresh = total, t.allTokens(), false
	case r.TotalCost == nil && r.Cost != nil && plausible(*r.Cost): // older versions report the cost of the turn
		u.CostUSD = *r.Cost
	default:
		u.CostUnknown = true
	}
	if scaled := u.CostUSD * 1e12; scaled < 1<<53 { // removes the rounding error of the subtraction
		u.CostUSD = math.Round(scaled) / 1e12
	}
	return u
}

// countsAnew reports whether a new process does not continue the counts of the former one: its sums over all turns lack those before
// this one. Processes that were killed have stored no sums.
func (t *translation) countsAnew() bool {
	all := t.allTokens()
	turn := t.l.Usage.Input + t.l.Usage.Output + t.l.Usage.CacheRead + t.l.Usage.CacheCreation
	return t.s.d.Fresh && all > 0 && t.s.d.Tokens > 0 && all < t.s.d.Tokens+clampInt(turn, uint64(1<<53))
}

// allTokens returns the agent's count for all models and turns; 0 if it is not reported.
func (t *translation) allTokens() uint64 {
	var sum float64
	for _, m := range t.l.ModelUsage {
		sum += max(m.Input, 0) + max(m.Output, 0) + max(m.CacheRead, 0) + max(m.CacheCreation, 0)
	}
	return clampInt(sum, uint64(1<<53))
}

// report drafts the UsageReport of the turn.
func (t *translation) report(u Usage, context float32) {
	const most = ^uint32(0)
	fit := func(n uint64) uint32 { return uint32(min(n, uint64(most))) }
	t.draft(&betcodev1.AgentEvent{Event: &betcodev1.AgentEvent_Usage{Usage: &betcodev1.UsageReport{
		InputTokens:         fit(u.InputTokens),
		OutputTokens:        fit(u.OutputTokens),
		CacheReadTokens:     fit(u.CacheReadTokens),
		CacheCreationTokens: fit(u.CacheCreationTokens),
		Model:               u.Model,
		CostUsd:             u.CostUSD,
		CostUnknown:         u.CostUnknown,
		DurationMs:          fit(uint64(u.Duration / time.Millisecond)),
		ContextUsagePercent: context,
	}}})
}

// contextUsage returns the use of the model's context after the turn, in percent; 0 if it is not known.
func (m *TurnEnded) contextUsage() float32 {
	if m.ContextWindow == 0 {
		return 0
	}
	return float32(100 * float64(m.ContextTokens) / float64(m.ContextWindow))
}
