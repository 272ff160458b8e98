// Package inquiry is the question to an agent about itself: its commands, agents and models.
//
//	         Ask, or News                Answered, or the deadline has passed
//	idle ───────────────────► asked ──────────────────────────────────► idle; End returns the waiting callers
//
// One answer serves all callers that ask meanwhile. An agent names what it has with every turn too; the session asks for the details
// when that is news. An [Inquiry] is a value: it does no I/O and reads no clock. Nothing of it is durable.
package inquiry

import (
	"hash/fnv"
	"reflect"
	"slices"

	"betcode/messages"
)

// Inquiry is the state of the question. C identifies a caller that waits for the answer.
type Inquiry[C any] struct {
	request string             // the control request that asks the agent; empty: it is not being asked
	callers []C                // wait for the answer
	named   messages.Abilities // with the beginning of the newest turn
	report  uint64             // fingerprint of the agent's newest report on itself
}

// Wait adds a caller that waits for the answer.
func (i *Inquiry[C]) Wait(caller C) { i.callers = append(slices.Clip(i.callers), caller) }

// Ask begins the question, unless it is under way. It returns the id of the control request to send, empty for none.
func (i *Inquiry[C]) Ask(id func() string) string {
	if i.request != "" {
		return ""
	}
	i.request = id()
	return i.request
}

// Is reports whether the question has this id.
func (i *Inquiry[C]) Is(request string) bool { return request != "" && request == i.request }

// End ends the question and returns the callers that waited.
func (i *Inquiry[C]) End() []C {
	callers := i.callers
	i.request, i.callers = "", nil
	return callers
}

// Named takes what the beginning of a turn names, and reports whether that is news.
func (i *Inquiry[C]) Named(named messages.Abilities) bool {
	if len(named.Commands) == 0 && len(named.Agents) == 0 || reflect.DeepEqual(named, i.named) {
		return false
	}
	i.named = named
	return true
}

// Reported takes the agent's report on itself, and reports whether it is another one than before, whenever that was.
func (i *Inquiry[C]) Reported(r messages.AgentReport) bool {
	sum := fingerprint(r)
	news := sum != i.report
	i.report = sum
	return news
}

// fingerprint is of everything but the session and the time.
func fingerprint(r messages.AgentReport) uint64 {
	h := fnv.New64a()
	word := func(s string) { _, _ = h.Write(append([]byte(s), 0)) }
	word(r.Version)
	word(r.Model)
	for _, tool := range r.Tools {
		word(tool)
	}
	for _, s := range r.Servers {
		word("=" + s.Name)
		word(s.Status)
	}
	return h.Sum64()
}
