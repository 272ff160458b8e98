package persistence

import (
	"errors"
	"os"
	"path/filepath"

	bolt "go.etcd.io/bbolt"
)

// body checks a value and returns what it holds, wherever that is kept.
func (c *fileCheck) body(bucket, key, value []byte) ([]byte, error) {
	body, err := unstamp(key, value)
	if err != nil || !spillable(bucket) {
		return body, err
	}
	id, length, out, err := referenced(body)
	if err != nil || !out {
		return body, err
	}
	c.refs[id] = true
	if body, err = c.blobs.read(id, length); err != nil {
		c.v.told[id] = true
	}
	return body, err
}

// list compares what values of the file refer to with what the file says that
// they do: by that it is decided what may go.
func (c *fileCheck) list(tx *bolt.Tx, over []*table) error {
	if err := soundList(opVerify, tx); err != nil {
		c.problem(bucketBlobs, nil, "%w", errors.Unwrap(err))
	}
	listed := map[blobID]bool{}
	err := eachBlob(opVerify, tx, nil, func(p spilled) error {
		c.report.Keys++
		listed[p.id], c.v.listed[p.id] = true, true
		return c.pause()
	})
	for _, t := range over { // what the logs refer to is not on the list yet
		for _, id := range t.outside {
			listed[id], c.v.listed[id] = true, true
		}
	}
	for id := range c.refs {
		if !listed[id] && err == nil {
			c.problem(bucketBlobs, id[:], "a value refers to it, and the file does not say so")
		}
	}
	return err
}

// payloads looks for what is out of line: that nothing is missing, and what
// nobody refers to. The latter is no damage: a crash leaves it, and a sweep
// removes it.
func (v *verifier) payloads() {
	found, unknown := FileReport{Name: blobDirectory, Complete: true}, FileReport{Name: "payloads that nobody refers to", Complete: true}
	for n := range blobShards {
		entries, err := os.ReadDir(v.blobs.shard(byte(n)))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			v.problem(filepath.Join(blobDirectory, filepath.Base(v.blobs.shard(byte(n)))), "", err)
		}
		for _, e := range entries {
			report := &unknown
			if id, ok := parseBlob(e.Name()); ok && v.listed[id] {
				report = &found
				v.told[id] = true // it is there
			}
			report.Keys++
			if info, err := e.Info(); err == nil {
				report.Bytes += info.Size()
			}
		}
	}
	for id := range v.listed {
		if !v.told[id] {
			v.problem(blobDirectory, id.String(), errors.New("the payload is missing"))
		}
	}
	for _, report := range []FileReport{found, unknown} {
		if report.Keys > 0 {
			v.report.Files = append(v.report.Files, report)
		}
	}
}
