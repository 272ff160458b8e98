package persistence

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	bolt "go.etcd.io/bbolt"

	"betcode/messages"
	storev1 "betcode/proto/betcode/store/v1"
)

// replayed is what the logs hold that is not in the active file.
type replayed struct {
	rows   *table
	last   uint64           // number of the newest group, in the logs or in the file
	number uint64           // the greatest of a session in a group
	lost   map[uint64]owner // sessions with rows in groups that cannot be read
	why    error            // the first such group

	findings []messages.JournalFinding
	salvage  *salvage // what is known of groups that cannot be read
}

// readLogs reads the logs of a journal, of which the groups up to done are in the
// active file. What cannot be read is the end of the newest log, which nobody was
// told of, or damage: of sessions that are owner, or, where that cannot be told,
// of the journal.
//
// Nothing that was committed is lost, and the journal is opened, when a group that
// cannot be read is in the active file already (its number is at most done), or when
// the damage is one flipped bit (mendGroup). Where the rows of a group are lost and its
// head is not, its sessions are damaged and the others are sound. Where the head is lost
// too, sessions may have lost events without a trace: then the logs are refused, unless
// tolerant, with which [Repair] finds out what is left.
func readLogs(directory string, names []string, tag journalTag, done uint64, tolerant bool) (*replayed, error) {
	r := &replayed{rows: newTable(), last: done, lost: map[uint64]owner{}, salvage: newSalvage()}
	var logs []walked
	for _, name := range names {
		data, unmap, err := mappedLog(filepath.Join(directory, name))
		if errors.Is(err, os.ErrNotExist) {
			if tolerant {
				r.find(name, -1, "the file is missing", "made anew, empty")
				r.salvage.needed = true
				r.salvage.unread++ // how much it was is not known
				continue
			}
			return nil, damagedFile(opOpen, name, errors.New("the file is missing"))
		}
		if err != nil {
			return nil, storageError(opOpen, err)
		}
		defer unmap()
		w := walkLog(data, tag, done)
		if w.name = name; w.other != nil {
			return nil, damagedFile(opOpen, name, errors.New("it is the log of another journal")).
				WithHint("Files of different journals are mixed: restore all of them from the same backup.")
		}
		logs = append(logs, w)
	}
	groups, broken, missing := following(logs, done)
	if len(missing) > 0 && !tolerant {
		return nil, damagedFile(opOpen, cmp.Or(missing[0].file, strings.Join(names, ", ")), errors.New(missing[0].String())).
			WithHint(hintRepair)
	}
	for _, g := range groups {
		for len(missing) > 0 && missing[0].first < g.number {
			r.skip(missing[0])
			missing = missing[1:]
		}
		r.take(g, broken[g.number])
	}
	r.report(logs, done)
	return r, nil
}

// take makes a group part of the journal.
func (r *replayed) take(g logGroup, broken bool) {
	r.last = g.number
	for _, n := range g.owners {
		r.number = max(r.number, n.number)
	}
	err := decodeRows(bytes.Clone(g.rows), r.rows.put)
	if err == nil && broken {
		r.salvageRows(g.raw)
		err = errGroupRows
	}
	if err != nil {
		r.lose(g, err)
	}
}

// find notes damage.
func (r *replayed) find(file string, offset int, problem, outcome string) {
	r.findings = append(r.findings, messages.JournalFinding{File: file, Offset: int64(offset), Problem: problem, Outcome: outcome})
}

// report notes the damage of the logs that did not keep the journal from being opened.
func (r *replayed) report(logs []walked, done uint64) {
	for _, w := range logs {
		for _, g := range w.mended {
			if g.number > done {
				r.find(w.name, g.offset, fmt.Sprintf("a bit of group %d is flipped", g.number), "read as it was written; nothing is lost")
			}
		}
		for _, g := range w.broken {
			if g.number > done {
				r.find(w.name, -1, fmt.Sprintf("the rows of group %d do not match their checksum", g.number),
					fmt.Sprintf("%d session(s) are damaged", len(g.owners)))
			}
		}
		if w.torn != nil && w.torn.number == r.last+1 {
			r.findings = append(r.findings, messages.JournalFinding{
				File: w.name, Offset: int64(w.torn.offset), Crash: true,
				Problem: fmt.Sprintf("group %d, the newest, is not whole; it is of %s", w.torn.number, describeOwners(w.torn.owners)),
				Outcome: "left out: a crash leaves this of a group that was never acknowledged",
			})
		}
	}
}

// describeOwners names the sessions of a group.
func describeOwners(owners []owner) string {
	names := make([]string, len(owners))
	for i, o := range owners {
		names[i] = "session " + cmp.Or(o.id, fmt.Sprintf("number %d", o.number))
	}
	return strings.Join(names, ", ")
}

// mappedLog is a log as it is on the disk. What is in it has mostly been moved:
// a log that was read as a whole would be the largest thing in the memory of a
// daemon that has just started.
func mappedLog(path string) (data []byte, unmap func(), err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return nil, func() {}, err
	}
	return mapped(f, info.Size())
}

// lose notes whose rows were in a group that cannot be read.
func (r *replayed) lose(g logGroup, err error) {
	if r.why == nil {
		r.why = fmt.Errorf("group %d of the log: %w", g.number, err)
	}
	for _, n := range g.owners {
		if old := r.lost[n.number]; old.id != "" {
			n.id = old.id
		}
		r.lost[n.number] = n
	}
}

// mark makes damage of what was lost: the cursors of those sessions say so, here
// and in every file from now on.
func (r *replayed) mark(tx *bolt.Tx) error {
	v := view{tx: tx, over: []*table{r.rows}}
	for number, n := range r.lost {
		if number == 0 {
			continue // a damaged session, deleted
		}
		key := rowKey(number, rowCursor)
		var cursor storev1.Cursor
		if value := v.get(bucketSessions, key); value != nil {
			if err := decode(opOpen, bucketSessions, key, value, &cursor); err != nil {
				continue // it says so itself
			}
		}
		cursor.Version, cursor.Lost = recordVersion, r.why.Error()
		marked, err := encode(key, &cursor, nil)
		if err != nil {
			return err
		}
		r.rows.put(&cell{bucketCode(bucketSessions), key, marked})
		if n.id == "" || v.get(bucketIDs, []byte(n.id)) != nil {
			continue
		}
		identity, err := encode([]byte(n.id), &storev1.Identity{Version: recordVersion, Number: number}, nil)
		if err != nil {
			return err
		}
		r.rows.put(&cell{bucketCode(bucketIDs), []byte(n.id), identity})
	}
	return nil
}

// checkpointOf returns what a file says of the logs: the number of the newest
// group that is in it, and how often groups were moved into the journal.
func checkpointOf(tx *bolt.Tx) (*storev1.Checkpoint, error) {
	value := tx.Bucket(bucketMeta).Get(checkpointKey)
	if value == nil {
		return &storev1.Checkpoint{}, nil
	}
	var c storev1.Checkpoint
	return &c, decode(opOpen, bucketMeta, checkpointKey, value, &c)
}

// putCheckpoint says in a file that it holds the groups up to one.
func putCheckpoint(tx *bolt.Tx, group uint64) error {
	value, err := encode(checkpointKey, &storev1.Checkpoint{Version: recordVersion, Group: group}, nil)
	if err != nil {
		return err
	}
	return tx.Bucket(bucketMeta).Put(checkpointKey, value)
}

// replay reads the logs and makes them, over the active file, what the journal
// is.
func (s *Store) replay() error {
	s.mover.Store(&mover{})
	var r *replayed
	var done uint64
	err := s.active.view(opOpen, func(tx *bolt.Tx) error {
		c, err := checkpointOf(tx)
		if err != nil {
			return err
		}
		done = c.GetGroup()
		if r, err = readLogs(s.options.Directory, s.manifest.Logs, tagOf(s.lineage), done, s.options.tolerant); err != nil {
			return err
		}
		if s.options.tolerant {
			s.lost = r.account(view{tx: tx, over: []*table{r.rows}, blobs: s.blobs})
		}
		if err := r.mark(tx); err != nil {
			return err
		}
		s.numbers.Store(max(tx.Bucket(bucketIDs).Sequence(), r.number))
		s.index, err = buildIndex(view{tx: tx, over: []*table{r.rows}})
		return err
	})
	if err != nil {
		return err
	}
	s.findings = append(s.findings, r.findings...)
	s.overlay.Store(&overlay{live: newTable(), frozen: r.rows, last: r.last, numbers: s.numbers.Load()})
	if s.options.ReadOnly {
		return nil
	}
	if s.log, err = s.openLogs(r.last); err != nil {
		return err
	}
	if r.last == done {
		s.overlay.Store(&overlay{live: newTable()})
		return nil
	}
	// Even if they put nothing: the log is begun anew, and the file must not miss them.
	s.unmoved.Store(true)
	err = s.Checkpoint()
	if s.failed.Load() != nil {
		return err
	}
	return nil // on a disk without space, say, the journal can be read all the same
}
