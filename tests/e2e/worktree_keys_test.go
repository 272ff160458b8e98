package e2e

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"

	pb "betcode/proto/betcode/v1"
)

// TestWorktreeKeys: a change of a repository under a key is made once, whenever the daemon is killed, and answered the same.
func TestWorktreeKeys(t *testing.T) {
	t.Parallel()
	s := newWorktreeStory(t)
	for round := range 5 {
		w, err := s.create(uuid.NewString(), "fresh"+uuid.NewString()[:8])
		if err != nil {
			t.Fatal(err)
		}
		key := uuid.NewString()
		remove := func() (*pb.RemoveWorktreeResponse, error) {
			return pb.NewWorktreeServiceClient(s.daemon.Conn()).RemoveWorktree(s.keyed(key), &pb.RemoveWorktreeRequest{WorktreeId: w.GetName()})
		}
		done := make(chan struct{})
		go func() {
			defer close(done)
			_, _ = remove() // a kill may come first
		}()
		time.Sleep(time.Duration(round) * 4 * time.Millisecond) // the instant does not matter: the outcome is the same
		s.daemon.Kill()
		<-done
		s.start()
		for n := range 2 {
			if answer, err := remove(); err != nil || !answer.GetRemoved() || len(s.list()) != 0 {
				t.Fatalf("round %d, repeated %d: %v, %v, left %v", round, n, answer, err, s.list())
			}
			s.killDaemon()
		}
	}
	repositories := func() pb.GitRepoServiceClient { return pb.NewGitRepoServiceClient(s.daemon.Conn()) }
	key, branch := uuid.NewString(), uuid.NewString()
	register := &pb.RegisterRepoRequest{RepoPath: s.world.Project}
	first, err := repositories().RegisterRepo(s.keyed(key), register)
	if err != nil {
		t.Fatal(err)
	}
	create := &pb.CreateBranchRequest{RepoId: first.GetId(), Name: "topic"}
	made, err := repositories().CreateBranch(s.keyed(branch), create)
	if err != nil {
		t.Fatal(err)
	}
	s.git("branch", "-D", "topic")
	s.killDaemon()
	if again, err := repositories().RegisterRepo(s.keyed(key), register); err != nil || !proto.Equal(again, first) {
		t.Errorf("registered %v, then %v, %v", first, again, err)
	}
	if again, err := repositories().CreateBranch(s.keyed(branch), create); err != nil || !proto.Equal(again, made) || s.git("branch", "--list", "topic") != "" {
		t.Errorf("created %v, then %v, %v", made, again, err)
	}
	if _, err := repositories().DeleteBranch(s.keyed(branch), &pb.DeleteBranchRequest{RepoId: first.GetId(), Name: "main"}); codeOf(err) != codes.InvalidArgument {
		t.Errorf("another request under the key: %v", err)
	}
}
