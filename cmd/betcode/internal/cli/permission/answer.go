package permission

import (
	"context"
	"fmt"
	"strconv"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/exit"
	"betcode/cmd/betcode/internal/render"
	pb "betcode/proto/betcode/v1"
)

// answerRequest sends a decision. If the request was decided before, it reports how and when: a success if the decision is
// the same, otherwise a failure.
func (p group) answerRequest(ctx context.Context, cl *client.Client, request *pb.AnswerPermissionRequest) error {
	r, err := cl.Admin.AnswerPermission(ctx, request)
	if err != nil || r.GetApplied() {
		return err
	}
	text := decidedBefore(r)
	if !sameAnswer(request, r) {
		return exit.With(exit.Failed, fmt.Errorf("%s; this answer has no effect", text))
	}
	if len(request.GetAnswers()) > 0 { // which answers were given before is not reported
		p.Say("%s; the earlier answers count.", text)
		return nil
	}
	p.Say("%s; your answer is the same.", text)
	return nil
}

// answerTooLate answers a question that is no longer pending, so that the daemon returns the decision. For an unknown request it
// returns notFound, which has more details.
func (p group) answerTooLate(ctx context.Context, cl *client.Client, ref string, typed []string, notFound error) error {
	answers := map[string]string{}
	for n, text := range typed { // the questions are not known any more, and do not matter
		answers[strconv.Itoa(n+1)] = text
	}
	err := p.answerRequest(ctx, cl, &pb.AnswerPermissionRequest{RequestId: ref, Answers: answers})
	if status.Code(err) == codes.NotFound {
		return notFound
	}
	return err
}

// decidedBefore returns how a request was decided, by whom and when.
func decidedBefore(r *pb.AnswerPermissionResponse) string {
	text := "request " + console.Line(r.GetRequestId())
	if r.GetReason() == "withdrawn" {
		text += " was withdrawn"
	} else {
		text += " was " + render.Decided(r.GetDecision()) + " before"
	}
	if by := r.GetResolvedBy(); by != "" {
		text += " by " + console.Client(by)
	}
	if at := console.Exact(r.GetDecidedAt()); at != "" {
		text += " at " + at
	}
	return text
}

// sameAnswer reports whether the earlier decision includes the wanted one: a call allowed for the session is allowed once
// too.
func sameAnswer(request *pb.AnswerPermissionRequest, r *pb.AnswerPermissionResponse) bool {
	decided := r.GetDecision()
	switch r.GetReason() {
	case "": // an older daemon does not report the decision
		return true
	case "withdrawn", "expired":
		return false
	}
	switch wanted := request.GetDecision(); wanted {
	case pb.PermissionDecision_ALLOW_ONCE:
		return decided == wanted || decided == pb.PermissionDecision_ALLOW_SESSION
	case pb.PermissionDecision_DENY:
		return decided == wanted || decided == pb.PermissionDecision_DENY_NO_INTERRUPT || decided == pb.PermissionDecision_DENY_WITH_INTERRUPT
	case pb.PermissionDecision_PERMISSION_DECISION_UNSPECIFIED: // the answers to a question
		return decided == pb.PermissionDecision_ALLOW_ONCE
	default:
		return decided == wanted
	}
}
