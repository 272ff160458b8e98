package main

import (
	"encoding/binary"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"time"

	bolt "go.etcd.io/bbolt"
	"google.golang.org/protobuf/proto"

	storev1 "betcode/proto/betcode/store/v1"
)

// loggedGroup is a group of the logs that is not in the journal file yet.
type loggedGroup struct {
	number   uint64
	path     string
	rows     [2]int64 // where its rows are in the log
	sessions []uint64
}

// flip flips a bit of each of two to five bytes of the rows. That is never taken for
// one flipped bit.
func (g loggedGroup) flip(dice *rand.Rand) error {
	log, err := os.ReadFile(g.path)
	if err != nil {
		return err
	}
	for _, at := range dice.Perm(int(g.rows[1] - g.rows[0]))[:2+dice.IntN(4)] {
		log[g.rows[0]+int64(at)] ^= 1 << dice.IntN(8)
	}
	return os.WriteFile(g.path, log, 0o600)
}

// loggedGroups reads the groups of the logs that the active file does not have, in
// order, and the ids of all sessions by number.
func (r *round) loggedGroups() (groups []loggedGroup, ids map[uint64]string, err error) {
	directory := filepath.Join(r.world.StateDir(), "journal")
	moved, ids, err := activeFile(directory)
	if err != nil {
		return nil, nil, err
	}
	for _, name := range []string{"1.log", "2.log"} {
		path := filepath.Join(directory, name)
		log, err := os.ReadFile(path)
		if err != nil {
			return nil, nil, err
		}
		for from, size := 0, groupSize(log); size > 0; size = groupSize(log[from:]) {
			head := log[from:]
			names := head[40 : 40+binary.LittleEndian.Uint32(head[24:])]
			g := loggedGroup{number: binary.LittleEndian.Uint64(head[16:]), path: path, rows: [2]int64{int64(from + 40 + len(names)), int64(from + size)}}
			for len(names) > 0 {
				number, n := binary.Uvarint(names)
				length, m := binary.Uvarint(names[n:])
				id := names[n+m : n+m+int(length)]
				if len(id) > 0 {
					ids[number] = string(id)
				}
				g.sessions, names = append(g.sessions, number), names[n+m+int(length):]
			}
			if g.number > moved {
				groups = append(groups, g)
			}
			from += size
		}
	}
	slices.SortFunc(groups, func(a, b loggedGroup) int { return int(a.number) - int(b.number) })
	return groups, ids, nil
}

// activeFile reads of the active journal file which group of the logs it has last, and
// its sessions by number.
func activeFile(directory string) (moved uint64, ids map[uint64]string, err error) {
	text, err := os.ReadFile(filepath.Join(directory, "MANIFEST"))
	if err != nil {
		return 0, nil, err
	}
	var manifest struct{ Active string }
	if err := json.Unmarshal(text, &manifest); err != nil {
		return 0, nil, err
	}
	file, err := bolt.Open(filepath.Join(directory, manifest.Active), 0o600, &bolt.Options{ReadOnly: true, Timeout: time.Minute})
	if err != nil {
		return 0, nil, err
	}
	defer file.Close()
	const checksumBytes = 5
	ids = map[uint64]string{}
	return moved, ids, file.View(func(tx *bolt.Tx) error {
		if value := tx.Bucket([]byte("meta")).Get([]byte("checkpoint")); len(value) > checksumBytes {
			var c storev1.Checkpoint
			if err := proto.Unmarshal(value[:len(value)-checksumBytes], &c); err != nil {
				return err
			}
			moved = c.GetGroup()
		}
		return tx.Bucket([]byte("ids")).ForEach(func(key, value []byte) error {
			var i storev1.Identity
			err := proto.Unmarshal(value[:len(value)-checksumBytes], &i)
			ids[i.GetNumber()] = string(key)
			return err
		})
	})
}
