package main

import (
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
)

// Faults around a daemon other than kills: the file of its socket is deleted, or the disk
// flips a bit of a log while no daemon runs.

// addFaults rolls dice of its own: the other rolls of a seed stay what they were. One
// bit is flipped in a round at most: two may be in one group, which cannot be mended.
func (s *schedule) addFaults() {
	dice := rand.New(rand.NewPCG(s.seed, 3))
	if dice.IntN(6) == 0 {
		s.phases[dice.IntN(len(s.phases))].socket = true
	}
	if dice.IntN(2) == 0 {
		return
	}
	for _, i := range dice.Perm(len(s.phases)) {
		if p := &s.phases[i]; slices.Contains(p.kill.victims, "daemon") {
			p.bit = true // a daemon that is stopped leaves nothing in the logs
			return
		}
	}
}

// deleteSocket deletes the socket's file, waits until the daemon has made it again, and
// reconnects all clients through it. A daemon may be killed by a failpoint meanwhile.
func (r *round) deleteSocket(ctx context.Context) {
	d := r.house.now()
	before, err := os.Lstat(r.world.Socket())
	if err == nil {
		err = os.Remove(r.world.Socket())
	}
	if err != nil {
		if !d.Ended() {
			r.report(otherwise, "the socket's file of a daemon that serves cannot be deleted: %v", err)
		}
		return
	}
	r.note("the socket's file is deleted")
	r.await("the socket's file to come back", func() bool {
		now, err := os.Lstat(r.world.Socket())
		return d.Ended() || err == nil && !os.SameFile(before, now)
	})
	if d.Ended() {
		return
	}
	again, err := d.Beside(ctx)
	if err != nil {
		if !d.Ended() {
			r.report(otherwise, "nobody comes in by the socket that was made again: %v", err)
		}
		return
	}
	r.house.set(again)
	if err := d.Conn().Close(); err != nil {
		r.note("close the connection: %v", err)
	}
	r.note("everybody comes back by the socket that was made again")
}

// flipBit flips one bit of a group that is in the logs of the journal, if one is.
func (r *round) flipBit() {
	err := func() error {
		type place struct {
			path     string
			from, to int64
		}
		var groups []place
		for _, name := range []string{"1.log", "2.log"} {
			path := filepath.Join(r.world.StateDir(), "journal", name)
			log, err := os.ReadFile(path)
			if errors.Is(err, fs.ErrNotExist) {
				continue // no daemon has come so far
			}
			if err != nil {
				return err
			}
			from := 0
			for size := groupSize(log); size > 0; size = groupSize(log[from:]) {
				groups = append(groups, place{path, int64(from), int64(from + size)})
				from += size
			}
		}
		if len(groups) == 0 {
			r.note("there is no group to damage")
			return nil
		}
		dice := rand.New(rand.NewPCG(r.schedule.seed, 4))
		g := groups[dice.IntN(len(groups))]
		at, bit := g.from+dice.Int64N(g.to-g.from), dice.IntN(8)
		r.note("flip bit %d of byte %d of %s, in the group from %d to %d", bit, at, filepath.Base(g.path), g.from, g.to)
		f, err := os.OpenFile(g.path, os.O_RDWR, 0)
		if err != nil {
			return err
		}
		var b [1]byte
		_, err = f.ReadAt(b[:], at)
		if err == nil {
			b[0] ^= 1 << bit
			_, err = f.WriteAt(b[:], at)
		}
		return errors.Join(err, f.Close())
	}()
	if err != nil {
		r.report(otherwise, "no bit can be flipped: %v", err)
	}
}

// groupSize returns the length of the whole group that a part of a log begins with, 0 if
// there is none.
func groupSize(log []byte) int {
	const header = 40
	if len(log) < header || string(log[:4]) != "bcg\x02" {
		return 0
	}
	names, rows := int64(binary.LittleEndian.Uint32(log[24:])), int64(binary.LittleEndian.Uint32(log[28:]))
	size := header + names + rows
	table := crc32.MakeTable(crc32.Castagnoli)
	if size > int64(len(log)) || binary.LittleEndian.Uint32(log[4:]) != crc32.Checksum(log[8:header+names], table) ||
		binary.LittleEndian.Uint32(log[32:]) != crc32.Checksum(log[header+names:size], table) {
		return 0
	}
	return int(size)
}
