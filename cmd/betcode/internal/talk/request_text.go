package talk

import (
	"time"

	"google.golang.org/protobuf/types/known/structpb"

	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/inbox"
	pb "betcode/proto/betcode/v1"
)

// RequestText returns a permission request for a person, with its input.
func RequestText(tool string, input *structpb.Struct, description string, s console.Style, now time.Time) string {
	r := inbox.Request{Permission: &pb.PermissionRequest{ToolName: tool, Input: input, Description: description}}
	return r.Text(s, now, false)
}

// QuestionText returns a question of an agent for a person, with its options.
func QuestionText(q *pb.UserQuestion, s console.Style, now time.Time) string {
	r := inbox.Request{Questions: []*pb.UserQuestion{q}}
	return r.Text(s, now, false)
}
