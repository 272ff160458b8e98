package callers

import (
	"strings"

	"betcode/tests/attack/siege"
	"betcode/tests/kit"
)

// shownScenarios attack the claims of docs/security.md about what people are shown.
var shownScenarios = []siege.Scenario{
	{Name: "doors: hidden characters", Attack: attackHidden},
	{Name: "doors: the agent's own words", Attack: attackWords},
}

// attackHidden has the agent ask about a command in which people would not see everything.
func attackHidden(s *siege.Siege) {
	for name, hidden := range map[string]string{
		"a carriage return": "\\r", "a zero width space": "\\u200b", "a change of direction": "\\u202e", "an isolate": "\\u2066",
		"a tag": "\\udb40\\udc41", "an escape sequence": "\\u001b[2K", "a control character of Latin-1": "\\u009b", "a soft hyphen": "\\u00ad",
	} {
		c := s.Converse("person", siege.NewSession())
		s.Say(c, `tool:Bash:{"command": "touch made.txt `+hidden+`# ls"}`)
		e, _ := s.Wait(c, 0, kit.IsPermission)
		request := e.GetPermissionRequest()
		event := request.GetDescription()
		s.Held(name+" is shown in the event", siege.Plain(event) && strings.Contains(event, `\`), "%q", event)
		list, _ := s.Cli("permission", "list")
		s.Held(name+" is shown in the list", siege.Plain(list) && strings.Contains(list, "touch made.txt \\"), "%q", list)
		sessions, _ := s.Cli("session", "list")
		s.Held(name+" is shown in the list of sessions", siege.Plain(sessions) && strings.Contains(sessions, "touch made.txt \\"), "%q", sessions)
		s.Refuse(c, request.GetRequestId())
	}
}

// attackWords has the agent describe a command as something else.
func attackWords(s *siege.Siege) {
	const command, words = "rm -rf everything", "run the tests"
	id := siege.NewSession()
	c := s.Converse("person", id)
	s.Say(c, `tool:Bash:{"command": "`+command+`", "description": "`+words+`"}`)
	e, _ := s.Wait(c, 0, kit.IsPermission)
	shown := map[string]string{"the event": e.GetPermissionRequest().GetDescription()}
	shown["the list"], _ = s.Cli("permission", "list")
	shown["the list of sessions"], _ = s.Cli("session", "list")
	shown["the session"], _ = s.Cli("session", "show", id)
	for where, text := range shown {
		at, behind := strings.Index(text, command), strings.Index(text, words)
		s.Held("the command comes first in "+where, at >= 0 && (behind < 0 || at < behind), "%q", text)
		s.Held("the agent's words are marked in "+where, behind < 0 || strings.Contains(text, `the agent says: "`+words), "%q", text)
	}
	s.Refuse(c, e.GetPermissionRequest().GetRequestId())
}
