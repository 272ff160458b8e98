package upkeep

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"betcode/messages"
	"betcode/persistence/internal/blob"
	"betcode/persistence/internal/boltfile"
	"betcode/persistence/internal/fault"
	"betcode/persistence/internal/memtable"
	"betcode/persistence/internal/record"
	storev1 "betcode/proto/betcode/store/v1"
)

// fileCheck collects the facts of one file, while its keys are walked.
type fileCheck struct {
	v      *Verifier
	report messages.JournalFile

	last    uint64 // the newest session number
	ids     map[uint64]identity
	rows    map[uint64]int // number of a session's rows
	cursors map[uint64]*storev1.Cursor
	spans   map[uint64]*span
	bodies  map[string]int // inputs minus bodies, by key

	blobs *blob.Directory
	refs  map[record.PayloadID]bool // payloads that values of it refer to
}

type identity struct {
	id      messages.SessionID
	deleted bool
}

func newFileCheck(v *Verifier, name string) *fileCheck {
	return &fileCheck{
		v: v, report: messages.JournalFile{Name: name},
		ids: map[uint64]identity{}, rows: map[uint64]int{}, cursors: map[uint64]*storev1.Cursor{},
		spans: map[uint64]*span{}, bodies: map[string]int{},
		blobs: v.blobs, refs: map[record.PayloadID]bool{},
	}
}

func (c *fileCheck) problem(bucket, key []byte, format string, args ...any) {
	c.v.problem(c.report.Name, record.Describe(bucket, key), fmt.Errorf(format, args...))
}

// live returns the number of live sessions.
func (c *fileCheck) live() (n int) {
	for _, i := range c.ids {
		if !i.deleted {
			n++
		}
	}
	return n
}

// walk checks every key and value.
func (c *fileCheck) walk(tx *boltfile.Tx, v memtable.View) error {
	if tx.Has(record.BucketIDs) {
		c.last = tx.Numbers()
	}
	if len(v.Over) > 0 {
		c.last = max(c.last, c.v.numbers)
	}
	looks := []struct {
		bucket []byte
		look   func(key, value []byte)
	}{
		{record.BucketIDs, c.identity},
		{record.BucketSessions, c.session},
		{record.BucketRuns, c.record(record.BucketRuns, func() record.Record { return &storev1.Run{} })},
		{record.BucketInputs, c.record(record.BucketInputs, func() record.Record { return &storev1.Input{} })},
		{record.BucketBodies, c.record(record.BucketBodies, func() record.Record { return &storev1.Body{} })},
		{record.BucketPermissions, c.record(record.BucketPermissions, func() record.Record { return &storev1.Permission{} })},
		{record.BucketKeys, c.record(record.BucketKeys, func() record.Record { return &storev1.Key{} })},
		{record.BucketEvents, c.chunk},
	}
	for _, l := range looks {
		if !tx.Has(l.bucket) {
			continue // CheckDescription reported it
		}
		err := v.All(l.bucket, func(key, value []byte) error {
			c.report.Keys++
			l.look(key, value)
			return c.pause()
		})
		if err != nil {
			return err
		}
	}
	return c.list(tx, v.Over)
}

// pause reports progress, and ends the walk if the caller no longer waits.
func (c *fileCheck) pause() error {
	if c.report.Keys%4096 != 0 {
		return nil
	}
	c.reportProgress()
	return c.v.ctx.Err()
}

func (c *fileCheck) reportProgress() {
	if c.v.progress != nil {
		c.v.progress(c.report)
	}
}

func (c *fileCheck) decoded(bucket, key, value []byte, r record.Record) bool {
	body, err := c.body(bucket, key, value)
	if err = record.DecodeBody(fault.OpVerify, bucket, key, body, err, r); err == nil {
		return true
	}
	cause := errors.Unwrap(err)
	if inner := errors.Unwrap(cause); inner != nil {
		cause = inner // without the key, which is part of the problem
	}
	c.v.problem(c.report.Name, record.Describe(bucket, key), cause)
	return false
}

func (c *fileCheck) identity(key, value []byte) {
	var i storev1.Identity
	if !c.decoded(record.BucketIDs, key, value, &i) {
		return
	}
	n := i.GetNumber()
	if other, taken := c.ids[n]; taken && n > 0 {
		c.problem(record.BucketIDs, key, "session %q has the same number", other.id)
	}
	if n > c.last {
		c.problem(record.BucketIDs, key, "number %d was never given", n)
	}
	if n > 0 {
		c.ids[n] = identity{messages.SessionID(key), i.GetDeleted() != nil}
	}
}

// owned reports whether a key belongs to a live session.
func (c *fileCheck) owned(bucket, key []byte) bool {
	number, ok := record.NumberOf(key)
	i, known := c.ids[number]
	if !ok || !known || i.deleted {
		c.problem(bucket, key, "it is of no session")
		return false
	}
	return true
}

func (c *fileCheck) session(key, value []byte) {
	if !c.owned(record.BucketSessions, key) {
		return
	}
	number, _ := record.NumberOf(key)
	c.rows[number]++
	if key[len(key)-1] == record.RowSession {
		c.decoded(record.BucketSessions, key, value, &storev1.Session{})
		return
	}
	var cursor storev1.Cursor
	if !c.decoded(record.BucketSessions, key, value, &cursor) {
		return
	}
	if why := cursor.GetLost(); why != "" {
		c.problem(record.BucketSessions, key, "%s", why)
	}
	if cursor.GetBase() > cursor.GetHead() {
		c.problem(record.BucketSessions, key, "base %d is beyond head %d", cursor.GetBase(), cursor.GetHead())
	}
	c.cursors[number] = &cursor
}

func (c *fileCheck) record(bucket []byte, blank func() record.Record) func(key, value []byte) {
	return func(key, value []byte) {
		c.owned(bucket, key)
		c.decoded(bucket, key, value, blank())
		switch string(bucket) {
		case "inputs":
			c.bodies[string(key)]++
		case "bodies":
			c.bodies[string(key)]--
		}
	}
}

// finish compares the results of the walk with each other and with the previous file.
func (c *fileCheck) finish(before *fileCheck) {
	for _, number := range slices.Sorted(maps.Keys(c.ids)) {
		i := c.ids[number]
		if i.deleted {
			continue
		}
		key := record.RowKey(number, record.RowCursor)
		if c.rows[number] != 2 {
			c.problem(record.BucketSessions, key, "session %q has %d rows of 2", i.id, c.rows[number])
		}
		if cursor := c.cursors[number]; cursor != nil {
			c.history(key, number, cursor, before)
		}
	}
	for key, n := range c.bodies {
		if n != 0 {
			c.problem(record.BucketInputs, []byte(key), "an input without its body, or a body without its input")
		}
	}
	slices.SortStableFunc(c.v.Report.Problems, func(a, b messages.JournalProblem) int {
		return cmp.Compare(a.File, b.File)
	})
}
