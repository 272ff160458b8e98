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
	"strings"
)

// Faults around a daemon other than kills: the file of its socket is deleted, or the disk
// flips a bit of a log while no daemon runs.

// addFaults has a random source of its own, so that the rest of a seed's schedule stays the same. Bits are
// flipped once in a round, in different groups: each flip can be corrected, and
// nothing may be lost. Damage that cannot be corrected comes last in a round (see ruinLog).
func (s *schedule) addFaults() {
	dice := rand.New(rand.NewPCG(s.seed, 3))
	if dice.IntN(6) == 0 {
		s.phases[dice.IntN(len(s.phases))].socket = true
	}
	speaks := s.sessions > 1 || s.stop == nil // a session that stays stopped puts nothing into the logs
	s.ruin = speaks && rand.New(rand.NewPCG(s.seed, 5)).IntN(4) == 0
	s.trees = rand.New(rand.NewPCG(s.seed, 11)).IntN(3) == 0
	s.fleet = rand.New(rand.NewPCG(s.seed, 13)).IntN(4) == 0
	s.plans = !s.ruin && rand.New(rand.NewPCG(s.seed, 17)).IntN(3) == 0
	s.proxied = rand.New(rand.NewPCG(s.seed, 23)).IntN(3) == 0
	s.socket = !s.compacts() && rand.New(rand.NewPCG(s.seed, 19)).IntN(2) == 0
	if dice.IntN(2) == 0 {
		return
	}
	for _, i := range dice.Perm(len(s.phases)) {
		if p := &s.phases[i]; slices.Contains(p.kill.victims, "daemon") {
			p.bits = 1 + rand.New(rand.NewPCG(s.seed, 7)).IntN(4) // a daemon that is stopped leaves nothing in the logs
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

// flipBits flips a bit in each of several groups that are in the logs of the journal, as
// far as there are so many, and returns in how many groups the next daemon has to find
// it: those that are not in the journal file yet.
func (r *round) flipBits(wanted int) (found int) {
	groups, err := r.wholeGroups()
	if err != nil {
		r.report(otherwise, "no bit can be flipped: %v", err)
		return 0
	}
	if len(groups) == 0 {
		r.note("there is no group to damage")
		return 0
	}
	dice := rand.New(rand.NewPCG(r.schedule.seed, 4))
	dice.Shuffle(len(groups), func(i, j int) { groups[i], groups[j] = groups[j], groups[i] })
	moved, _, err := activeFile(filepath.Join(r.world.StateDir(), "journal"))
	for _, g := range groups[:min(wanted, len(groups))] {
		at, bit := g.from+dice.Int64N(g.to-g.from), dice.IntN(8)
		r.note("flip bit %d of byte %d of %s, in group %d from %d to %d", bit, at, filepath.Base(g.path), g.number, g.from, g.to)
		if flipping := flipBit(g.path, at, bit); flipping != nil {
			r.report(otherwise, "no bit can be flipped: %v", flipping)
		}
		if g.number > moved {
			found++
		}
	}
	if err != nil { // the first daemon died before it had made the file
		return 0
	}
	return found
}

func flipBit(path string, at int64, bit int) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
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
}

// checkFlips checks that the daemon that has just started reports each flipped bit.
func (r *round) checkFlips(flipped int) {
	d := r.house.now()
	if d == nil || flipped == 0 {
		return
	}
	told := 0
	r.await("the daemon to tell of each flipped bit", func() bool { // its log is read through a pipe
		told = strings.Count(d.Log(), " is flipped")
		return told >= flipped || d.Ended()
	})
	if told > flipped {
		r.report(lost, "bits of %d groups were flipped, the daemon tells of %d", flipped, told)
	}
}

// placedGroup is a group with its place in a log.
type placedGroup struct {
	number   uint64
	path     string
	from, to int64
}

// wholeGroups lists the groups of the logs, from their beginning to the first that is
// not whole.
func (r *round) wholeGroups() (groups []placedGroup, err error) {
	for _, name := range []string{"1.log", "2.log"} {
		path := filepath.Join(r.world.StateDir(), "journal", name)
		log, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue // no daemon has come so far
		}
		if err != nil {
			return nil, err
		}
		from := 0
		for size := groupSize(log); size > 0; size = groupSize(log[from:]) {
			groups = append(groups, placedGroup{binary.LittleEndian.Uint64(log[from+16:]), path, int64(from), int64(from + size)})
			from += size
		}
	}
	return groups, nil
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
