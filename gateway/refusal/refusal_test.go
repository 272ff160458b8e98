package refusal

import (
	"testing"

	pb "betcode/proto/betcode/v1"
)

// A refusal for want of the input lock names its holder as people know it.
func TestText(t *testing.T) {
	t.Parallel()
	for holder, want := range map[string]string{
		"":                           "no lock",
		"terminal-1":                 "The client terminal-1 has the input lock; release it there, or try again when it has left",
		"lea@box:pts/3#9.a1b2c3d4e5": "The client lea@box:pts/3 has the input lock; release it there, or try again when it has left",
	} {
		if got := Text(&pb.ErrorEvent{Message: "no lock", Details: map[string]string{"holder_client_id": holder}}); got != want {
			t.Errorf("holder %q: %q, want %q", holder, got, want)
		}
	}
}
