package daybudget

import (
	"maps"
	"slices"
	"time"

	"betcode/messages"
)

// total is the consumption of a session since it began.
type total struct {
	spent messages.Spent
	since time.Time // of the stretch of work that is under way
}

// decision is the decision of people about the day in one session.
type decision struct {
	from, raised, refused messages.BudgetLimit
	asks                  bool
}

// decide determines the limit that is in force, and the session that asks.
func (s *state) decide() {
	s.allowed, s.asker = s.setting, ""
	for _, d := range s.decisions {
		s.allowed = raise(s.allowed, s.setting, d.from, d.raised)
	}
	s.refused = false
	for _, id := range slices.Sorted(maps.Keys(s.decisions)) {
		d := s.decisions[id]
		s.refused = s.refused || !d.refused.IsZero() && d.refused == s.allowed
		if d.asks && s.asker == "" {
			s.asker = id
		}
	}
	if s.asker == "" && !s.refused && len(s.waiting) > 0 {
		s.asker = s.waiting[0]
	}
}

// spent returns the consumption on the day.
func (s *state) spent(now time.Time) messages.Spent {
	sum := s.sum
	sum.Work += max(time.Duration(len(s.working))*now.Sub(s.begins)-s.ahead, 0)
	return sum
}

// standing returns the standing of a session.
func (s *state) standing(id messages.SessionID, now time.Time) Standing {
	others := s.sum.Minus(s.entries[id])
	count, ahead := len(s.working), s.ahead
	if since, works := s.working[id]; works {
		count, ahead = count-1, ahead-laterOf(since, s.begins).Sub(s.begins)
	}
	others.Work += max(time.Duration(count)*now.Sub(s.begins)-ahead, 0)
	return Standing{
		Day: s.day, Begins: s.begins, Known: s.known, Setting: s.setting, Limit: s.allowed, Others: others, Refused: s.refused,
		Asks: s.asker == id && !s.refused,
	}
}

// view returns the day as clients see it.
func (s *state) view(now time.Time) messages.DayBudget {
	v := messages.DayBudget{
		Day: s.day, Ends: s.ends, Known: s.known, Spent: s.spent(now), Limit: s.allowed, Refused: s.refused, Waiting: len(s.waiting),
	}
	if d, decided := s.decisions[s.asker]; decided && d.asks {
		v.Asker = s.asker
	}
	return v
}
