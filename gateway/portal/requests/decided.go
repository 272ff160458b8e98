package requests

import (
	"cmp"
	"slices"
	"strings"

	pb "betcode/proto/betcode/v1"
)

// maxDecided bounds the decided requests that are known.
const maxDecided = 64

// Decided has the newest decided requests of a stream, by id.
type Decided struct{ ids []string }

// Add notes that a request was decided.
func (d *Decided) Add(id string) {
	d.ids = append(d.ids[max(0, len(d.ids)-maxDecided+1):], id)
}

// Clone returns a copy that shares nothing with d.
func (d *Decided) Clone() Decided { return Decided{slices.Clone(d.ids)} }

// Late reports whether an event repeats a request that was decided. A stream repeats the requests that waited when it began, behind
// its history, which may have the decision.
func (d *Decided) Late(e *pb.AgentEvent) bool {
	id := IDOf(e)
	if id == "" || !slices.Contains(d.ids, id) {
		return false
	}
	if e.GetSequence() > 0 { // the agent asks anew
		d.ids = slices.DeleteFunc(d.ids, func(known string) bool { return known == id })
		return false
	}
	return true
}

// IDOf returns the id of the request that an event makes; empty if it makes none. The questions ID/0, ID/1, … are one request.
func IDOf(e *pb.AgentEvent) string {
	id, _, _ := strings.Cut(cmp.Or(e.GetPermissionRequest().GetRequestId(), e.GetUserQuestion().GetQuestionId()), "/")
	return id
}
