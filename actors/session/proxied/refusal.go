package proxied

import (
	"encoding/json"

	"betcode/messages"
)

// Refusal is why a request makes no sense for an agent under a proxy.
type Refusal struct{ Op, Why, Hint string }

// Refuse returns why a request is refused, nil if it is served as for any session. interruptible says that no turn runs, or that the
// proxy can interrupt one.
func Refuse(m any, interruptible bool) *Refusal {
	switch m := m.(type) {
	case messages.RestartSession:
		return &Refusal{"restart session", "the daemon does not run its agent", "restart the proxy on its machine"}
	case messages.ContinueSession:
		return &Refusal{"resume session", "the daemon does not run its agent", "send a message instead"}
	case messages.ChangeSettings:
		return &Refusal{"change settings", "the daemon does not run its agent", "start the proxy with other options"}
	case messages.SetGrant, messages.ClearGrants:
		return &Refusal{"change grants", "each request of its agent goes to a person", "answer the requests: betcode permission list"}
	case messages.BeginSubagent, messages.SendToSubagent, messages.CancelSubagent:
		return &Refusal{"direct subagent", "it cannot be a subagent", "spawn another session as the subagent"}
	case messages.SendInput:
		if len(m.Attachments) > 0 {
			return &Refusal{"send input", "its proxy takes no attachments", "send the message without attachments"}
		}
	case messages.CancelTurn:
		if !interruptible {
			return &Refusal{"cancel turn", "its proxy cannot interrupt a turn", "wait for the end of the turn, or stop the session: betcode session stop"}
		}
	}
	return nil
}

// Err returns the error for a caller whose request was refused.
func (r *Refusal) Err(id messages.SessionID) *messages.Error {
	return messages.Errorf(r.Op, messages.WrongState, "the session's agent runs under a proxy: %s", r.Why).
		With("session_id", string(id)).WithHint(r.Hint)
}

// Decision returns what a proxy is told about a decided request: what the line for an agent of the daemon says. interrupts reports
// whether the turn is to be interrupted with it.
func Decision(request messages.RequestID, line []byte) (told messages.ProxyDecision, interrupts bool, err error) {
	var answer struct {
		Response struct {
			Response struct {
				Behavior    string          `json:"behavior"`
				Input       json.RawMessage `json:"updatedInput"`
				Permissions json.RawMessage `json:"updatedPermissions"`
				Message     string          `json:"message"`
				Interrupt   bool            `json:"interrupt"`
			} `json:"response"`
		} `json:"response"`
	}
	if err := json.Unmarshal(line, &answer); err != nil {
		return messages.ProxyDecision{}, false, err
	}
	a := answer.Response.Response
	return messages.ProxyDecision{
		Request: request, Allow: a.Behavior == "allow", Input: a.Input, Permissions: a.Permissions, Reason: a.Message,
	}, a.Interrupt, nil
}
