package run

import (
	"testing"

	"betcode/messages"
)

func TestRunIsHeld(t *testing.T) {
	up := agentUp{record: messages.RunRecord{Run: 3, State: messages.RunRunning}}
	adopted := agentUp{record: up.record, adopted: true}
	full, room := Freeze{DiskFull, true}, Freeze{DiskFull, false}
	ahead, read := Freeze{OverQuota, true}, Freeze{OverQuota, false}
	for _, c := range []struct {
		name  string
		steps []runStep
	}{
		{"while the disk is full", []runStep{
			{up, "started(adopted false), read"},
			{full, "freeze, frozen(disk full)"},
			{full, ""},
			{lines(0), ""}, // what it has written is read to the end
			{spoolGrew{}, "read"},
			{room, "thaw, frozen()"},
			{room, ""},
		}},
		{"before it is up", []runStep{
			{full, ""},
			{up, "started(adopted false), read, freeze, frozen(disk full)"},
		}},
		{"as it was left by an earlier daemon", []runStep{
			{full, ""},
			{adopted, "started(adopted true), read, freeze, frozen(disk full)"},
		}},
		{"no longer, by any cause", []runStep{{adopted, "started(adopted true), thaw, read"}}},
		{"for two reasons", []runStep{
			{up, "started(adopted false), read"},
			{full, "freeze, frozen(disk full)"},
			{ahead, "frozen(disk full, spool quota)"},
			{room, "frozen(spool quota)"},
			{read, "thaw, frozen()"},
		}},
		{"but not while it is ended", []runStep{
			{up, "started(adopted false), read"},
			{full, "freeze, frozen(disk full)"},
			{Stop{StopOrderly}, "thaw, write end_session, in 3s {n:1}, frozen()"},
			{ahead, ""},
			{stopStage{1}, "terminated, in 3s {n:2}"},
		}},
		{"nor while its turn is interrupted", []runStep{
			{up, "started(adopted false), read"},
			{full, "freeze, frozen(disk full)"},
			{Interrupt{"i1"}, "thaw, write interrupt, in 5s {id:i1}, frozen()"},
			{interruptGrace{"i1"}, "interrupt"},
			{InterruptDone{"i1"}, "freeze, frozen(disk full)"},
		}},
		{"until it is killed", []runStep{
			{up, "started(adopted false), read"},
			{full, "freeze, frozen(disk full)"},
			{agentExited{messages.Exit{Known: true, Signal: "SIGKILL"}}, "kill"},
			{room, ""},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := state{record: messages.RunRecord{Run: 3}, credits: 9}
			for _, step := range c.steps {
				next, effects := s.step(dawn, step.in)
				if got := showRun(effects); got != step.want {
					t.Errorf("%T: %s; want %s", step.in, got, step.want)
				}
				s = next
			}
		})
	}
}

// sized is a read that found nothing new, of a spool of that size.
func sized(size int64) linesRead { m := lines(0); m.size = size; return m }

func TestRunAheadOfTheJournalIsHeld(t *testing.T) {
	up := agentUp{record: messages.RunRecord{Run: 3, State: messages.RunRunning}}
	journaled := func(n int64) messages.Credit { return messages.Credit{Run: 3, Journaled: n} }
	for _, c := range []struct {
		name    string
		credits int
		steps   []runStep
	}{
		{"until half of it is journaled", 9, []runStep{
			{up, "started(adopted false), read"},
			{sized(100), ""},
			{spoolGrew{}, "read"},
			{sized(101), "freeze, frozen(spool quota)"},
			{journaled(50), ""},
			{journaled(51), "thaw, frozen()"},
		}},
		{"also if nothing can be read", 0, []runStep{
			{up, "started(adopted false)"},
			{spoolGrew{}, "measure"},
			{spoolGrew{}, ""},
			{spoolMeasured{90}, ""},
			{spoolGrew{}, "measure"},
			{spoolMeasured{101}, "freeze, frozen(spool quota)"},
			{journaled(60), "thaw, frozen()"},
		}},
		{"interrupted if that does not help, and ended if that does not help either", 0, []runStep{
			{up, "started(adopted false)"},
			{spoolMeasured{5000}, "freeze, frozen(spool quota)"}, // written while there was no daemon
			{spoolMeasured{7000}, ""},                            // before the signal was there
			{agentStopped{7000, 1}, ""},
			{spoolMeasured{7100}, ""},
			{spoolMeasured{7101}, "thaw, outruns(interrupt), write interrupt, in 5s {}, frozen()"},
			{spoolMeasured{7200}, ""}, // the end of its turn
			{quotaGrace{}, "freeze, frozen(spool quota)"},
			{agentStopped{7250, 2}, ""},
			{spoolMeasured{7350}, ""},
			{spoolMeasured{7351}, "thaw, outruns(stop), write end_session, in 3s {n:1}, frozen()"},
			{spoolMeasured{9999}, ""},
			{stopStage{1}, "terminated, in 3s {n:2}"},
			{stopStage{2}, "kill"},
		}},
		{"ended at once if it does not heed the interrupt", 0, []runStep{
			{up, "started(adopted false)"},
			{spoolMeasured{101}, "freeze, frozen(spool quota)"},
			{agentStopped{101, 1}, ""},
			{spoolMeasured{202}, "thaw, outruns(interrupt), write interrupt, in 5s {}, frozen()"},
			{spoolMeasured{302}, ""},
			{spoolMeasured{303}, "outruns(stop), write end_session, in 3s {n:1}"},
			{quotaGrace{}, ""},
		}},
		{"not counted from a freeze that was over before it took effect", 0, []runStep{
			{up, "started(adopted false)"},
			{spoolMeasured{101}, "freeze, frozen(spool quota)"},
			{journaled(60), "thaw, frozen()"},
			{spoolMeasured{170}, "freeze, frozen(spool quota)"},
			{agentStopped{101, 1}, ""},
			{spoolMeasured{260}, ""}, // written while it was thawed
			{agentStopped{260, 2}, ""},
			{spoolMeasured{360}, ""},
			{spoolMeasured{361}, "thaw, outruns(interrupt), write interrupt, in 5s {}, frozen()"},
		}},
		{"let go if it heeds the interrupt", 0, []runStep{
			{up, "started(adopted false)"},
			{spoolMeasured{101}, "freeze, frozen(spool quota)"},
			{agentStopped{101, 1}, ""},
			{spoolMeasured{202}, "thaw, outruns(interrupt), write interrupt, in 5s {}, frozen()"},
			{messages.Credit{Run: 3, Journaled: 180}, ""},
			{quotaGrace{}, ""},
			{spoolMeasured{281}, "freeze, frozen(spool quota)"},
			{messages.Credit{Run: 3, Journaled: 281}, "thaw, frozen()"},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := state{record: messages.RunRecord{Run: 3}, credits: c.credits, quota: quota{limit: 100}}
			for _, step := range c.steps {
				next, effects := s.step(dawn, step.in)
				if got := showRun(effects); got != step.want {
					t.Errorf("%T: %s; want %s", step.in, got, step.want)
				}
				s = next
			}
		})
	}
}
