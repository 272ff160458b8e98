package actors

import (
	"slices"

	"betcode/actors/internal/rules"
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
		return asError(op, err)
	}
	id := requestOf(m.Request)
	at := slices.IndexFunc(loaded.Permissions, func(p messages.PermissionRecord) bool {
		return p.Request == id || slices.Contains(p.Formerly, id)
	})
	if at < 0 {
		return nil // the session says what became of it
	}
	p := loaded.Permissions[at]
	place := rules.Place{Directory: loaded.Record.WorkingDirectory, Home: s.options.Home}
	asked := rules.Call{Tool: p.Tool, Input: p.Input, Place: place}
	edited := rules.Call{Tool: p.Tool, Input: m.Updated, Place: place}
	edited.Real = rules.Resolve(edited)
	verdict := s.rules.get().With(s.directoryRules(place.Directory)).Decide(edited)
	why := ""
	if verdict.Effect == rules.Deny {
		why = "a rule forbids the edited call: " + verdict.Rules[0].String()
	} else if reason := s.protected.Check(edited); reason != "" && reason != s.protected.Check(asked) {
		why = "the edited call is protected: " + reason
	}
	if why == "" {
		return nil
	}
	return messages.Errorf(op, messages.WrongState, "%s", why).WithCode(messages.EditRefused).
		With("request_id", string(id)).WithHint("edit it in another way, or deny it; the request still waits")
}
