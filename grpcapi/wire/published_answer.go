package wire

import (
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	pb "betcode/proto/betcode/v1"
)

// Published clients of betcode.v1 number two fields of PermissionResponse differently: the edited
// input of ALLOW_WITH_EDIT is field 3, which is the idempotency key in the API document, and the
// text of a denial is field 4. Only this file reads them as aliases of updated_input (100) and
// message (101). Field 3 keeps its documented meaning for every other decision, and if it contains
// a UUID.

// publishedMessageField is the number of a denial's text in published clients.
const publishedMessageField = 4

// readPublishedAnswer moves the fields of a published client to the fields of the API. edited is
// the content of field 3 if it is not text; otherwise nil. It reports whether there was an edited
// input.
func readPublishedAnswer(p *pb.PermissionResponse, edited []byte) bool {
	if p == nil {
		return false
	}
	if p.GetMessage() == "" {
		p.Message = publishedMessage(p.ProtoReflect().GetUnknown())
	}
	if p.GetDecision() != pb.PermissionDecision_ALLOW_WITH_EDIT || p.GetUpdatedInput() != nil {
		return false
	}
	if key := p.GetIdempotencyKey(); edited == nil && CanonicalUUID(key) == "" {
		edited = []byte(key)
	}
	input := &structpb.Struct{}
	if proto.Unmarshal(edited, input) != nil || len(input.GetFields()) == 0 || len(input.ProtoReflect().GetUnknown()) > 0 {
		return false
	}
	p.UpdatedInput, p.IdempotencyKey = input, ""
	return true
}

// publishedMessage returns the text in field 4 of an answer, empty if there is none.
func publishedMessage(unknown []byte) string {
	text := ""
	eachField(unknown, func(number protowire.Number, kind protowire.Type, _, value []byte) {
		if number == publishedMessageField && kind == protowire.BytesType && utf8.Valid(value) {
			text = string(value)
		}
	})
	return text
}
