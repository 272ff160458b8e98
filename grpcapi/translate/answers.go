package translate

import (
	"cmp"

	"google.golang.org/protobuf/types/known/structpb"

	"betcode/grpcapi/wire"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// AnswerIn translates the answer to a permission request.
func AnswerIn(m *pb.PermissionResponse, session messages.SessionID, client messages.ClientID) (messages.AnswerPermission, error) {
	const op = "answer permission"
	request, err := requestIn(op, "request_id", m.GetRequestId())
	if err != nil {
		return messages.AnswerPermission{}, err
	}
	out := messages.AnswerPermission{
		Session: session, Client: client, Request: request,
		Key:     wire.CanonicalUUID(m.GetIdempotencyKey()), // other values of published clients are ignored
		Message: m.GetMessage(), Suggestions: m.GetApplySuggestions(),
	}
	if out.Decision, err = decisionIn(op, m.GetDecision()); err != nil {
		return out, err
	}
	if out.Updated, err = updatedIn(op, out.Decision, m.GetUpdatedInput()); err != nil {
		return out, err
	}
	return out, cmp.Or(denialIn(op, out.Message), suggestionsIn(op, out.Suggestions))
}

// suggestionsIn refuses more suggestions than a request can have.
func suggestionsIn(op string, chosen []uint32) error {
	if len(chosen) > maxSuggestions {
		return wire.Invalid(op, "Name each once.", "%d suggestions are chosen, the limit is %d", len(chosen), maxSuggestions)
	}
	return nil
}

// decisionIn translates a decision. The numbers are the same on both sides.
func decisionIn(op string, d pb.PermissionDecision) (messages.Decision, error) {
	switch d {
	case pb.PermissionDecision_PERMISSION_DECISION_UNSPECIFIED:
		return 0, wire.Invalid(op, "Set decision, for example ALLOW_ONCE or DENY.", "decision is not set")
	case pb.PermissionDecision_ALLOW_ONCE:
		return messages.AllowOnce, nil
	case pb.PermissionDecision_ALLOW_SESSION:
		return messages.AllowSession, nil
	case pb.PermissionDecision_DENY:
		return messages.Deny, nil
	case pb.PermissionDecision_ALLOW_WITH_EDIT:
		return messages.AllowWithEdit, nil
	case pb.PermissionDecision_DENY_NO_INTERRUPT:
		return messages.DenyNoInterrupt, nil
	case pb.PermissionDecision_DENY_WITH_INTERRUPT:
		return messages.DenyWithInterrupt, nil
	}
	return 0, wire.Invalid(op, "Use a PermissionDecision that this daemon knows, 1 to 6.", "the decision %d is unknown", d)
}

// denialIn bounds the text that an agent gets with a decision.
func denialIn(op, message string) error {
	if len(message) > maxMessageBytes {
		return wire.Invalid(op, "Shorten it.", "the message has %d bytes, the limit is %d", len(message), maxMessageBytes)
	}
	return nil
}

// QuestionIn translates the answer to a question. The session collects the answers to all
// questions of a request.
func QuestionIn(m *pb.UserQuestionResponse, session messages.SessionID, client messages.ClientID) (messages.AnswerPermission, error) {
	const op = "answer question"
	request, err := requestIn(op, "question_id", m.GetQuestionId())
	if err != nil {
		return messages.AnswerPermission{}, err
	}
	out := messages.AnswerPermission{
		Session: session, Client: client, Request: request,
		Decision: messages.DecisionAnswered, Answers: m.GetAnswers(),
	}
	return out, answersIn(op, out.Answers)
}

// answersIn checks the answers to the questions of a request.
func answersIn(op string, answers map[string]string) error {
	size := 0
	for question, answer := range answers {
		size += len(question) + len(answer)
	}
	switch {
	case len(answers) == 0:
		return wire.Invalid(op, "Set answers: the text of the question to the answer chosen.", "answers is empty")
	case len(answers) > maxAnswers || size > maxMessageBytes:
		return wire.Invalid(op, "Shorten them.", "the answers are too long")
	}
	return nil
}

// AdminAnswerIn translates an answer given outside a stream. The handler resolves session and
// request: both may be named by prefixes of their ids.
func AdminAnswerIn(m *pb.AnswerPermissionRequest, client messages.ClientID) (messages.AnswerPermission, error) {
	const op = "answer permission"
	request, err := requestIn(op, "request_id", m.GetRequestId())
	if err != nil {
		return messages.AnswerPermission{}, err
	}
	out := messages.AnswerPermission{Client: client, Request: request, Message: m.GetMessage(), Suggestions: m.GetApplySuggestions()}
	if len(m.GetAnswers()) > 0 {
		if m.GetDecision() != pb.PermissionDecision_PERMISSION_DECISION_UNSPECIFIED && m.GetDecision() != pb.PermissionDecision_ALLOW_ONCE {
			return out, wire.Invalid(op, "Leave one of them out.", "answers and a decision contradict each other")
		}
		out.Decision, out.Answers = messages.DecisionAnswered, m.GetAnswers()
		return out, answersIn(op, out.Answers)
	}
	if out.Decision, err = decisionIn(op, m.GetDecision()); err != nil {
		return out, err
	}
	if out.Updated, err = updatedIn(op, out.Decision, m.GetUpdatedInput()); err != nil {
		return out, err
	}
	return out, cmp.Or(denialIn(op, out.Message), suggestionsIn(op, out.Suggestions))
}

// AnsweredOut translates the decision after an answer.
func AnsweredOut(m messages.PermissionAnswered) *pb.AnswerPermissionResponse {
	out := &pb.AnswerPermissionResponse{Applied: m.Applied, ResolvedBy: m.By, Reason: "client", DecidedAt: TimeOut(m.At)}
	switch m.Decision {
	case messages.DecisionWithdrawn:
		out.Reason = "withdrawn"
	case messages.DecisionExpired:
		out.Decision, out.Reason = pb.PermissionDecision_DENY, "expired"
	case messages.DecisionAnswered:
		out.Decision = pb.PermissionDecision_ALLOW_ONCE
	default:
		out.Decision = pb.PermissionDecision(m.Decision)
		if m.By == "rule" || m.By == "grant" {
			out.Reason = m.By
		}
	}
	return out
}

// updatedIn returns the edited input of a decision as JSON. ALLOW_WITH_EDIT requires it and no
// other decision may have it: otherwise the tool would run with another input than intended.
func updatedIn(op string, d messages.Decision, input *structpb.Struct) ([]byte, error) {
	switch {
	case d != messages.AllowWithEdit && input != nil:
		return nil, wire.Invalid(op, "Decide ALLOW_WITH_EDIT, or leave updated_input out.", "updated_input comes with another decision")
	case d != messages.AllowWithEdit:
		return nil, nil
	case len(input.GetFields()) == 0:
		return nil, wire.Invalid(op, "Set updated_input to the tool's whole input.", "ALLOW_WITH_EDIT comes without updated_input")
	}
	return objectIn(op, "updated_input", input)
}
