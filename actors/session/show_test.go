package session

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"betcode/actors/internal/act"
	"betcode/actors/internal/actortest"
	"betcode/actors/run"
	"betcode/actors/session/recall"
	"betcode/messages"
)

// show writes an effect in a few words, as the scenarios expect them. Credits
// and what the pool is told have none, there are too many, nor have replies to
// nobody.
func show(e act.Effect) string {
	switch e := e.(type) {
	case publish:
		var words []string
		for _, event := range e.events {
			if word := actortest.ShowEvent(event); word != "" {
				words = append(words, word)
			}
		}
		if len(words) == 0 {
			return ""
		}
		return "all: " + strings.Join(words, ", ")
	case sendToStream:
		return "tell " + e.stream
	case act.Reply:
		if e.To == nil {
			return "" // the shell drops it
		}
		return "to " + e.To.GetId() + ": " + showReply(e.With)
	case sendToRun:
		if said := showOrder(e.message); said != "" {
			return fmt.Sprintf("run %d: %s", e.run, said)
		}
		return ""
	case sendToPermission:
		return fmt.Sprintf("forward to %s", e.request)
	case spawnRun:
		return showSpawn(e)
	case spawnClient:
		return fmt.Sprintf("client %s from %d", e.attach.Stream, e.state.Cursor)
	case dropClient:
		return "drop client " + e.stream
	case spawnPermission:
		return "wait for " + string(e.record.Request)
	case update:
		return "update " + string(e.record.Request)
	case notifyPerson:
		if e.event.Code == "PERMISSION_WAITS" { // as the request itself
			return ""
		}
		return "notify " + e.event.Code
	case requestRefused:
		return "log: refused since " + e.why
	case noteVersion:
		return "note that " + e.version + " does not continue"
	case dropPermission:
		return "stop waiting for " + string(e.request)
	case dropRun:
		return fmt.Sprintf("drop run %d", e.run)
	case openProxy:
		return "open " + e.connection
	case sendToProxy:
		return e.connection + ": " + showProxyEvent(e.event)
	case closeProxy:
		words := "close " + e.connection
		if e.last != nil {
			words += " behind " + showProxyEvent(e.last)
		}
		if e.reason != nil {
			words += ": " + e.reason.Kind.String()
		}
		return words
	case askPool, archiveRuns, sendToPool, sendToDay, auditing:
		return ""
	case act.After:
		switch e.Message.(type) {
		case parkDue, yieldDue, silenceDue, compactionSlow, compactionLate, lockGraceOver, lockDue:
			return ""
		}
		return fmt.Sprintf("in %s %T", e.Delay, e.Message)
	case readTranscript:
		word := "look for " + cmp.Or(strings.Join(e.Keys, " "), "nothing") + " in the transcript"
		if e.Compare {
			word += ", and compare"
		}
		return word
	case lookAround:
		return "look around for " + string(e.request)
	case remember:
		return fmt.Sprintf("remember %d commands", len(e.abilities.Commands))
	case loadAgain:
		return "load again"
	case saveStop:
		return fmt.Sprintf("note the stop at run %d", e.run)
	case dropSavedStop:
		return "forget the stop"
	case persist:
		return fmt.Sprintf("append %d", e.Commit)
	case keepReport:
		return fmt.Sprintf("keep the report of %d tools, %d servers", len(e.report.Tools), len(e.report.Servers))
	case retire:
		return "retire"
	case forget:
		return "forget " + e.directory
	}
	return fmt.Sprintf("%T", e)
}

func showSpawn(e spawnRun) string {
	word := fmt.Sprintf("run %d: ", e.record.Run)
	switch {
	case !e.fresh:
		word += "look for it"
	case slices.Contains(e.record.Argv, "--resume"):
		word += "start with --resume"
	default:
		word += "start with --session-id"
	}
	if e.resume {
		word += " in a turn"
	}
	if e.cursor.Offset > 0 {
		word += fmt.Sprintf(" at %d", e.cursor.Offset)
	}
	return word
}

func showOrder(message any) string {
	switch m := message.(type) {
	case run.WriteInput:
		if m.Long {
			return "write long " + m.Key
		}
		return "write " + m.Key
	case run.WriteAnswer:
		return fmt.Sprintf("answer %s %s", m.Request, showAnswerLine(m.Line))
	case run.WriteControl:
		_, rest, _ := strings.Cut(string(m.Line), `"subtype":"`)
		subtype, _, _ := strings.Cut(rest, `"`)
		if subtype == "get_binary_version" {
			return "barrier"
		}
		return "control " + subtype
	case run.Interrupt:
		return "interrupt"
	case run.InterruptDone:
		return "interrupt is over"
	case run.Freeze:
		if m.On {
			return "hold for " + m.Why.String()
		}
		return "no longer hold for " + m.Why.String()
	case run.Stop:
		return []string{"stop in order", "stop resumably", "kill"}[m.How]
	case messages.Credit:
		return ""
	}
	return fmt.Sprintf("%T", message)
}

func showAnswerLine(line []byte) string {
	_, rest, _ := strings.Cut(string(line), `"behavior":"`)
	word, rest, _ := strings.Cut(rest, `"`)
	if _, input, found := strings.Cut(rest, `"updatedInput":`); found {
		word += " " + strings.TrimSuffix(input, "}}}\n")
	}
	if _, text, found := strings.Cut(rest, `"message":"`); found {
		text, rest, _ = strings.Cut(text, `"`)
		word += " (" + text + ")"
	}
	if strings.Contains(rest, `"interrupt":true`) {
		word += " and interrupt"
	}
	return word
}

func showReply(with any) string {
	switch m := with.(type) {
	case messages.SessionStarted:
		return fmt.Sprintf("started, created %v", m.Created)
	case messages.InputAcknowledged:
		return fmt.Sprintf("input %s is %d", m.Key, m.Seq)
	case messages.PermissionAnswered:
		return fmt.Sprintf("applied %v, %s by %s", m.Applied, showDecision(m.Decision), m.By)
	case messages.TurnCanceling:
		return fmt.Sprintf("canceling, active %v", m.WasActive)
	case messages.LockAnswer:
		word := fmt.Sprintf("lock granted %v, holder %q", m.Granted, m.Holder)
		if m.Refused {
			word += ", refused"
		}
		if m.Place > 0 {
			word += fmt.Sprintf(", place %d", m.Place)
		}
		return word
	case messages.Attached:
		return fmt.Sprintf("attached at %d", m.Head)
	case messages.SessionStopped:
		return fmt.Sprintf("stopped, was running %v", m.WasRunning)
	case messages.RepeatStopped:
		return fmt.Sprintf("repeat stopped %v", m.WasRepeating)
	case messages.SessionContinued:
		return fmt.Sprintf("continued, was waiting %v", m.WasWaiting)
	case messages.SessionRestarted:
		return fmt.Sprintf("restarted, was running %v", m.WasRunning)
	case messages.Abilities:
		return fmt.Sprintf("%d commands, fresh %v", len(m.Commands), m.Fresh)
	case messages.SessionView:
		return "view " + m.Record.Phase.String()
	case messages.SessionCompacted:
		return fmt.Sprintf("compacted %v up to %d, %d messages of %d, %d tokens of %d", m.Done, m.Boundary,
			m.MessagesAfter, m.MessagesBefore, m.TokensAfter, m.TokensBefore)
	case messages.ProxyConnected:
		return fmt.Sprintf("connected, resumed %v", m.Resumed)
	case messages.ProxyFramesTaken:
		if !m.Counted {
			return "taken"
		}
		return fmt.Sprintf("taken up to %d", m.Seq)
	case messages.Done:
		return "done"
	case AgentEnded:
		return "ended"
	case *messages.Error:
		word := m.Kind.String()
		if m.Code != "" {
			word += " " + string(m.Code)
		}
		if holder := m.Details["holder_client_id"]; holder != "" {
			word += " of " + holder
		}
		return word
	}
	return fmt.Sprintf("%T", with)
}

func showDecision(d messages.Decision) string {
	return map[messages.Decision]string{
		messages.Undecided: "undecided", messages.AllowOnce: "allowed", messages.AllowSession: "allowed for good",
		messages.Deny: "denied", messages.AllowWithEdit: "allowed with an edit", messages.DenyNoInterrupt: "denied softly",
		messages.DenyWithInterrupt: "denied and interrupted", messages.DecisionWithdrawn: "withdrawn",
		messages.DecisionExpired: "expired", messages.DecisionAnswered: "answered",
	}[d]
}

// showInput tells more about a message than its type, where that is short.
func showInput(m any) string {
	switch m := m.(type) {
	case messages.SendInput:
		return m.Key
	case run.Output:
		return fmt.Sprintf("%d-%d %+v", m.From, m.To, m.Items)
	case messages.Committed:
		return fmt.Sprint(m.Commit)
	case messages.RunEnded:
		return fmt.Sprintf("%+v", m.Exit)
	case recall.Answer:
		return fmt.Sprint(m.Known)
	case messages.SessionLoaded:
		return fmt.Sprintf("%s, %d inputs, run %+v", m.Record.Phase, len(m.Inputs), m.Record.Run)
	}
	return ""
}
