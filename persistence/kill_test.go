package persistence

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"betcode/messages"
)

const killedWriter = "BETCODE_TEST_KILLED_WRITER"

// A writer that is killed at any time leaves everything that was acknowledged to it.
func TestKilledWriter(t *testing.T) {
	if directory := os.Getenv(killedWriter); directory != "" {
		writeUntilKilled(t, directory)
		return
	}
	directory := t.TempDir()
	for round := range 8 {
		cmd := exec.Command(os.Args[0], "-test.run=^TestKilledWriter$")
		cmd.Env = append(os.Environ(), killedWriter+"="+directory)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		var acknowledged messages.Seq
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			var head messages.Seq
			if _, err := fmt.Sscanf(lines.Text(), "durable %d", &head); err != nil {
				continue
			}
			if acknowledged == 0 {
				time.AfterFunc(time.Duration(1+round*13)*time.Millisecond, func() { cmd.Process.Kill() })
			}
			acknowledged = head
		}
		cmd.Wait()
		if acknowledged == 0 {
			t.Fatal("the writer wrote nothing")
		}
		f := makeFixture(t, directory)
		f.open()
		head, err := f.store.Head(sid(1))
		if err != nil || head < acknowledged || head > acknowledged+3 {
			t.Errorf("head %d, %v; %d was acknowledged", head, err, acknowledged)
		}
		sameEvents(t, "history", f.history(sid(1)), events(0, int(head)))
		if got := f.load(sid(1)).Cursor.Offset; got != int64(head)*10 {
			t.Errorf("the cursor is at %d, the head at %d", got, head)
		}
		f.finish()
	}
}

func writeUntilKilled(t *testing.T, directory string) {
	f := makeFixture(t, directory)
	f.open()
	head, err := f.store.Head(sid(1))
	if err != nil {
		f.commit(begin(sid(1), 0))
	}
	for i := 0; ; i++ {
		a := more(sid(1), head, 3)
		a.Cursor, a.SpoolFrom = &messages.Cursor{Offset: int64(head+3) * 10}, int64(head)*10
		f.commit(a)
		head += 3
		fmt.Printf("durable %d\n", head)
		if i%10 == 9 {
			f.seal()
		}
	}
}
