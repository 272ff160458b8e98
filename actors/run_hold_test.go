package actors

import (
	"testing"

	"betcode/messages"
)

func TestRunIsHeld(t *testing.T) {
	up := agentUp{record: messages.RunRecord{Run: 3, State: messages.RunRunning}}
	adopted := agentUp{record: up.record, adopted: true}
	full, room := holdAgent{holdDisk, true}, holdAgent{holdDisk, false}
	ahead, read := holdAgent{holdQuota, true}, holdAgent{holdQuota, false}
	for _, c := range []struct {
		name  string
		steps []runStep
	}{
		{"while the disk is full", []runStep{
			{up, "started(adopted false), read"},
			{full, "freeze, held(disk full)"},
			{full, ""},
			{lines(0), ""}, // what it has written is read to the end
			{spoolGrew{}, "read"},
			{room, "thaw, held()"},
			{room, ""},
		}},
		{"before it is up", []runStep{
			{full, ""},
			{up, "started(adopted false), read, freeze, held(disk full)"},
		}},
		{"as it was left by an earlier daemon", []runStep{
			{full, ""},
			{adopted, "started(adopted true), read, freeze, held(disk full)"},
		}},
		{"no longer, whoever did it", []runStep{{adopted, "started(adopted true), thaw, read"}}},
		{"for two reasons", []runStep{
			{up, "started(adopted false), read"},
			{full, "freeze, held(disk full)"},
			{ahead, "held(disk full, spool quota)"},
			{room, "held(spool quota)"},
			{read, "thaw, held()"},
		}},
		{"but not while it is ended", []runStep{
			{up, "started(adopted false), read"},
			{full, "freeze, held(disk full)"},
			{stopAgent{stopOrderly}, "thaw, write end_session, in 3s {n:1}, held()"},
			{ahead, ""},
			{stopStage{1}, "terminated, in 3s {n:2}"},
		}},
		{"nor while its turn is interrupted", []runStep{
			{up, "started(adopted false), read"},
			{full, "freeze, held(disk full)"},
			{interruptTurn{"i1"}, "thaw, write interrupt, in 5s {id:i1}, held()"},
			{interruptGrace{"i1"}, "interrupt"},
			{interruptSettled{"i1"}, "freeze, held(disk full)"},
		}},
		{"until it is killed", []runStep{
			{up, "started(adopted false), read"},
			{full, "freeze, held(disk full)"},
			{agentExited{messages.Exit{Known: true, Signal: "SIGKILL"}}, "kill"},
			{room, ""},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := runState{record: messages.RunRecord{Run: 3}, credits: 9}
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
