package main

import (
	"context"
	"os"
	"strings"
	"time"
)

// The slash commands: no API call, num_turns 0, local_command in the result.

// clearCommand starts another conversation in the same process: the lines, and
// the transcript, have a new session id from the init line on.
func clearCommand(t *turn, _ string) error {
	a := t.a
	t.local = "clear"
	a.emit("conversation_reset", obj{"new_conversation_id": newUUID(), "trigger": "clear"})
	a.mu.Lock()
	a.disk.flush()
	a.begin(newUUID())
	a.tasksChanged()
	a.mu.Unlock()
	t.init()
	return nil
}

func compactCommand(t *turn, _ string) error {
	a := t.a
	t.local = "compact"
	a.system("status", obj{"status": "compacting"})
	outcome, err := compactionGate(t)
	if err != nil {
		return err
	}
	if strings.HasPrefix(outcome, "fail") {
		a.system("status", obj{"status": nil, "compact_result": "failed", "compact_error": "Not enough messages to compact."})
		t.init()
		return nil
	}
	a.system("status", obj{"status": nil, "compact_result": "success"})
	t.init()
	a.system("compact_boundary", obj{"compact_metadata": obj{
		"trigger": "manual", "pre_tokens": 1800, "post_tokens": 260,
		"duration_ms": 5,
	}})
	a.emit("user", obj{"message": obj{"role": "user", "content": "This session is being continued from a previous" +
		" conversation that ran out of context."}, "parent_tool_use_id": nil, "isSynthetic": true})
	a.emit("user", obj{
		"message":            obj{"role": "user", "content": "<local-command-stdout>Compacted </local-command-stdout>"},
		"parent_tool_use_id": nil, "isReplay": true,
	})
	t.said = "Compacted "
	return nil
}

// compactionGate waits for the file that FAKE_AGENT_COMPACT names, and returns its content: "fail"
// makes the compaction fail.
func compactionGate(t *turn) (string, error) {
	path := os.Getenv("FAKE_AGENT_COMPACT")
	for path != "" {
		if raw, err := os.ReadFile(path); err == nil {
			return string(raw), nil
		}
		select {
		case <-time.After(10 * time.Millisecond):
		case <-t.ctx.Done():
			return "", context.Cause(t.ctx)
		}
	}
	return "", nil
}

func costCommand(t *turn, _ string) error {
	t.local = "cost"
	t.init()
	t.said = "Total cost: nothing at all"
	t.a.emit("assistant", obj{"message": obj{
		"id": newUUID(), "role": "assistant", "model": "<synthetic>",
		"content": []any{obj{"type": "text", "text": t.said}},
	}, "local_command_source": "cost", "parent_tool_use_id": nil})
	return nil
}
