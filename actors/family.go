package actors

import (
	"math"
	"slices"

	"betcode/messages"
)

// seen reports whether the journal has had a message of a session with this key.
func (s *System) seen(id messages.SessionID, key string) (bool, error) {
	_, seen, err := s.options.Store.Seen(id, key)
	return seen, err
}

// spentBelow returns what the subagents directly below a session have consumed, each with its own descendants, as far as it is
// journaled. Deleted subagents count as well.
func (s *System) spentBelow(id messages.SessionID) (map[messages.SessionID]messages.Spent, error) {
	gone := s.options.Store.Deleted()
	direct, err := s.options.Store.Subagents(id)
	if err != nil || len(direct) == 0 && !slices.ContainsFunc(gone, func(d messages.DeletedSession) bool { return d.Parent == id }) {
		return nil, err
	}
	all, err := s.options.Store.Subagents("")
	if err != nil {
		return nil, err
	}
	children := map[messages.SessionID][]messages.DeletedSession{}
	for _, r := range all {
		if r.Subagent != nil {
			children[r.Subagent.Parent] = append(children[r.Subagent.Parent], messages.DeletedSession{ID: r.ID, Budget: r.Budget})
		}
	}
	for _, d := range gone {
		if d.Parent != "" {
			children[d.Parent] = append(children[d.Parent], d)
		}
	}
	below := map[messages.SessionID]messages.Spent{}
	for _, child := range children[id] {
		sum, seen := messages.Spent{}, map[messages.SessionID]bool{}
		for left := []messages.DeletedSession{child}; len(left) > 0; left = left[1:] {
			r := left[0]
			if seen[r.ID] {
				continue // a damaged journal may name a session as its own descendant
			}
			seen[r.ID] = true
			sum = sum.Plus(r.Budget.Spent)
			left = append(left, children[r.ID]...)
		}
		below[child.ID] = sum
	}
	return below, nil
}

// affordable refuses a subagent whose budget exceeds what remains of the budget of a session above it.
func (s *System) affordable(m messages.SpawnSubagent, above messages.SessionRecord) error {
	wanted := microsOf(m.BudgetUSD)
	for range maxGenerations {
		b := above.Budget
		spent := b.Spent.Plus(b.Below).Micros
		if left := b.Limit.Micros - min(spent, b.Limit.Micros); b.Limit.Micros > 0 && wanted > left {
			return messages.Errorf("spawn subagent", messages.Exhausted, "budget_usd is %.6f, and %.6f US dollars remain of the budget of session %s", m.BudgetUSD, float64(left)/1e6, above.ID).
				WithCode(messages.BudgetSpent).With("session_id", string(above.ID)).WithHint("give it less, or raise that budget: betcode session budget")
		}
		if above.Subagent == nil {
			return nil
		}
		loaded, err := s.options.Store.Load(above.Subagent.Parent)
		if err != nil {
			return messages.AsError("spawn subagent", err)
		}
		if !loaded.Found {
			return nil
		}
		above = loaded.Record
	}
	return nil
}

// maxGenerations bounds how far up a family is followed: settings allow ten.
const maxGenerations = 16

// microsOf converts an amount to millionths of a US dollar, rounded up.
func microsOf(usd float64) uint64 {
	return uint64(math.Ceil(min(usd*1e6, messages.MaxBudgetMicros)))
}
