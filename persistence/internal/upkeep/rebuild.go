package upkeep

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"betcode/messages"
	"betcode/persistence/internal/boltfile"
	"betcode/persistence/internal/fault"
	"betcode/persistence/internal/manifest"
	"betcode/persistence/internal/record"
	"betcode/persistence/internal/wal"
	storev1 "betcode/proto/betcode/store/v1"
)

// foundFile is a journal file with its description.
type foundFile struct {
	name   string
	number uint64
	about  *storev1.File
	group  uint64 // newest group of the logs in the file
	unused bool   // nothing was written to it after it was made
	bytes  int64
	blobs  int64
}

// RebuildManifest rebuilds the manifest of a directory from its files. Nothing is lost:
// of a rewritten file it takes the version with more content, and a file that was
// dropped and not removed yet comes back. It fails if a file is missing between two
// others, or if files of two journals are mixed.
func RebuildManifest(directory string) (*manifest.Manifest, error) {
	found, err := findFiles(directory)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, messages.Errorf(fault.OpRepair, messages.NotFound, "there is no journal file in %s", directory)
	}
	active := len(found) - 1
	// A seal made a file and nothing was written to it since. The seal was completed if the
	// file has groups that the previous one does not have, and changed nothing otherwise.
	if active > 0 && found[active].unused && found[active].group < found[active-1].group {
		active--
	}
	m := &manifest.Manifest{Format: boltfile.Format, Lineage: found[0].about.GetLineage(), Active: found[active].name, Sealed: []manifest.SealedFile{}, Logs: wal.Names}
	for i, f := range found[:active] {
		next := found[i+1]
		if f.number+1 != next.number {
			return nil, BeyondRepair(fault.DamagedFile(fault.OpRepair, boltfile.Name(f.number+1), errors.New("the file is missing")))
		}
		if f.about.GetLineage() != next.about.GetLineage() {
			return nil, BeyondRepair(fault.DamagedFile(fault.OpRepair, next.name, fmt.Errorf("it is of journal %s, %s is of %s",
				next.about.GetLineage(), f.name, f.about.GetLineage())))
		}
		m.Sealed = append(m.Sealed, manifest.SealedFile{
			Name: f.name, Bytes: f.bytes, OutOfLine: f.blobs, SealedAt: record.LoadTime(next.about.GetCreatedAt()),
		})
	}
	return m, nil
}

// findFiles reads the descriptions of the journal files of a directory, one for each
// number, in order.
func findFiles(directory string) ([]foundFile, error) {
	entries, err := os.ReadDir(directory)
	if err != nil {
		return nil, fault.Storage(fault.OpRepair, err)
	}
	var found []foundFile
	for _, e := range entries {
		number, err := boltfile.Number(e.Name())
		if err != nil {
			continue
		}
		f, err := readFound(directory, e.Name(), number)
		if err != nil {
			return nil, BeyondRepair(err)
		}
		found = append(found, f)
	}
	slices.SortFunc(found, func(a, b foundFile) int {
		return cmp.Or(cmp.Compare(a.number, b.number), cmp.Compare(len(a.name), len(b.name)), cmp.Compare(a.name, b.name))
	})
	return slices.CompactFunc(found, func(a, b foundFile) bool { return a.number == b.number }), nil
}

func readFound(directory, name string, number uint64) (found foundFile, err error) {
	f, err := boltfile.Open(fault.OpRepair, filepath.Join(directory, name), boltfile.Options{ReadOnly: true})
	if err != nil {
		return found, err
	}
	defer f.Close()
	found = foundFile{name: name, number: number}
	return found, f.View(fault.OpRepair, func(tx *boltfile.Tx) error {
		if found.about, err = boltfile.Description(fault.OpRepair, name, tx); err != nil {
			return err
		}
		if found.about.GetNumber() != number {
			return fault.DamagedFile(fault.OpRepair, name, fmt.Errorf("it is file %d", found.about.GetNumber()))
		}
		c, err := boltfile.Checkpoint(tx)
		if err != nil {
			return err
		}
		found.group, found.bytes = c.GetGroup(), tx.Size()
		found.unused = found.about.GetBuilt() == tx.ID()
		return boltfile.EachPayload(fault.OpRepair, tx, nil, func(p record.Payload) error {
			if !p.Carried {
				found.blobs += int64(p.Length)
			}
			return nil
		})
	})
}
