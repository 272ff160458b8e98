package requests

import (
	"cmp"
	"slices"
	"strings"

	pb "betcode/proto/betcode/v1"
)

// maxDecided bounds the stored ids of decided requests.
const maxDecided = 64

// Decided has the newest decided requests of a stream, by id.
type Decided struct{ ids []string }

// Add records that a request was decided.
func (d *Decided) Add(id string) {
	d.ids = append(d.ids[max(0, len(d.ids)-maxDecided+1):], id)
}

// Clone returns a copy that shares nothing with d.
func (d *Decided) Clone() Decided { return Decided{slices.Clone(d.ids)} }

// Late reports whether an event repeats a decided request. A stream repeats, after its history, the requests that
// waited when it began; the history may have their decisions.
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

// IDOf returns the id of the request in an event; empty if there is none. The questions ID/0, ID/1, … are one request.
func IDOf(e *pb.AgentEvent) string {
	id, _, _ := strings.Cut(cmp.Or(e.GetPermissionRequest().GetRequestId(), e.GetUserQuestion().GetQuestionId()), "/")
	return id
}
