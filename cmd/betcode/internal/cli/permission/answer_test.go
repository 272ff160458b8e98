package permission

import (
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	pb "betcode/proto/betcode/v1"
)

func TestSameAnswer(t *testing.T) {
	const (
		allow, always, edit      = pb.PermissionDecision_ALLOW_ONCE, pb.PermissionDecision_ALLOW_SESSION, pb.PermissionDecision_ALLOW_WITH_EDIT
		deny, goOn, interrupt    = pb.PermissionDecision_DENY, pb.PermissionDecision_DENY_NO_INTERRUPT, pb.PermissionDecision_DENY_WITH_INTERRUPT
		unspecified              = pb.PermissionDecision_PERMISSION_DECISION_UNSPECIFIED
		client, gone, late, none = "client", "withdrawn", "expired", ""
	)
	for _, test := range []struct {
		wanted, stands pb.PermissionDecision
		reason         string
		same           bool
	}{
		{allow, allow, client, true},
		{allow, always, client, true},
		{allow, edit, client, false}, // it ran with another input
		{allow, deny, client, false},
		{always, always, client, true},
		{always, allow, client, false},
		{edit, edit, client, true},
		{deny, deny, client, true},
		{deny, goOn, client, true},
		{deny, interrupt, client, true},
		{deny, allow, client, false},
		{interrupt, deny, client, false},
		{unspecified, allow, client, true}, // a question
		{unspecified, deny, client, false},
		{deny, unspecified, gone, false},
		{deny, deny, late, false},
		{allow, unspecified, none, true}, // an older daemon does not say
	} {
		r := &pb.AnswerPermissionResponse{Decision: test.stands, Reason: test.reason}
		if same := sameAnswer(&pb.AnswerPermissionRequest{Decision: test.wanted}, r); same != test.same {
			t.Errorf("%v after %v (%s): %v", test.wanted, test.stands, test.reason, same)
		}
	}
}

func TestDecidedBefore(t *testing.T) {
	at := timestamppb.New(time.Date(2031, 5, 6, 7, 8, 9, 0, time.UTC))
	for want, r := range map[string]*pb.AnswerPermissionResponse{
		"request p was denied before by ann at 2031-05-06T07:08:09Z": {RequestId: "p", ResolvedBy: "ann", Decision: pb.PermissionDecision_DENY, Reason: "client", DecidedAt: at},
		"request p was withdrawn by agent":                           {RequestId: "p", ResolvedBy: "agent", Reason: "withdrawn"},
		"request p was answered before":                              {RequestId: "p"},
	} {
		if got := decidedBefore(r); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
