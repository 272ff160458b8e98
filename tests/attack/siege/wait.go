package siege

import (
	"time"

	"betcode/tests/kit"
)

// IsNotice matches a notice with a code.
func IsNotice(code string) func(kit.Event) bool {
	return func(e kit.Event) bool { return e.GetNotice().GetCode() == code }
}

// Becomes waits for something to be true, for as long as a busy machine may take.
func (s *Siege) Becomes(is func() bool) bool { return s.within(3*time.Minute, is) }

// BecomesQuickly waits ten seconds for something that must not become true. What must become true may take longer on a busy
// machine: see Becomes.
func (s *Siege) BecomesQuickly(is func() bool) bool { return s.within(10*time.Second, is) }

// Until waits for something to become true, within the patience of the kit, and ends the scenario if it does not.
func (s *Siege) Until(what string, done func() bool) {
	if !s.within(2*time.Minute, done) {
		s.Fail("%s: it did not happen", what)
	}
}

// within polls a condition until it is true, the time is over or the scenario ends.
func (s *Siege) within(patience time.Duration, is func() bool) bool {
	for deadline := time.Now().Add(patience); !is(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) || s.Err() != nil {
			return false
		}
	}
	return true
}
