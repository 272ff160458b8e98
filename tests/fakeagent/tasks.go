package main

import (
	"context"
	"time"
)

// task is a subagent, foreground or background.
type task struct {
	id, run, tool string
	background    bool
	ctx           context.Context
	stop          context.CancelFunc
}

const taskPrompt = "Please look around the files."

// spawn prints the Agent call and its task_started line.
func (t *turn) spawn(background bool) (*task, call) {
	a := t.a
	c := newCall("Agent", map[string]any{
		"description": "Look around", "prompt": taskPrompt,
		"subagent_type": "general-purpose", "run_in_background": background,
	})
	k := &task{id: newID("a")[:17], run: newID("")[:12], tool: c.id, background: background}
	k.ctx, k.stop = context.WithCancel(context.Background())
	r := t.reply("tool_use")
	r.tool(c)
	a.mu.Lock()
	if background {
		a.tasks[k.id] = k
		a.disk.note("fake-task", obj{"task_id": k.id, "state": "started"})
		a.tasksChanged()
	}
	a.mu.Unlock()
	a.system("task_started", k.with(obj{
		"description": "Look around", "subagent_type": "general-purpose",
		"is_backgrounded": background, "task_type": "local_agent", "prompt": taskPrompt, "spawn_depth": 1,
	}))
	r.ended()
	r.stop()
	return k, c
}

// with adds the members of every task line.
func (k *task) with(members obj) obj {
	members["task_id"], members["run_id"], members["tool_use_id"] = k.id, k.run, k.tool
	return members
}

// line prints a line of the subagent: assistant or user, with its parent.
func (k *task) line(a *agent, kind, role string, block obj) {
	a.emit(kind, obj{
		"message":            obj{"id": newID("msg_"), "role": role, "content": []any{block}},
		"parent_tool_use_id": k.tool, "agent_id": k.id, "subagent_type": "general-purpose",
		"task_description": "Look around", "timestamp": timestamp(),
	})
}

// tasksChanged prints the list of background tasks. The caller holds mu.
func (a *agent) tasksChanged() {
	tasks := []obj{}
	for _, k := range a.tasks {
		tasks = append(tasks, obj{
			"task_id": k.id, "run_id": k.run, "task_type": "local_agent",
			"subagent_type": "general-purpose", "description": "Look around",
		})
	}
	a.system("background_tasks_changed", obj{"tasks": tasks})
}

// ends prints the end of a task.
func (k *task) ends(a *agent, status, summary string) {
	a.system("task_updated", k.with(obj{"patch": obj{"status": status, "end_time": time.Now().UnixMilli()}}))
	a.system("task_notification", k.with(obj{"status": status, "summary": summary}))
}

// work is what a subagent does: it asks to run a command, and reports.
func (k *task) work(ctx context.Context, a *agent, forward bool) (report string, err error) {
	say := func(text string) {
		if forward {
			k.line(a, "assistant", "assistant", obj{"type": "text", "text": text})
		}
	}
	say("The subagent is running a command.")
	c := newCall("Bash", map[string]any{"command": "echo from-sub", "description": "run it"})
	c.task = k
	k.line(a, "assistant", "assistant", obj{"type": "tool_use", "id": c.id, "name": c.name, "input": c.input})
	a.system("task_progress", k.with(obj{"description": "Running run it", "last_tool_name": "Bash"}))
	v, err := a.await(ctx, a.request(c))
	if err != nil {
		return "", err
	}
	result := v.told
	if v.allowed {
		result = "from-sub"
	}
	k.line(a, "user", "user", obj{"type": "tool_result", "tool_use_id": c.id, "content": result, "is_error": !v.allowed})
	report = "Subagent report: saw " + result + "."
	say(report)
	return report, nil
}

func subagent(t *turn, _ string) error {
	k, c := t.spawn(false)
	k.line(t.a, "user", "user", obj{"type": "text", "text": taskPrompt})
	report, err := k.work(t.ctx, t.a, t.a.forwardAgents)
	if err != nil {
		k.ends(t.a, "killed", "")
		t.rejected(err, c)
		return err
	}
	k.ends(t.a, "completed", report)
	t.toolResult(c.id, report, false, obj{"status": "completed", "agentId": k.id}, nil)
	t.fold()
	return t.sayf("The subagent is finished.")
}

func background(t *turn, arg string) error {
	pause := duration(arg, 50*time.Millisecond)
	return t.detach(func(k *task) (string, error) {
		select {
		case <-time.After(pause):
			return "Looked around.", nil
		case <-k.ctx.Done():
			return "", k.ctx.Err()
		}
	})
}

func backgroundAsk(t *turn, _ string) error {
	return t.detach(func(k *task) (string, error) {
		<-t.ended
		return k.work(k.ctx, t.a, true)
	})
}

// detach runs work as a background agent that outlives the turn; its end brings
// a turn without a user message.
func (t *turn) detach(work func(*task) (string, error)) error {
	a := t.a
	k, c := t.spawn(true)
	t.toolResult(c.id, "Async agent launched successfully.\nagentId: "+k.id, false,
		obj{"isAsync": true, "status": "async_launched", "agentId": k.id}, nil)
	t.fold()
	go func() {
		report, err := work(k)
		a.mu.Lock()
		defer a.mu.Unlock()
		if err != nil {
			return // stopped, and reported by the stopper
		}
		k.ends(a, "completed", report)
		a.forget(k)
		a.notices = append(a.notices, k.run)
		if a.turn == nil {
			a.next()
		}
	}()
	return t.sayf("Started in the background.")
}

// forget takes a background task off the list. The caller holds mu.
func (a *agent) forget(k *task) {
	delete(a.tasks, k.id)
	a.disk.note("fake-task", obj{"task_id": k.id, "state": "ended"})
	a.tasksChanged()
}

// stopTask ends a background task and withdraws its requests. The caller holds mu.
func (a *agent) stopTask(id string) {
	k, ok := a.tasks[id]
	if !ok {
		return
	}
	k.stop()
	for id, q := range a.asks {
		if q.call.task == k {
			delete(a.asks, id)
			a.out.line(obj{"type": "control_cancel_request", "request_id": id})
		}
	}
	k.ends(a, "stopped", "")
	a.forget(k)
	a.exitWhenDone()
}
