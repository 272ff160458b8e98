package e2e

import (
	"testing"

	"betcode/tests/foreignportal"
)

// free waits until the input lock of a session has no holder.
func (s *story) free(id string) {
	s.Helper()
	s.eventually("a free input lock", func() bool {
		holder, _ := s.cliJSON(0, "session", "show", id)["lock_holder"].(string)
		return holder == ""
	})
}

// Pages know no input lock: two pages that are open at once type in turns, and so does the terminal.
func TestPagesTypeInTurns(t *testing.T) {
	t.Parallel()
	p := newPortal(t, newStory(t, binaries.fake))
	session := p.begin("echo:one")
	b := p.browser("phone", "control", "approve")
	desk, phone := p.open(b, 1, session, nil), p.open(b, 3, session, nil)
	for _, s := range []*shown{desk, phone} {
		s.wait(`"SessionStatus"`)
	}
	desk.send(object{"type": "ClaudeInput", "content": "echo:from the desk"})
	desk.wait(`"ClaudeOutput"`, `"type":"result"`)
	p.free(session)
	phone.send(object{"type": "ClaudeInput", "content": "run:touch made.txt"})
	asked := desk.wait(`"PermissionRequest"`)
	desk.send(object{"type": "PermissionResponse", "request_id": asked.Text("request_id"), "allow": true, "input": asked.Of["input"]})
	phone.wait(`"ClaudeOutput"`, `"type":"result"`)
	p.free(session)
	p.cli(0, "run", "-r", session, "echo:from the terminal")
	desk.wait(`"ClaudeOutput"`, "from the terminal")
	desk.send(object{"type": "ClaudeInput", "content": "gate:never"})
	phone.wait(`"text":"gate:never"`)
	p.free(session)
	phone.send(object{"type": "Interrupt"})
	desk.wait(`"type":"result"`, "error_during_execution")
	p.free(session)
	p.converseFromNow("terminal-1", session)
	p.eventually("a terminal that holds the lock", func() bool {
		return p.cliJSON(0, "session", "show", session)["lock_holder"] == "terminal-1"
	})
	phone.send(object{"type": "ClaudeInput", "content": "echo:too late"})
	phone.wait(`"Error"`, "The client terminal-1 has the input lock")
}

// A session that is registered at a foreign portal can still be prompted here.
func TestProxiedSessionIsPromptedHere(t *testing.T) {
	t.Parallel()
	p := newProxied(t, newStory(t, binaries.fake), 3, "echo:one")
	p.until("the history", func(s foreignportal.Session) bool { return results(s) == 1 })
	p.free(p.id)
	p.cli(0, "run", "-r", p.id, "echo:two")
	p.until("a turn of here", func(s foreignportal.Session) bool { return results(s) == 2 })
	p.free(p.id)
	p.portal.Say(p.id, "echo:three", "", "")
	p.until("a turn of there", func(s foreignportal.Session) bool { return results(s) == 3 })
	p.free(p.id)
	p.cli(0, "run", "-r", p.id, "echo:four")
	p.until("a turn of here", func(s foreignportal.Session) bool { return results(s) == 4 && says(s, "four") })
}
