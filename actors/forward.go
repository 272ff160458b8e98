package actors

import (
	"betcode/actors/session/prompts"
	"betcode/messages"
)

// addressAnswer directs an answer with a forwarded id to the session of the subagent that asks, which has the only record of the
// request. r is the answer m, or m under a key. An id of a session that forwards nothing to the session of m is not found there.
func (s *System) addressAnswer(r messages.Request, m messages.AnswerPermission) (messages.Request, messages.AnswerPermission, error) {
	subagent, request, ok := messages.ParseForwarded(m.Request)
	if !ok {
		return r, m, nil
	}
	reaches, err := s.queries.ForwardsTo(subagent, m.Session)
	if err != nil {
		return nil, m, messages.AsError("answer permission", err)
	}
	if !reaches {
		return nil, m, messages.Errorf("answer permission", messages.NotFound, "session %s shows no request %s", m.Session, prompts.RequestOf(m.Request)).
			WithCode(messages.PermissionStale).With("request_id", string(m.Request)).WithHint("list the requests that wait: betcode permission list")
	}
	m.Session, m.Request = subagent, request
	if once, ok := r.(messages.Idempotent); ok {
		once.Request = m
		return once, m, nil
	}
	return m, m, nil
}
