package callers

import (
	"fmt"
	"math/rand/v2"
	"os/exec"
	"strings"
	"sync"
	"time"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/attack/siege"
	"betcode/tests/kit"
)

// attackAnswers has many commands answer one request at once, with different answers, and kills some of them on the way. The request
// is decided once, and the audit log names the process whose answer counted.
func attackAnswers(s *siege.Siege) {
	c := s.Converse("person", siege.NewSession())
	chance := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the same attack each time
	for round := range 6 {
		file := fmt.Sprintf("round-%d", round)
		from := len(c.Events())
		s.Say(c, "run:touch "+file)
		asked, _ := s.Wait(c, from, kit.IsPermission)
		request := asked.GetPermissionRequest().GetRequestId()
		said := map[string]string{} // by the number of the process
		var answering sync.WaitGroup
		for n := range 8 {
			answer := []string{"allow", "deny"}[n%2]
			command := exec.CommandContext(s, s.World.Binary, "permission", answer, request)
			command.Env, command.Dir = s.World.Environ(), s.World.Project
			s.Must(command.Start(), "answer")
			said[fmt.Sprint("#", command.Process.Pid)] = answer
			patience := time.Minute
			if n < 4 {
				patience = time.Duration(chance.IntN(150)) * time.Millisecond // wherever it is then
			}
			answering.Go(func() {
				kill := time.AfterFunc(patience, func() { _ = command.Process.Kill() })
				_ = command.Wait()
				kill.Stop()
			})
		}
		answering.Wait()
		s.Wait(c, from, kit.IsTurnComplete)
		var found []string
		right := false
		entries, err := pb.NewAccessServiceClient(s.Daemon.Conn()).ListAudit(s, &pb.ListAuditRequest{})
		s.Must(err, "read the audit log")
		for {
			e, err := entries.Recv()
			if err != nil {
				break
			}
			if !strings.Contains(e.String(), request) || e.GetOutcome() == "" {
				continue
			}
			found = append(found, e.String())
			for process, answer := range said {
				allowed := e.GetEventType() == "permission_grant"
				right = right || strings.Contains(e.GetActorId(), process+".") && allowed == (answer == "allow") && allowed == s.Exists(s.Project(file))
			}
		}
		s.Held("one answer counts, of the process that gave it", len(found) == 1 && right, "%v: %s", said, strings.Join(found, "\n"))
	}
}
