package recovery

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"betcode/messages"
	"betcode/persistence/internal/disk"
	"betcode/persistence/internal/fault"
	"betcode/persistence/internal/memtable"
	"betcode/persistence/internal/record"
	"betcode/persistence/internal/wal"
	storev1 "betcode/proto/betcode/store/v1"
)

// Recovered has the rows of the logs that the active file does not have.
type Recovered struct {
	Rows   *memtable.Table
	Last   uint64               // number of the newest group, in the logs or in the file
	Number uint64               // the greatest session number in a group
	lost   map[uint64]wal.Owner // sessions with rows in groups that cannot be read
	Why    error                // the reason for the first such group

	Findings []messages.JournalFinding
	salvage  *salvage // facts about groups that cannot be read
}

// Read reads the logs of a journal whose active file has the groups up to done.
// A part that cannot be read is the end of the newest log, which was never acknowledged,
// or damage: of the sessions that the group names, or, if these are unknown, of the
// journal.
//
// No commit is lost, and the journal opens, if an unreadable group is
// in the active file already, if the damage is one flipped bit, or if a lost head is
// proven by its checksum. If the rows of a group are lost and its head is not, its
// sessions are damaged and the others are sound. If the head is lost too, sessions
// may have lost events without a trace: then Read refuses the logs, unless tolerant is set,
// which a repair uses to find the rest.
func Read(directory string, names []string, tag wal.Tag, done uint64, tolerant bool) (*Recovered, error) {
	r := &Recovered{Rows: memtable.New(), Last: done, lost: map[uint64]wal.Owner{}, salvage: newSalvage()}
	var logs []wal.Walked
	for _, name := range names {
		data, unmap, err := mappedLog(filepath.Join(directory, name))
		if errors.Is(err, os.ErrNotExist) {
			if tolerant {
				r.find(name, -1, "the file is missing", "made anew, empty")
				r.salvage.needed = true
				r.salvage.unread++ // the amount is unknown
				continue
			}
			return nil, fault.DamagedFile(fault.OpOpen, name, errors.New("the file is missing"))
		}
		if err != nil {
			return nil, fault.Storage(fault.OpOpen, err)
		}
		defer unmap()
		w := wal.Walk(data, tag, done, record.SoundRows)
		if w.Name = name; w.Other != nil {
			return nil, fault.DamagedFile(fault.OpOpen, name, errors.New("it is the log of another journal")).
				WithHint("Files of different journals are mixed: restore all of them from the same backup.")
		}
		logs = append(logs, w)
	}
	groups, broken, missing := wal.Following(logs, done)
	if len(missing) > 0 && !tolerant {
		return nil, fault.DamagedFile(fault.OpOpen, cmp.Or(missing[0].File, strings.Join(names, ", ")), errors.New(missing[0].String())).
			WithHint(fault.HintRepair)
	}
	for _, g := range groups {
		for len(missing) > 0 && missing[0].First < g.Number {
			if proven, ok := provenGroup(tag, missing[0]); ok {
				r.takeProven(proven, missing[0])
			} else {
				r.skip(missing[0])
			}
			missing = missing[1:]
		}
		r.take(g, broken[g.Number])
	}
	r.report(logs, done)
	return r, nil
}

// take adds a group to the journal.
func (r *Recovered) take(g wal.Group, broken bool) {
	r.Last = g.Number
	for _, n := range g.Owners {
		r.Number = max(r.Number, n.Number)
	}
	err := record.DecodeRows(bytes.Clone(g.Rows), r.Rows.Put)
	if err == nil && broken {
		r.salvageRows(g.Raw)
		err = wal.ErrRows
	}
	if err != nil {
		r.lose(g, err)
	}
}

// find records damage.
func (r *Recovered) find(file string, offset int, problem, outcome string) {
	r.Findings = append(r.Findings, messages.JournalFinding{File: file, Offset: int64(offset), Problem: problem, Outcome: outcome})
}

// report records damage of the logs that did not keep the journal from being opened.
func (r *Recovered) report(logs []wal.Walked, done uint64) {
	for _, w := range logs {
		for _, g := range w.Rebuilt {
			if g.Number > done {
				r.find(w.Name, g.Offset, fmt.Sprintf("the head of group %d is damaged", g.Number), "made again, as its checksum proves; nothing is lost")
			}
		}
		for _, g := range w.Mended {
			if g.Number > done {
				r.find(w.Name, g.Offset, fmt.Sprintf("a bit of group %d is flipped", g.Number), "read as it was written; nothing is lost")
			}
		}
		for _, g := range w.Broken {
			if g.Number > done {
				r.find(w.Name, -1, fmt.Sprintf("the rows of group %d do not match their checksum", g.Number),
					messages.Count(len(g.Owners), "damaged session"))
			}
		}
		if w.Torn != nil && w.Torn.Number == r.Last+1 {
			r.Findings = append(r.Findings, messages.JournalFinding{
				File: w.Name, Offset: int64(w.Torn.Offset), Crash: true,
				Problem: fmt.Sprintf("group %d, the newest, is not whole; it is of %s", w.Torn.Number, describeOwners(w.Torn.Owners)),
				Outcome: "left out: a crash leaves this of a group that was never acknowledged",
			})
		}
	}
}

// describeOwners lists the sessions of a group.
func describeOwners(owners []wal.Owner) string {
	names := make([]string, len(owners))
	for i, o := range owners {
		names[i] = "session " + cmp.Or(o.ID, fmt.Sprintf("number %d", o.Number))
	}
	return strings.Join(names, ", ")
}

// mappedLog maps a log. Most of it has already been moved: a log that is read as a
// whole would be the largest object in the memory of a daemon that has just started.
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
	return disk.Map(f, info.Size())
}

// lose records the sessions of a group that cannot be read.
func (r *Recovered) lose(g wal.Group, err error) {
	if r.Why == nil {
		r.Why = fmt.Errorf("group %d of the log: %w", g.Number, err)
	}
	for _, n := range g.Owners {
		if old := r.lost[n.Number]; old.ID != "" {
			n.ID = old.ID
		}
		r.lost[n.Number] = n
	}
}

// Mark marks the lost sessions as damaged in their cursors, here and in
// every later file.
func (r *Recovered) Mark(v memtable.View) error {
	for number, n := range r.lost {
		if number == 0 {
			continue // a damaged session, deleted
		}
		key := record.RowKey(number, record.RowCursor)
		var cursor storev1.Cursor
		if value := v.Get(record.BucketSessions, key); value != nil {
			if err := record.Decode(fault.OpOpen, record.BucketSessions, key, value, &cursor); err != nil {
				continue // reading the cursor reports the damage
			}
		}
		cursor.Version, cursor.Lost = record.RecordVersion, r.Why.Error()
		marked, err := record.Encode(key, &cursor, nil)
		if err != nil {
			return err
		}
		r.Rows.Put(&record.Row{Bucket: record.BucketCode(record.BucketSessions), Key: key, Value: marked})
		if n.ID == "" || v.Get(record.BucketIDs, []byte(n.ID)) != nil {
			continue
		}
		identity, err := record.Encode([]byte(n.ID), &storev1.Identity{Version: record.RecordVersion, Number: number}, nil)
		if err != nil {
			return err
		}
		r.Rows.Put(&record.Row{Bucket: record.BucketCode(record.BucketIDs), Key: []byte(n.ID), Value: identity})
	}
	return nil
}
