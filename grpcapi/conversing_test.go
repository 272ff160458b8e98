package grpcapi

import (
	"context"
	"testing"

	"google.golang.org/grpc/peer"

	"betcode/grpcapi/auth"
)

// A replay is notified of a Converse stream on its connection and session, whichever was first.
func TestConversing(t *testing.T) {
	on := func(connection string) context.Context {
		return peer.NewContext(t.Context(), &peer.Peer{AuthInfo: auth.AuthInfo{Peer: auth.Peer{Connection: connection}}})
	}
	heard := func(joined <-chan struct{}) bool {
		select {
		case <-joined:
			return true
		default:
			return false
		}
	}
	var c conversing
	before, _ := c.beside(on("a"), sessionA)
	gone, forget := c.beside(on("a"), sessionA)
	forget()
	elsewhere, leaveElsewhere := c.beside(on("b"), sessionA)
	other, leaveOther := c.beside(on("a"), "other")
	nobody, _ := c.beside(t.Context(), sessionA)
	if heard(before) {
		t.Error("nobody converses yet")
	}
	first, second := c.enter(on("a"), sessionA), c.enter(on("a"), sessionA)
	after, _ := c.beside(on("a"), sessionA)
	if !heard(before) || !heard(after) || heard(gone) || heard(elsewhere) || heard(other) || heard(nobody) {
		t.Error("it is not known who converses")
	}
	first()
	if still, _ := c.beside(on("a"), sessionA); !heard(still) {
		t.Error("the second stream is forgotten")
	}
	second()
	ended, leave := c.beside(on("a"), sessionA)
	if heard(ended) {
		t.Error("it is not known that both streams have ended")
	}
	leave()
	leaveElsewhere()
	leaveOther()
	if len(c.open)+len(c.replays) != 0 {
		t.Errorf("left over: %v, %v", c.open, c.replays)
	}
}
