package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// Changed settings take effect without a command. The daemon reports settings that need a restart;
// an invalid file changes nothing and is reported too.
func TestSettingsAreWatched(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	file := filepath.Join(s.world.ConfigDir(), "settings.json")
	health := func() (settings, pool *pb.ComponentHealth, degraded string) {
		details, err := pb.NewBetCodeHealthClient(s.daemon.Conn()).GetHealthDetails(s.Context(), &pb.HealthDetailsRequest{})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range details.GetComponents() {
			switch c.GetName() {
			case "settings":
				settings = c
			case "subprocess_pool":
				pool = c
			}
		}
		return settings, pool, details.GetDegradedReason()
	}
	if settings, pool, _ := health(); settings.GetStatus() != pb.ServingStatus_SERVING || !strings.Contains(pool.GetMessage(), "/5 ") {
		t.Errorf("at first: %v %v", settings, pool)
	}
	set := func(args ...string) {
		t.Helper()
		if said, code := s.command(s.world.Binary, append([]string{"config", "set"}, args...)); code != 0 {
			t.Fatalf("config set %q: exit %d\n%s", args, code, said)
		}
	}
	set("daemon.max_subprocesses", "2")
	s.eventually("two slots", func() bool {
		_, pool, _ := health()
		return strings.Contains(pool.GetMessage(), "/2 ")
	})
	set("sessions.default_model", "opus")
	set("disk.low", "1MiB")
	s.eventually("what needs a restart", func() bool {
		settings, _, _ := health()
		return strings.Contains(settings.GetMessage(), "a restart is needed for disk.low")
	})
	id := session()
	c := s.converse("a", id)
	s.say(c, "echo:hello")
	s.wait(c, 0, kit.IsIdle)
	if got := s.show(id).GetModel(); got != "opus" {
		t.Errorf("the model is %q", got)
	}

	if err := os.WriteFile(file, []byte("{\n\"daemon\": {\"max_subprocesses\": 0}}"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.eventually("what is wrong", func() bool {
		settings, _, degraded := health()
		return settings.GetStatus() == pb.ServingStatus_NOT_SERVING && strings.Contains(settings.GetMessage(), "settings.json:2:32: ") &&
			strings.Contains(degraded, "the former ones stay in force")
	})
	if _, pool, _ := health(); !strings.Contains(pool.GetMessage(), "/2 ") {
		t.Errorf("the settings are lost: %v", pool)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	s.eventually("the defaults", func() bool {
		settings, pool, degraded := health()
		return settings.GetStatus() == pb.ServingStatus_SERVING && degraded == "" && strings.Contains(pool.GetMessage(), "/5 ")
	})
}
