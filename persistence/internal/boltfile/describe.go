package boltfile

import (
	"fmt"
	"time"

	"google.golang.org/protobuf/proto"

	"betcode/persistence/internal/fault"
	"betcode/persistence/internal/record"
	storev1 "betcode/proto/betcode/store/v1"
)

// CreateBuckets makes the buckets of a new file.
func CreateBuckets(tx *Tx) error {
	for _, name := range record.Buckets {
		if _, err := tx.bolt.CreateBucket(name); err != nil {
			return err
		}
	}
	return nil
}

// Describe stores the description of a new file: format, lineage, and number.
func Describe(tx *Tx, number uint64, lineage string, now time.Time) error {
	body, err := proto.MarshalOptions{Deterministic: true}.Marshal(&storev1.File{
		Format: Format, Lineage: lineage, Number: number, CreatedAt: record.StoreTime(now), Built: tx.ID(), BuiltBytes: tx.Size(),
	})
	if err != nil {
		return err
	}
	return tx.Put(record.BucketMeta, record.FileKey, record.Stamp(record.FileKey, body))
}

// CheckDescription refuses a file whose description does not match its name.
func (f *File) CheckDescription(op, lineage string) error {
	number, err := Number(f.Name)
	if err != nil {
		return err
	}
	return f.View(op, func(tx *Tx) error {
		d, err := Description(op, f.Name, tx)
		if err != nil {
			return err
		}
		if d.GetLineage() != lineage || d.GetNumber() != number {
			return fault.DamagedFile(op, f.Name, fmt.Errorf("it is file %d of journal %s, not file %d of %s",
				d.GetNumber(), d.GetLineage(), number, lineage)).
				WithHint("Files of different journals are mixed: restore all of them from the same backup.")
		}
		f.BuiltBytes = d.GetBuiltBytes()
		return nil
	})
}

// Description returns the description of a file, if this build can read it.
func Description(op, name string, tx *Tx) (*storev1.File, error) {
	if !tx.Has(record.BucketMeta) {
		return nil, fault.DamagedFile(op, name, fmt.Errorf("bucket %s is missing", record.BucketMeta))
	}
	var d storev1.File
	body, err := record.Unstamp(record.FileKey, tx.Get(record.BucketMeta, record.FileKey))
	if err == nil {
		err = proto.Unmarshal(body, &d)
	}
	if err != nil {
		return nil, record.DamagedKey(op, record.BucketMeta, record.FileKey, err)
	}
	if err := CheckFormat(name, int(d.GetFormat())); err != nil {
		return nil, err
	}
	for _, bucket := range record.Buckets {
		if !tx.Has(bucket) {
			return nil, fault.DamagedFile(op, name, fmt.Errorf("bucket %s is missing", bucket))
		}
	}
	return &d, nil
}

// Checkpoint returns the newest group of the logs whose rows are in the file.
func Checkpoint(tx *Tx) (*storev1.Checkpoint, error) {
	value := tx.Get(record.BucketMeta, record.CheckpointKey)
	if value == nil {
		return &storev1.Checkpoint{}, nil
	}
	var c storev1.Checkpoint
	return &c, record.Decode(fault.OpOpen, record.BucketMeta, record.CheckpointKey, value, &c)
}

// PutCheckpoint stores the newest group whose rows are in the file.
func PutCheckpoint(tx *Tx, group uint64) error {
	value, err := record.Encode(record.CheckpointKey, &storev1.Checkpoint{Version: record.RecordVersion, Group: group}, nil)
	if err != nil {
		return err
	}
	return tx.Put(record.BucketMeta, record.CheckpointKey, value)
}

// Adopt makes the file part of the journal with this lineage.
func (t *Tx) Adopt(op, name, lineage string) error {
	d, err := Description(op, name, t)
	if err != nil {
		return err
	}
	d.Lineage = lineage
	body, err := proto.MarshalOptions{Deterministic: true}.Marshal(d)
	if err != nil {
		return err
	}
	return t.Put(record.BucketMeta, record.FileKey, record.Stamp(record.FileKey, body))
}
