package session

import (
	"fmt"
	"time"

	"pgregory.net/rapid"

	"betcode/actors/internal/claude"
	"betcode/messages"
)

// someItem draws what an agent may say, in no sensible order.
func (w *world) someItem() claude.Item {
	t := w.t
	key := rapid.SampledFrom([]string{"k1", "k2", "k3", "k4", "internal"}).Draw(t, "key")
	id := rapid.SampledFrom([]string{"p1", "p2", "p3"}).Draw(t, "request")
	keys := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"k1", "k2", "k3", "k4"}), 0, 3, rapid.ID).Draw(t, "keys")
	switch rapid.IntRange(0, 19).Draw(t, "item") {
	case 0, 1, 2:
		return claude.InputState{Key: key, State: claude.Lifecycle(rapid.IntRange(0, 3).Draw(t, "lifecycle"))}
	case 3, 4:
		return claude.TurnStarted{AgentSession: string(sessionA), Model: rapid.SampledFrom([]string{"opus", "haiku", ""}).Draw(t, "model")}
	case 5, 6:
		return claude.TurnEnded{Inputs: keys, Text: rapid.SampledFrom([]string{"more", "DONE"}).Draw(t, "answer"), IsError: rapid.Bool().Draw(t, "failed"), MemoryGone: rapid.IntRange(0, 6).Draw(t, "gone") == 0}
	case 7:
		return asks(id, rapid.SampledFrom([]string{"Bash", "Write"}).Draw(t, "tool"))
	case 8:
		return questions("q", "Why?", "Who?")
	case 9:
		return claude.PermissionWithdrawn{Request: id}
	case 10:
		return claude.StatusHint{Status: 2}
	case 11:
		return claude.BackgroundTasks{IDs: rapid.SliceOfN(rapid.SampledFrom([]string{"t1", "t2"}), 0, 2).Draw(t, "tasks")}
	case 12:
		return claude.SessionStateChanged{State: rapid.SampledFrom([]string{"running", "requires_action", "idle"}).Draw(t, "state")}
	case 13:
		return claude.ModeChanged{Mode: rapid.SampledFrom([]string{"plan", "default", "-x"}).Draw(t, "mode")}
	case 14:
		return claude.AgentSessionChanged{ID: rapid.SampledFrom([]string{string(sessionA), "x", ""}).Draw(t, "session")}
	case 15:
		return claude.ControlAsked{Request: id, Subtype: "hook_callback"}
	case 16:
		return claude.Compacted{Trigger: "manual", TokensBefore: 1800, TokensAfter: 260}
	case 17:
		return claude.CompactionFailed{Error: "no"}
	case 18:
		return claude.RateLimited{Until: w.b.now.Add(time.Duration(rapid.IntRange(-1, 600).Draw(t, "limit")) * time.Minute)}
	}
	return text("hello")
}

// someRequest draws what clients may ask for.
func (w *world) someRequest() any {
	t := w.t
	client := rapid.SampledFrom([]messages.ClientID{"ann", "bob"}).Draw(t, "client")
	id := rapid.SampledFrom([]messages.RequestID{"p1", "p2", "p3", "q", "q/0", "q/1"}).Draw(t, "request")
	switch rapid.IntRange(0, 26).Draw(t, "request kind") {
	case 0, 1, 2, 3, 4, 5:
		m := input(client, fmt.Sprintf("k%d", rapid.IntRange(1, 4).Draw(t, "key")))
		if rapid.IntRange(0, 3).Draw(t, "repeats") == 0 {
			m.Repeat = &messages.Repeat{Max: rapid.Uint32Range(1, 3).Draw(t, "times")}
		}
		return m
	case 26:
		return messages.StopRepeat{Session: sessionA, Client: client}
	case 6, 7, 8:
		a := answer(client, id, messages.Decision(rapid.IntRange(0, 6).Draw(t, "decision")))
		if id[0] == 'q' && a.Decision == messages.AllowOnce {
			a.Answers = map[string]string{rapid.SampledFrom([]string{"Why?", "Who?"}).Draw(t, "question"): "x"}
		}
		return a
	case 9:
		c := cancel(client)
		c.Force = rapid.Bool().Draw(t, "force")
		return c
	case 10:
		return take(client)
	case 11:
		return release(client)
	case 12:
		return attach(client, rapid.SampledFrom([]string{"s1", "s2"}).Draw(t, "stream"))
	case 13:
		return messages.Detach{Session: sessionA, Stream: rapid.SampledFrom([]string{"s1", "s2"}).Draw(t, "stream")}
	case 14:
		return messages.ChangeSettings{Session: sessionA, Client: client, Model: "haiku", PermissionMode: "plan"}
	case 15:
		return messages.SetGrant{Session: sessionA, Tool: "Bash", Granted: rapid.Bool().Draw(t, "granted")}
	case 16:
		return messages.ClearGrants{Session: sessionA}
	case 17:
		return messages.StopSession{Session: sessionA}
	case 18:
		return messages.GetSession{Session: sessionA}
	case 25:
		limit := rapid.SampledFrom([]uint64{0, 1, 1_000_000}).Draw(t, "budget")
		return messages.SetBudget{Session: sessionA, Client: client, Micros: &limit}
	case 24:
		return messages.RefuseLock{Session: sessionA, Client: client}
	case 21:
		return messages.ContinueSession{Session: sessionA}
	case 22:
		return messages.RestartSession{Session: sessionA}
	case 19, 20:
		return compact(rapid.SampledFrom([]string{"c1", "c2"}).Draw(t, "compaction"))
	}
	return start(client)
}

// asks puts a request as the gateway does, which knows the keys in the journal.
func (w *world) asks(m any) {
	if in, ok := m.(messages.SendInput); ok {
		if _, seen := w.b.journal.Keys[in.Key]; seen {
			return
		}
	}
	if c, ok := m.(messages.CompactSession); ok {
		_, c.Repeated = w.b.journal.Keys[c.Key]
		m = c
	}
	w.tell(m)
}
