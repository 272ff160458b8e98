package main

import (
	"betcode/tests/kit"

	pb "betcode/proto/betcode/v1"
)

// checkLives checks that each run of a session was started once and ended at most
// once, that none began before its predecessor's end, and that each request was
// decided at most once.
func (r *round) checkLives(id string, all []kit.Event) {
	started, ended, open := map[uint64]bool{}, map[uint64]bool{}, uint64(0)
	decided := map[string]bool{}
	for _, e := range all {
		if run := e.GetRun(); run != nil {
			n := run.GetRun()
			switch run.GetState() {
			case pb.RunState_RUN_STATE_STARTED:
				if started[n] || open != 0 {
					r.report(duplicated, "session %s: run %d is started, run %d goes on: %s", id, n, open, kit.Line(e))
				}
				started[n], open = true, n
			case pb.RunState_RUN_STATE_EXITED, pb.RunState_RUN_STATE_LOST:
				if ended[n] {
					r.report(duplicated, "session %s: run %d ends again: %s", id, n, kit.Line(e))
				}
				ended[n], open = true, 0
			case pb.RunState_RUN_STATE_ADOPTED:
				if ended[n] || (open != 0 && open != n) {
					r.report(reordered, "session %s: run %d is adopted, run %d goes on: %s", id, n, open, kit.Line(e))
				}
				started[n], open = true, n // its daemon may have died before it reported the start
			case pb.RunState_RUN_STATE_UNSPECIFIED:
				r.report(otherwise, "session %s: %s", id, kit.Line(e))
			}
		}
		if p := e.GetPermissionResolved(); p != nil {
			if decided[p.GetRequestId()] {
				r.report(duplicated, "session %s: a request is decided again: %s", id, kit.Line(e))
			}
			decided[p.GetRequestId()] = true
		}
	}
}
