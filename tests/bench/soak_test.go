//go:build linux

package bench

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	pb "betcode/proto/betcode/v1"
)

// soak is how long the long haul lasts; what takes long is left out without it.
func soak(b *testing.B) time.Duration {
	long, err := time.ParseDuration(os.Getenv(envSoak))
	if err != nil || long <= 0 {
		b.Skip("set " + envSoak + " to a duration; make soak does")
	}
	return long
}

// BenchmarkSoakGrowth is Growth with ten times as much.
func BenchmarkSoakGrowth(b *testing.B) {
	soak(b)
	growth(b, 10_000, 10_000_000, 10_000)
}

// soakRetain is how much of the past the long haul keeps: so little that most of it
// goes before the first sixth is over.
const soakRetain = 64 << 20

// BenchmarkSoakDay is the working day for a configurable time, with clients that come and go. It
// reports the resources of the daemon after each sixth.
func BenchmarkSoakDay(b *testing.B) {
	long := soak(b)
	l := day
	l.lines = l.rate * int(long.Seconds())
	for b.Loop() {
		r := newRig(b, binaries.linked, l, append(linked(asBuilt), fmt.Sprintf("%s=%d", envRetain, soakRetain))...)
		ctx, cancel := context.WithCancel(context.Background())
		visited, watched := make(chan struct{}), make(chan struct{})
		go func() { defer close(visited); r.visit(ctx) }()
		go func() { defer close(watched); r.watch(ctx, b, long/6) }()
		o := r.run()
		cancel()
		<-visited
		<-watched
		report(b, o.paced())
	}
}

// visit has one client after the other look at a session for a moment.
func (r *rig) visit(ctx context.Context) {
	for i := 0; ctx.Err() == nil; i++ {
		conn, err := dial(r.world.Socket())
		if err != nil {
			r.Error(err)
			return
		}
		moment, cancel := context.WithTimeout(ctx, time.Second)
		s, err := pb.NewAgentServiceClient(conn).ResumeSession(moment, &pb.ResumeSessionRequest{SessionId: r.streams[i%r.load.sessions].session})
		for err == nil {
			err = s.RecvMsg(&received{})
		}
		cancel()
		conn.Close()
	}
}

// watch records the resources of the daemon in rows of their own.
func (r *rig) watch(ctx context.Context, b *testing.B, interval time.Duration) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for n := 1; ; n++ {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		row := fmt.Sprintf("%s/after %v", b.Name()[len("Benchmark"):], time.Duration(n)*interval)
		counted := r.counters()
		files, _ := os.ReadDir(filepath.Join("/proc", strconv.Itoa(r.daemon.PID()), "fd"))
		for unit, value := range map[string]float64{
			unitAnon: megabytes(r.usage().anon), unitHeap: megabytes(counted.Heap), unitRoutines: float64(counted.Goroutines),
			unitFiles: float64(len(files)), unitKept: megabytes(sizeBelow(filepath.Join(r.world.StateDir(), "journal"), "")),
			unitSpool: megabytes(sizeBelow(r.world.StateDir(), "stdout")), unitArchive: megabytes(sizeBelow(r.world.StateDir(), ".zst")),
		} {
			table.add(row, unit, value)
		}
	}
}

// sizeBelow returns the disk usage of the files below dir whose names end with end.
func sizeBelow(dir, end string) (size int64) {
	_ = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && strings.HasSuffix(path, end) {
			if info, gone := entry.Info(); gone == nil {
				size += info.Sys().(*syscall.Stat_t).Blocks * 512
			}
		}
		return nil // a process that ends during the count is not counted
	})
	return size
}
