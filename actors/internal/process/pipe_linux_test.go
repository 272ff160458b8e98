package process

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"betcode/messages"
)

func line(size int) []byte { return []byte(strings.Repeat("x", size-1) + "\n") }

func (r *run) wantWrite(line []byte, want WriteResult) {
	r.t.Helper()
	if got := r.p.WriteLine(line); got != want {
		r.t.Fatalf("a line of %d bytes is %v, want %v", len(line), got, want)
	}
}

func TestWriteLine(t *testing.T) {
	r := started(t, "agent")
	for _, size := range []int{1, 100, 4096, 4097, 65536, 65537, 900_000, 1 << 20} {
		if err := r.p.WaitWritable(t.Context()); err != nil {
			t.Fatal(err)
		}
		r.wantWrite(line(size), Written)
		if want, got := fmt.Sprint(size, " ", size-1), r.answer(); got != want {
			t.Fatalf("the agent read %s, want %s", got, want)
		}
	}
	r.wantWrite(line(1<<20+1), TooLong)
	for _, bad := range []string{"", "no newline", "two\nlines\n", "\n\n"} {
		r.wantWrite([]byte(bad), Malformed)
	}
}

func TestWriteLineToOneWhoDoesNotRead(t *testing.T) {
	r := started(t, "deaf")
	r.wantWrite(line(10), Written)
	r.wantWrite(line(4097), Busy)
	r.wantWrite(line(1<<20+1), TooLong) // whatever is in the pipe
	written := 10
	for r.p.WriteLine(line(4096)) == Written {
		written += 4096
	}
	if written < 60_000 {
		t.Errorf("only %d bytes fitted", written)
	}
	r.wantWrite(line(4096), Busy)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	wantKind(t, r.p.WaitWritable(ctx), messages.DeadlineExceeded)

	waiting := make(chan error)
	go func() { waiting <- r.p.WaitWritable(t.Context()) }()
	if err := r.p.Signal(unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	wantKind(t, <-waiting, messages.NotFound)
	r.wantExit(0, "SIGKILL")
	r.wantWrite(line(10), Gone)
	r.wantWrite(line(4097), Gone) // though the pipe is not empty
	_, err := r.p.WriteLong(t.Context(), line(10))
	wantKind(t, err, messages.NotFound)
}

// The bytes in the pipe of an agent that closes its input are known to be unread, and
// nothing waits for them to be read.
func TestWaitStdinClosed(t *testing.T) {
	r := started(t, "closing")
	ctx, cancel := context.WithCancel(t.Context())
	given := make(chan error)
	go func() {
		_, err := r.p.WaitStdinClosed(ctx)
		given <- err
	}()
	cancel()
	wantKind(t, <-given, messages.Canceled)
	if _, err := r.p.WaitStdinClosed(ctx); err == nil {
		t.Error("a wait that was over before it began found something")
	}

	r.wantWrite(line(10), Written)
	if n, err := r.p.WaitStdinClosed(t.Context()); n != 10 || err != nil {
		t.Errorf("%d bytes unread, %v", n, err)
	}
	wantKind(t, r.p.WaitWritable(t.Context()), messages.NotFound)
	r.wantWrite(line(10), Gone)
	r.wantWrite(line(5000), Gone)
	if n, err := r.p.WaitStdinClosed(t.Context()); n != 10 || err != nil {
		t.Errorf("%d bytes unread, %v", n, err)
	}
}

func TestWriteLong(t *testing.T) {
	r := started(t, "agent")
	const size = 5 << 20
	n, err := r.p.WriteLong(t.Context(), line(size))
	if err != nil || n != size {
		t.Fatalf("%d bytes, %v", n, err)
	}
	if want, got := fmt.Sprint(size, " ", size-1), r.answer(); got != want {
		t.Fatalf("the agent read %s, want %s", got, want)
	}
	_, err = r.p.WriteLong(t.Context(), []byte("no newline"))
	wantKind(t, err, messages.Invalid)
}

// A torn line can be completed, and nothing comes between.
func TestWriteLongCancelled(t *testing.T) {
	r := started(t, "agent")
	r.p.Signal(unix.SIGSTOP)
	ctx, cancel := context.WithCancel(t.Context())
	long := line(3 << 20)
	type result struct {
		n   int
		err error
	}
	writing := make(chan result)
	go func() {
		n, err := r.p.WriteLong(ctx, long)
		writing <- result{n, err}
	}()
	eventually(t, "the pipe is full", func() bool {
		n, _ := r.p.stdin.unread()
		return n >= 1<<16
	})
	r.wantWrite([]byte("writer no\n"), Busy)
	cancel()
	first := <-writing
	wantKind(t, first.err, messages.Canceled)
	n := first.n
	if n == 0 || n == len(long) {
		t.Fatalf("%d bytes", n)
	}
	r.wantWrite([]byte("writer no\n"), Torn)
	r.p.Signal(unix.SIGCONT)
	more, err := r.p.WriteLong(t.Context(), long[n:])
	if err != nil || n+more != len(long) {
		t.Fatalf("%d and %d bytes, %v", n, more, err)
	}
	if want, got := fmt.Sprint(len(long), " ", len(long)-1), r.answer(); got != want {
		t.Fatalf("the agent read %s, want %s", got, want)
	}
	r.send("writer yes")
	if got := r.answer(); got != "yes" {
		t.Fatal(got)
	}
}

// The rule that makes a kill harmless: 900 KB in one write into an empty pipe
// are there whole, or not at all, whenever the writer is killed.
func TestKilledWriterTearsNothing(t *testing.T) {
	r := started(t, "agent")
	record := r.record()
	tries, whole := 60, 0
	if testing.Short() {
		tries = 10
	}
	for range tries {
		writer, in, out := helper(t, "writer")
		json.NewEncoder(in).Encode(record)
		if ready, _ := out.ReadString('\n'); ready != "ready\n" {
			t.Fatalf("the writer said %q", ready)
		}
		in.Close()
		for delay := rand.IntN(40_000); delay > 0; delay-- { // up to some hundred microseconds
			if delay%64 == 0 {
				unix.Getpid()
			}
		}
		time.Sleep(time.Duration(rand.IntN(3)) * 300 * time.Microsecond)
		writer.Process.Kill()
		writer.Wait()
		r.send("writer next")
		got := r.answer()
		if got == "900001 900000" {
			whole++
			got = r.answer()
		}
		if got != "next" {
			t.Fatalf("a torn line: the agent read %q", got)
		}
	}
	t.Logf("%d lines arrived, %d did not", whole, tries-whole)
}
