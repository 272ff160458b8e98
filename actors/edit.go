package actors

import (
	"slices"

	"betcode/actors/internal/rules"
	"betcode/actors/session/prompts"
	"betcode/messages"
)

// checkEdit holds an input that a person has edited against the deny rules and the built-in
// list, as the agent's own was: what was edited is what runs. The request stays pending if it is
// refused. It looks at the disk, in the goroutine of who answers.
//
// What is protected may be edited where the person was told that it is: the request they
// answer has the same reason.
func (s *System) checkEdit(m messages.AnswerPermission) error {
	const op = "answer permission"
	if m.Decision != messages.AllowWithEdit || len(m.Updated) == 0 {
		return nil
	}
	loaded, err := s.options.Store.Load(m.Session)
	if err != nil {
		return messages.AsError(op, err)
	}
	id := prompts.RequestOf(m.Request)
	at := slices.IndexFunc(loaded.Permissions, func(p messages.PermissionRecord) bool {
		return p.Request == id || slices.Contains(p.Formerly, id)
	})
	if at < 0 {
		return nil // the session says what became of it
	}
	p := loaded.Permissions[at]
	place := rules.Place{Directory: loaded.Record.WorkingDirectory, Home: s.options.Home}
	asked := rules.Call{Tool: p.Tool, Input: p.Input, Place: place}
	why := s.editRefused(asked, m.Updated, s.directories.Rules(place.Directory))
	if why == "" {
		return nil
	}
	return messages.Errorf(op, messages.WrongState, "%s", why).WithCode(messages.EditRefused).
		With("request_id", string(id)).WithHint("edit it in another way, or deny it; the request still waits")
}

// editRefused returns why a call must not run with the input that a person gave it: a clause
// for people, empty if it may. It reads the disk.
func (s *System) editRefused(asked rules.Call, input []byte, directory *rules.Set) string {
	edited := rules.Call{Tool: asked.Tool, Input: input, Place: asked.Place}
	edited.Real = rules.Resolve(edited)
	if verdict := s.rules.Rules().With(directory).Decide(edited); verdict.Effect == rules.Deny {
		return "a rule forbids the edited call: " + verdict.Rules[0].String()
	}
	if reason := s.protected.Check(edited); reason != "" && reason != s.protected.Check(asked) {
		return "the edited call is protected: " + reason
	}
	return ""
}
