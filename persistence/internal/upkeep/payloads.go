package upkeep

import (
	"errors"

	"betcode/messages"
	"betcode/persistence/internal/blob"
	"betcode/persistence/internal/boltfile"
	"betcode/persistence/internal/fault"
	"betcode/persistence/internal/memtable"
	"betcode/persistence/internal/record"
)

// body checks a value and returns its body, wherever that is stored.
func (c *fileCheck) body(bucket, key, value []byte) ([]byte, error) {
	body, err := record.Unstamp(key, value)
	if err != nil || !record.MayBePayload(bucket) {
		return body, err
	}
	id, length, out, err := record.Referenced(body)
	if err != nil || !out {
		return body, err
	}
	c.refs[id] = true
	if body, err = c.blobs.Read(id, length); err != nil {
		c.v.reported[id] = true
	}
	return body, err
}

// list compares the payloads that values refer to with the list of the file, which
// decides what a sweep may remove.
func (c *fileCheck) list(tx *boltfile.Tx, over []*memtable.Table) error {
	if err := boltfile.CheckList(fault.OpVerify, tx); err != nil {
		c.problem(record.BucketPayloads, nil, "%w", errors.Unwrap(err))
	}
	listed := map[record.PayloadID]bool{}
	err := boltfile.EachPayload(fault.OpVerify, tx, nil, func(p record.Payload) error {
		c.report.Keys++
		listed[p.ID], c.v.listed[p.ID] = true, true
		return c.pause()
	})
	for _, t := range over { // the file does not list the references of the logs yet
		for id := range t.References() {
			listed[id], c.v.listed[id] = true, true
		}
	}
	for id := range c.refs {
		if !listed[id] && err == nil {
			c.problem(record.BucketPayloads, id[:], "a value refers to it, and the file does not say so")
		}
	}
	return err
}

// payloads checks that no payload is missing, and counts those without a reference.
// The latter are no damage: a crash leaves them, and a sweep removes them.
func (v *Verifier) payloads() {
	found, unknown := messages.JournalFile{Name: blob.DirectoryName, Complete: true}, messages.JournalFile{Name: "payloads without a reference", Complete: true}
	v.blobs.EachFile(func(id record.PayloadID, known bool, bytes int64) {
		report := &unknown
		if known && v.listed[id] {
			report = &found
			v.reported[id] = true // it is there
		}
		report.Keys++
		report.Bytes += bytes
	}, func(shard string, err error) { v.problem(shard, "", err) })
	for id := range v.listed {
		if !v.reported[id] {
			v.problem(blob.DirectoryName, id.String(), errors.New("the payload is missing"))
		}
	}
	for _, report := range []messages.JournalFile{found, unknown} {
		if report.Keys > 0 {
			v.Report.Files = append(v.Report.Files, report)
		}
	}
}
