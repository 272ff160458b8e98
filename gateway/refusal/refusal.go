// Package refusal has the texts in which gateways pass on errors of the daemon.
package refusal

import (
	"strings"

	pb "betcode/proto/betcode/v1"
)

// Text returns the text of an error for a client of a gateway. Such clients cannot ask for the input lock, so the text of a refusal
// for want of it names the client that holds it, without the part of its id that distinguishes processes.
func Text(e *pb.ErrorEvent) string {
	if holder, _, _ := strings.Cut(e.GetDetails()["holder_client_id"], "#"); holder != "" {
		return "The client " + holder + " has the input lock; release it there, or try again when it has left"
	}
	return e.GetMessage()
}
