package main

import (
	"strings"

	"betcode/messages/visible"
	"betcode/tests/kit"
)

// shownScenarios attack what docs/security.md says of: what people are shown.
var shownScenarios = []scenario{
	{name: "doors: hidden characters", attack: attackHidden},
	{name: "doors: the agent's own words", attack: attackWords},
}

// attackHidden has the agent ask about a command in which people would not see everything.
func attackHidden(s *siege) {
	for name, hidden := range map[string]string{
		"a carriage return": "\\r", "a zero width space": "\\u200b", "a change of direction": "\\u202e", "an isolate": "\\u2066",
		"a tag": "\\udb40\\udc41", "an escape sequence": "\\u001b[2K", "a control character of Latin-1": "\\u009b", "a soft hyphen": "\\u00ad",
	} {
		c := s.converse("person", session())
		s.say(c, `tool:Bash:{"command": "touch made.txt `+hidden+`# ls"}`)
		e, _ := s.wait(c, 0, kit.IsPermission)
		request := e.GetPermissionRequest()
		event := request.GetDescription()
		s.held(name+" is shown in the event", plain(event) && strings.Contains(event, `\`), "%q", event)
		list, _ := s.cli("permission", "list")
		s.held(name+" is shown in the list", plain(list) && strings.Contains(list, "touch made.txt \\"), "%q", list)
		sessions, _ := s.cli("session", "list")
		s.held(name+" is shown in the list of sessions", plain(sessions) && strings.Contains(sessions, "touch made.txt \\"), "%q", sessions)
		s.refuse(c, request.GetRequestId())
	}
}

// plain reports whether a person sees every character of a text.
func plain(text string) bool {
	return strings.IndexFunc(strings.NewReplacer("\n", "", "\t", "").Replace(text), visible.Hidden) < 0
}

// attackWords has the agent describe a command as something else.
func attackWords(s *siege) {
	const command, words = "rm -rf everything", "run the tests"
	id := session()
	c := s.converse("person", id)
	s.say(c, `tool:Bash:{"command": "`+command+`", "description": "`+words+`"}`)
	e, _ := s.wait(c, 0, kit.IsPermission)
	shown := map[string]string{"the event": e.GetPermissionRequest().GetDescription()}
	shown["the list"], _ = s.cli("permission", "list")
	shown["the list of sessions"], _ = s.cli("session", "list")
	shown["the session"], _ = s.cli("session", "show", id)
	for where, text := range shown {
		at, behind := strings.Index(text, command), strings.Index(text, words)
		s.held("the command comes first in "+where, at >= 0 && (behind < 0 || at < behind), "%q", text)
		s.held("the agent's words are marked in "+where, behind < 0 || strings.Contains(text, `the agent says: "`+words), "%q", text)
	}
	s.refuse(c, e.GetPermissionRequest().GetRequestId())
}
