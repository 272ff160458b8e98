//go:build linux

package bench

import (
	"context"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"
	"google.golang.org/grpc"

	pb "betcode/proto/betcode/v1"
)

// bareCommits is how many events a second reach the disk when nothing else is
// done: about so many in all, in transactions of so many.
func bareCommits(tb testing.TB, events, batch, size int) float64 {
	tb.Helper()
	dir, err := os.MkdirTemp(scratch, "commits")
	if err != nil {
		tb.Fatal(err)
	}
	defer os.RemoveAll(dir)
	db, err := openBolt(filepath.Join(dir, "bolt"))
	if err != nil {
		tb.Fatal(err)
	}
	defer db.Close()
	group := slices.Repeat([]encoded{eventOfSize(size)}, max(1, batch))
	began, n := time.Now(), 0
	for ; n < events && time.Since(began) < 3*time.Second; n += len(group) {
		if err := commit(db, group); err != nil {
			tb.Fatal(err)
		}
	}
	return float64(n) / time.Since(began).Seconds()
}

// bareStreams opens one stream for each name at the floor server, on connections
// of their own, and returns what came and how long it took.
func bareStreams(tb testing.TB, names ...string) ([]tally, time.Duration) {
	tb.Helper()
	dir, err := os.MkdirTemp(scratch, "floor")
	if err != nil {
		tb.Fatal(err)
	}
	defer os.RemoveAll(dir)
	server := exec.Command(binaries.linked)
	server.Env = append(os.Environ(), envRole+"="+roleFloor, envSocket+"="+dir+"/s", envDir+"="+dir, envAgent+"="+binaries.agent)
	server.Stderr = os.Stderr
	life, err := server.StdinPipe() // it ends when we do, however that is
	if err == nil {
		err = server.Start()
	}
	if err != nil {
		tb.Fatal(err)
	}
	defer server.Wait()
	defer life.Close()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	tallies := make([]tally, len(names))
	var group sync.WaitGroup
	var opened []grpc.ClientStream
	for _, name := range names {
		conn, err := dial(dir + "/s")
		if err != nil {
			tb.Fatal(err)
		}
		defer conn.Close()
		s, err := pb.NewAgentServiceClient(conn).ResumeSession(ctx, &pb.ResumeSessionRequest{SessionId: name}, grpc.WaitForReady(true))
		if err != nil {
			tb.Fatal(err)
		}
		opened = append(opened, s)
	}
	began := time.Now()
	for i, s := range opened {
		group.Go(func() {
			r := reader{unequal: true, toEnd: true, delays: !strings.HasPrefix(names[i], "bytes:")}
			var err error
			if tallies[i], err = r.read(s); err != nil {
				tb.Error(err)
			}
		})
	}
	group.Wait()
	return tallies, time.Since(began)
}

func openBolt(path string) (*bolt.DB, error) {
	return bolt.Open(path, 0o600, &bolt.Options{FreelistType: bolt.FreelistMapType, InitialMmapSize: 4 << 30, PageSize: 4096})
}

// commit appends values in one transaction.
func commit(db *bolt.DB, values []encoded) error {
	return db.Update(func(tx *bolt.Tx) error {
		b, err := tx.CreateBucketIfNotExists([]byte("events"))
		if err != nil {
			return err
		}
		b.FillPercent = 1
		for _, v := range values {
			n, _ := b.NextSequence() // fails only without a transaction
			if err := b.Put(binary.BigEndian.AppendUint64(nil, n), v); err != nil {
				return err
			}
		}
		return nil
	})
}
