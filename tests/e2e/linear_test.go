package e2e

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"google.golang.org/grpc/metadata"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// answering is one client's answer to a request, or its look at who answered.
type answering struct {
	client, request string
	looks           bool
}

// answeredBy is what came of it: nothing is known of an answer that a killed daemon was
// given.
type answeredBy struct {
	applied bool
	by      string
	unknown bool
}

// firstAnswer models a request that is answered once: the first answer wins, and all clients see
// it. Requests are independent.
var firstAnswer = (&porcupine.NondeterministicModel{
	Partition: func(history []porcupine.Operation) [][]porcupine.Operation {
		by := map[string][]porcupine.Operation{}
		for _, op := range history {
			request := op.Input.(answering).request
			by[request] = append(by[request], op)
		}
		var all [][]porcupine.Operation
		for _, part := range by {
			all = append(all, part)
		}
		return all
	},
	Init: func() []any { return []any{""} },
	Step: func(state, input, output any) []any {
		winner, in, out := state.(string), input.(answering), output.(answeredBy)
		switch {
		case out.unknown && winner == "":
			return []any{"", in.client}
		case out.unknown:
			return []any{winner}
		case out.applied && winner == "" && !in.looks:
			return []any{in.client}
		case !out.applied && winner != "" && winner == out.by:
			return []any{winner}
		}
		return nil
	},
}).ToModel()

// Several clients answer the same requests at once, while the daemon is killed: each request is
// answered once, by the first answer, and all clients get the same decision.
func TestFirstAnswerIsLinearizable(t *testing.T) {
	t.Parallel()
	const requests, clients = 8, 5
	s := newStory(t, binaries.fake)
	id := session()
	c := s.converse("watcher", id)
	s.say(c, fmt.Sprintf("tools:%d", requests))
	var ids []string
	for next := 0; len(ids) < requests; {
		var asked kit.Event
		asked, next = s.wait(c, next, kit.IsPermission)
		ids = append(ids, asked.GetPermissionRequest().GetRequestId())
	}

	var (
		mu      sync.Mutex
		history []porcupine.Operation
		began   = time.Now()
	)
	note := func(client int, in answering, call time.Time, out answeredBy) {
		end := time.Since(began)
		if out.unknown {
			end = 1 << 62 // it may take effect at any time
		}
		mu.Lock()
		defer mu.Unlock()
		history = append(history, porcupine.Operation{ClientId: client, Input: in, Call: int64(call.Sub(began)), Output: out, Return: int64(end)})
	}
	round := func(of []string) {
		var work sync.WaitGroup
		for i := range clients {
			work.Go(func() {
				in := answering{client: fmt.Sprint("client-", i)}
				for _, n := range rand.Perm(len(of)) {
					in.request = of[n]
					decision := []pb.PermissionDecision{pb.PermissionDecision_ALLOW_ONCE, pb.PermissionDecision_DENY}[rand.IntN(2)]
					call := time.Now()
					answer, err := s.daemon.Admin().AnswerPermission(metadata.AppendToOutgoingContext(t.Context(), "x-client-id", in.client),
						&pb.AnswerPermissionRequest{SessionId: id, RequestId: in.request, Decision: decision})
					note(i, in, call, answeredBy{answer.GetApplied(), answer.GetResolvedBy(), err != nil})
				}
			})
		}
		if len(of) < requests {
			work.Wait()
			return
		}
		work.Go(func() { // in the middle of it
			if _, _, err := c.Wait(0, func(e kit.Event) bool { return e.GetPermissionResolved() != nil }); err != nil {
				t.Error(err)
			}
			s.daemon.Kill()
		})
		work.Wait()
		s.start()
	}
	round(ids)
	round(ids[:requests-1])
	round(ids[requests-1:])

	c = s.converse("watcher", id)
	for _, request := range ids {
		call := time.Now()
		resolved, _ := s.wait(c, 0, func(e kit.Event) bool { return e.GetPermissionResolved().GetRequestId() == request })
		by := resolved.GetPermissionResolved().GetResolvedBy()
		note(clients, answering{request: request, looks: true}, call, answeredBy{by: by})
	}
	if !porcupine.CheckOperations(firstAnswer, history) {
		for _, op := range history {
			t.Logf("%d-%d %+v: %+v", op.Call, op.Return, op.Input, op.Output)
		}
		t.Error("the answers could not have come one after the other")
	}
	for i, op := range history {
		if out := op.Output.(answeredBy); !out.applied && !out.unknown {
			lie := append([]porcupine.Operation(nil), history...)
			lie[i].Output = answeredBy{by: "somebody else"}
			if porcupine.CheckOperations(firstAnswer, lie) {
				t.Errorf("the model accepts a wrong result of %+v", op.Input)
			}
		}
	}
}
