package process

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"betcode/actors/internal/launch"
	"betcode/messages"
)

// The daemon is killed. Another one finds the agent, writes to it, and learns its
// exit status though it is not its parent.
func TestAgentOutlivesTheDaemon(t *testing.T) {
	r := prepared(t, "agent")
	daemon, in, out := helper(t, "daemon")
	if err := json.NewEncoder(in).Encode(r.spec); err != nil {
		t.Fatal(err)
	}
	line, err := out.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	r.answer()
	daemon.Process.Kill()
	daemon.Wait()
	if fate := r.adopt(r.record()); fate.Outcome != Running {
		t.Fatalf("fate %+v", fate)
	}
	if got := strconv.Itoa(r.p.Identity().PID); got != strings.TrimSpace(line) {
		t.Fatalf("adopted %s, the daemon started %s", got, line)
	}
	r.send("writer still here")
	if got := r.answer(); got != "still here" {
		t.Fatalf("the answer of the agent is %q", got)
	}
	r.send("exit 42")
	r.wantExit(42, "")
}

// flocked reports whether a process holds a lock of a file. It takes no lock for that: a Spawn at that moment would fail.
func flocked(t *testing.T, path string) bool {
	t.Helper()
	var stat unix.Stat_t
	if err := unix.Stat(path, &stat); err != nil {
		t.Fatal(err)
	}
	locks, err := os.ReadFile("/proc/locks")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Contains(string(locks), fmt.Sprintf(":%d 0 EOF\n", stat.Ino))
}

// The daemon is killed somewhere in Spawn: an agent that it had started is found, or
// there certainly is none.
func TestDaemonDiesWhileSpawning(t *testing.T) {
	outcomes := map[Outcome]int{}
	for i := range 30 {
		r := prepared(t, "agent")
		daemon, in, out := helper(t, "daemon")
		json.NewEncoder(in).Encode(r.spec)
		if i%3 > 0 { // the lock is a better trigger than a clock
			answered := make(chan string, 1) // the agent's PID, or why there is none
			go func() {
				line, _ := out.ReadString('\n')
				answered <- line
			}()
			eventually(t, "a launcher", func() bool {
				select {
				case line := <-answered:
					if _, err := strconv.Atoi(strings.TrimSpace(line)); err != nil {
						t.Fatalf("the daemon said %q", line)
					}
					return true
				default:
					return flocked(t, filepath.Join(r.spec.Directory, launch.LockFile))
				}
			})
		} else {
			time.Sleep(time.Duration(i) * 2 * time.Millisecond)
		}
		daemon.Process.Kill()
		daemon.Wait()
		fate := r.adopt(r.record())
		outcomes[fate.Outcome]++
		switch fate.Outcome {
		case Running:
			r.answer()
			r.send("exit 5")
			r.wantExit(5, "")
		case NeverStarted:
			path := filepath.Join(r.spec.Directory, StdoutFile)
			eventually(t, "nobody has the output file open", func() bool { return !opened(path) }) // then nobody will write into it
			if out, _ := os.ReadFile(path); len(out) > 0 {
				t.Fatalf("never started, but said %q", out)
			}
		default:
			t.Fatalf("fate %+v", fate)
		}
	}
	t.Log(outcomes)
}

// opened reports whether a process has a file open.
func opened(path string) bool {
	links, _ := filepath.Glob("/proc/[0-9]*/fd/*")
	return slices.ContainsFunc(links, func(link string) bool {
		target, err := os.Readlink(link)
		return err == nil && target == path
	})
}

// A live launcher holds its lock, and damage to its record does not make a daemon
// wait for another record.
func TestRecordDamagedUnderALauncher(t *testing.T) {
	r := started(t, "agent")
	want := r.p.Identity()
	path := filepath.Join(r.spec.Directory, launch.StartedFile)
	known := r.record()
	known.Process, known.Launcher = want, r.p.Launcher()
	if err := os.WriteFile(path, []byte("\x00{]"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, record := range []messages.RunRecord{r.record(), known} { // found by the search, and known to the journal
		if fate := r.adopt(record); fate.Outcome != Running || r.p.Identity() != want {
			t.Errorf("fate %+v of %+v", fate, record)
		}
	}
	r.send("exit 6")
	r.wantExit(6, "")
}

func TestNeverStarted(t *testing.T) {
	r := prepared(t, "agent")
	if fate := r.adopt(r.record()); fate.Outcome != NeverStarted {
		t.Fatalf("fate %+v", fate)
	}
	record := r.record()
	record.Directory += "2" // not even prepared
	if fate := r.adopt(record); fate.Outcome != NeverStarted {
		t.Fatalf("fate %+v", fate)
	}
}

// While the lock is held and nothing is written, a launcher is starting.
func TestAdoptWaitsForTheLauncher(t *testing.T) {
	r := prepared(t, "agent")
	streams, err := r.spec.open()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, _, err = Adopt(ctx, r.record())
	wantKind(t, err, messages.DeadlineExceeded)
	time.AfterFunc(50*time.Millisecond, func() {
		for _, f := range streams {
			f.Close()
		}
	})
	if fate := r.adopt(r.record()); fate.Outcome != NeverStarted {
		t.Fatalf("fate %+v", fate)
	}
}

// forge writes a launcher.json with id as the agent.
func (r *run) forge(id messages.ProcessIdentity) {
	r.t.Helper()
	words, err := json.Marshal(launch.Started{
		Format: launch.Format, BootID: id.BootID, Agent: launch.Process{PID: id.PID, StartTime: id.StartTime},
	})
	if err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(r.spec.Directory, launch.StartedFile), words, 0o600); err != nil {
		r.t.Fatal(err)
	}
}

// A process that only has the pid of the agent is left alone.
func TestReusedPid(t *testing.T) {
	other := started(t, "agent").p.Identity()
	later, reboot := other, other
	later.StartTime--
	reboot.BootID = "another boot"
	for name, id := range map[string]messages.ProcessIdentity{
		"start time": later,
		"boot":       reboot,
		"token":      other, // correct except that it is another run's
		"ourselves":  {PID: os.Getpid(), StartTime: launch.StartTime(os.Getpid()), BootID: other.BootID},
		"nobody":     {PID: 1 << 30, StartTime: 1, BootID: other.BootID},
		"nonsense":   {PID: -1, StartTime: 1, BootID: other.BootID},
	} {
		t.Run(name, func(t *testing.T) {
			r := prepared(t, "agent")
			r.forge(id)
			record := r.record()
			record.Process = id
			if fate := r.adopt(record); fate.Outcome != Ended || fate.Exit.Known {
				t.Fatalf("fate %+v", fate)
			}
			if name == "boot" && !strings.Contains(r.adopt(record).Exit.Reason, "restarted") {
				t.Error("it does not writer that the machine was restarted")
			}
			if err := KillLeftovers(t.Context(), record); err != nil {
				t.Fatal(err)
			}
			if !lives(other) {
				t.Fatal("a process of somebody else was killed")
			}
		})
	}
}

func TestNewerLayout(t *testing.T) {
	r := prepared(t, "agent")
	os.WriteFile(filepath.Join(r.spec.Directory, launch.StartedFile), []byte(`{"format":2}`), 0o600)
	_, _, err := Adopt(t.Context(), r.record())
	wantKind(t, err, messages.Unimplemented)
}

func TestRunDirectoryRemoved(t *testing.T) {
	r := started(t, "agent")
	record := r.record()
	os.RemoveAll(r.spec.Directory)
	_, _, err := Adopt(t.Context(), record)
	wantKind(t, err, messages.DataLoss)
	record.Process = r.p.Identity()
	_, _, err = Adopt(t.Context(), record)
	wantKind(t, err, messages.DataLoss)
}
