package run

import (
	"syscall"
	"time"

	"betcode/actors/internal/act"
	"betcode/actors/internal/claude"
	"betcode/messages"
)

// How long each step of ending an agent waits before the next.
const (
	graceOrderly   = 3 * time.Second // after end_session, and after SIGTERM
	graceResumable = 5 * time.Second // after SIGTERM, when the daemon ends
	graceTerminate = 10 * time.Second
	graceInterrupt = 5 * time.Second // after an interrupt request, before SIGINT
)

// exited begins to read what the agent wrote before its end.
func (s state) exited(at time.Time, m agentExited) (state, []act.Effect) {
	if s.phase >= phaseDraining {
		return s, nil
	}
	s.phase, s.exit, s.more = phaseDraining, m.exit, true
	if s.damage != "" {
		return s.over(at, nil, s.offset)
	}
	var effects []act.Effect
	if s.stopping || !clean(m.exit) {
		effects = append(effects, killTree{}) // a leftover process would run unnoticed beside the next agent
	}
	return s.read(effects)
}

// clean reports whether an agent ended by itself without a failure, or never started.
func clean(exit messages.Exit) bool {
	return exit.Reason == NeverStarted || (exit.Known && exit.Signal == "" && exit.Code == 0)
}

// stop begins to end the agent; later steps are stronger signals.
func (s state) stop(effects []act.Effect) (state, []act.Effect) {
	switch {
	case s.phase != phaseLive:
		return s, effects // done when the agent is live; nothing to do if it has ended
	case s.how == StopKill || s.reasons&Alarm != 0:
		return s, append(effects, killTree{})
	case s.how == StopResumable:
		return s, append(effects, signalIt{syscall.SIGTERM}, act.After{Delay: graceResumable, Message: stopStage{2}})
	case s.how == StopTerminate:
		return s, append(effects, signalIt{syscall.SIGTERM}, act.After{Delay: graceTerminate, Message: stopStage{2}})
	default:
		return s, append(effects, writeLine{writing{line: claude.EndSessionLine(s.control("end-session"), s.can)}}, act.After{Delay: graceOrderly, Message: stopStage{1}})
	}
}

func (s state) stage(n int) (state, []act.Effect) {
	if s.phase != phaseLive {
		return s, nil
	}
	if n == 1 {
		return s, []act.Effect{signalIt{syscall.SIGTERM}, act.After{Delay: graceOrderly, Message: stopStage{2}}}
	}
	return s, []act.Effect{killTree{}}
}
