package checks

import (
	"slices"

	"betcode/actors/internal/rules"
	"betcode/actors/session/prompts"
	"betcode/messages"
)

// Edit checks an input that a person has edited by the deny rules and the built-in list, as the agent's
// own input was, because the edited input is what runs. The request stays pending if the input is refused.
//
// A protected file may be edited if the request that the person answers names the same protection.
func (c *Checks) Edit(m messages.AnswerPermission) error {
	const op = "answer permission"
	if m.Decision != messages.AllowWithEdit || len(m.Updated) == 0 {
		return nil
	}
	loaded, err := c.deps.Load(m.Session)
	if err != nil {
		return messages.AsError(op, err)
	}
	id := prompts.RequestOf(m.Request)
	at := slices.IndexFunc(loaded.Permissions, func(p messages.PermissionRecord) bool {
		return p.Request == id || slices.Contains(p.Formerly, id)
	})
	if at < 0 {
		return nil // the session reports its outcome
	}
	p := loaded.Permissions[at]
	place := rules.Place{Directory: loaded.Record.WorkingDirectory, Home: c.deps.Home}
	asked := rules.Call{Tool: p.Tool, Input: p.Input, Place: place}
	why := c.EditRefused(asked, m.Updated, c.deps.Directories.Rules(place.Directory))
	if why == "" {
		return nil
	}
	return messages.Errorf(op, messages.WrongState, "%s", why).WithCode(messages.EditRefused).
		With("request_id", string(id)).WithHint("edit it in another way, or deny it; the request still waits")
}

// EditRefused returns why a call must not run with the input of a person: a clause
// for people, empty if it may. It reads the disk.
func (c *Checks) EditRefused(asked rules.Call, input []byte, directory *rules.Set) string {
	edited := rules.Call{Tool: asked.Tool, Input: input, Place: asked.Place}
	edited.Real = rules.Resolve(edited)
	if verdict := c.deps.Rules().With(directory).Decide(edited); verdict.Effect == rules.Deny {
		return "a rule forbids the edited call: " + verdict.Rules[0].String()
	}
	if reason := c.deps.Protected.Check(edited); reason != "" && reason != c.deps.Protected.Check(asked) {
		return "the edited call is protected: " + reason
	}
	return ""
}
