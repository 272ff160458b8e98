package main

import (
	"errors"
	"time"
)

// finish prints the result of a turn, which by then is on disk, and what became
// of its messages. Then comes what comes next.
func (a *agent) finish(t *turn, err error) {
	a.disk.flush()
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.exited {
		return
	}
	if !errors.Is(err, errNoResult) {
		t.conclude(err)
	}
	a.out.setEnding("\n")
	a.turn = nil
	close(t.ended)
	for _, do := range t.after {
		do()
	}
	if t.sigint {
		a.exit(0)
	}
	a.next()
}

// conclude prints what ends a turn: folded messages complete before the result,
// the others after it. The caller holds a.mu.
func (t *turn) conclude(err error) {
	a := t.a
	for _, uuid := range t.folded {
		a.lifecycle(uuid, "completed")
	}
	line, failed := t.result(err)
	if !t.silent {
		a.emit("result", line)
		a.results++
	}
	a.failed = failed
	if t.resumed != "" {
		a.past.answered[t.resumed] = true
		a.lifecycle(t.command, "completed")
	} else {
		for _, m := range t.messages[:len(t.messages)-len(t.folded)] {
			a.lifecycle(m.uuid, ending(failed))
		}
	}
	for _, uuid := range t.alsoCompletes {
		a.lifecycle(uuid, "completed")
	}
}

func ending(failed bool) string {
	if failed {
		return "cancelled"
	}
	return "completed"
}

// next decides what happens when no turn runs: exit, the queued messages as one
// turn, the notice of a background task. The caller holds a.mu.
func (a *agent) next() {
	switch {
	case a.exited || a.turn != nil:
	case a.ending:
		a.exit(a.exitCode())
	case len(a.queue) > 0 && a.queue[0].priority == "now":
		first := a.queue[0]
		a.queue = a.queue[1:]
		a.start([]message{first})
	case len(a.queue) > 0:
		batch := a.queue
		a.queue = nil
		a.start(batch)
	case len(a.notices) > 0:
		run := a.notices[0]
		a.notices = a.notices[1:]
		a.state("running")
		a.turn = a.newTurn(nil, a.script.steps("echo:The background task has ended."))
		a.turn.origin = obj{"kind": "task-notification", "producer": "session-task", "runId": run}
		go a.run(a.turn)
	default:
		a.state("idle")
		a.exitWhenDone()
	}
}

// result returns the line that ends the turn, and whether it is an error.
func (t *turn) result(err error) (line obj, failed bool) {
	a := t.a
	a.calls += t.calls
	a.apiMS += t.calls
	line = obj{
		"subtype": "success", "is_error": false, "result": t.said, "terminal_reason": "completed",
		"stop_reason": t.stopReason, "api_error_status": nil, "num_turns": t.calls,
		"duration_ms": int(time.Since(t.began).Milliseconds()), "duration_api_ms": a.apiMS,
		"ttft_ms": 1, "total_cost_usd": float64(a.calls) * 0.000184,
		"usage": usage(t.calls), "modelUsage": obj{a.model.get(): modelUsage(a.calls)},
		"permission_denials": list0(t.denials), "queued_turn_count": a.humansQueued(),
		"result_index": a.results, "fast_mode_state": "off",
	}
	if uuids := t.uuids(); len(uuids) > 0 {
		line["user_message_uuids"] = uuids
		line["user_message_uuid"] = uuids[len(uuids)-1]
	}
	if t.origin != nil {
		line["origin"] = t.origin
	} else if len(t.messages) > 0 && t.messages[0].human {
		line["origin"] = obj{"kind": "human"}
	}
	if t.reason != "" {
		line["resume_reason"] = t.reason
	}
	if t.local != "" {
		line["local_command"], line["num_turns"] = t.local, 0
		delete(line, "terminal_reason")
	}
	return line, t.amend(line, err)
}

// amend turns the result of a good end into that of a bad one.
func (t *turn) amend(line obj, err error) (failed bool) {
	aborted := "aborted_streaming"
	if t.inTool {
		aborted = "aborted_tools"
	}
	refused := (*apiError)(nil)
	switch {
	case err == nil:
		return false
	case errors.As(err, &refused):
		line["is_error"], line["terminal_reason"], line["stop_reason"] = true, "api_error", "stop_sequence"
		line["api_error_status"], line["api_error_type"] = refused.status, "invalid_request_error"
		line["result"] = err.Error()
	case errors.Is(err, errNow):
		line["terminal_reason"] = aborted
		return false
	default:
		line["subtype"], line["is_error"], line["terminal_reason"] = "error_during_execution", true, aborted
		line["errors"] = []string{"[ede_diagnostic] result_type=user last_content_type=n/a stop_reason=null"}
		line["num_turns"] = t.calls + 1
		delete(line, "result")
	}
	return true
}

// humansQueued is queued_turn_count: only messages stamped as human count.
func (a *agent) humansQueued() (n int) {
	for _, m := range a.queue {
		if m.human {
			n++
		}
	}
	return n
}

func usage(calls int) obj {
	return obj{
		"input_tokens": 11 * calls, "output_tokens": 7 * calls,
		"cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "service_tier": "standard",
		"server_tool_use": obj{"web_search_requests": 0, "web_fetch_requests": 0},
	}
}

func modelUsage(calls int) obj {
	return obj{
		"inputTokens": 11 * calls, "outputTokens": 7 * calls, "cacheReadInputTokens": 0,
		"cacheCreationInputTokens": 0, "webSearchRequests": 0, "costUSD": float64(calls) * 0.000184,
		"contextWindow": 1000000, "maxOutputTokens": 128000,
	}
}

// list0 is a list that is never null.
func list0[T any](l []T) []T {
	if l == nil {
		return []T{}
	}
	return l
}
