package persistence

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"betcode/messages"
	"betcode/messages/failpoint"
)

// manifestCopies are the names of the copies of the manifest, since format 4. The
// first is the one that builds of older formats read, and is replaced first: from
// then on they refuse the journal.
var manifestCopies = []string{manifestName, manifestName + "-2"}

// sumLength is the length of a checksum in hexadecimal digits.
const sumLength = 2 * sha256.Size

// sumField precedes the checksum in a manifest. Later formats keep it, so that a
// newer format can be told from a damaged one.
var sumField = []byte(`"checksum": "`)

// sealManifest returns a manifest with its checksum: SHA-256 of the file in which
// the digits of the checksum are zeros.
func sealManifest(m *manifest) ([]byte, error) {
	sealed := *m
	sealed.Checksum = string(bytes.Repeat([]byte{'0'}, sumLength))
	data, err := json.MarshalIndent(&sealed, "", "  ")
	if err != nil {
		return nil, err
	}
	data = append(data, '\n')
	_, at := manifestSum(data)
	sum := sha256.Sum256(data)
	hex.Encode(data[at:], sum[:])
	return data, nil
}

// manifestSum returns the checksum that a manifest carries, and its offset; -1 if it
// carries none.
func manifestSum(data []byte) (sum []byte, at int) {
	at = bytes.LastIndex(data, sumField)
	if at < 0 || at+len(sumField)+sumLength > len(data) {
		return nil, -1
	}
	at += len(sumField)
	return data[at : at+sumLength], at
}

// checkSum compares a manifest with its checksum.
func checkSum(data []byte) error {
	sum, at := manifestSum(data)
	if at < 0 {
		return errors.New("it has no checksum")
	}
	zeroed := bytes.Clone(data)
	copy(zeroed[at:], bytes.Repeat([]byte{'0'}, sumLength))
	want := sha256.Sum256(zeroed)
	if hex.EncodeToString(want[:]) != string(sum) {
		return errChecksum
	}
	return nil
}

// manifestCopy is one copy as it was found.
type manifestCopy struct {
	name string
	m    *manifest // nil = missing or damaged
	err  error     // why it cannot be used; os.ErrNotExist = it is missing
}

// readCopies reads the copies of a manifest and returns the newest that is valid, nil
// if there is no manifest at all. worse are the copies that differ from it: damaged,
// missing, or of an older generation.
func readCopies(directory string) (best *manifest, worse []manifestCopy, err error) {
	copies := make([]manifestCopy, len(manifestCopies))
	for i, name := range manifestCopies {
		copies[i] = readCopy(directory, name)
		switch kind := messages.KindOf(copies[i].err); {
		case copies[i].err == nil, errors.Is(copies[i].err, os.ErrNotExist), kind == messages.DataLoss:
		default: // of a newer format, or not readable now
			return nil, nil, copies[i].err
		}
		if copies[i].m != nil && copies[i].m.Format < copiesFormat {
			return copies[i].m, nil, nil // an older build wrote it, and knows of no other copy
		}
	}
	for _, c := range copies {
		if c.m != nil && (best == nil || c.m.Generation > best.Generation) {
			best = c.m
		}
	}
	if best == nil {
		for _, c := range copies {
			if !errors.Is(c.err, os.ErrNotExist) {
				return nil, nil, asError(c.err).WithHint(hintManifest)
			}
		}
		return nil, nil, nil
	}
	for _, c := range copies {
		if c.m == nil || c.m.Generation < best.Generation {
			worse = append(worse, c)
		}
	}
	return best, worse, nil
}

func readCopy(directory, name string) (c manifestCopy) {
	c.name = name
	data, err := os.ReadFile(filepath.Join(directory, name))
	if errors.Is(err, os.ErrNotExist) {
		c.err = err
		return c
	}
	if err != nil {
		c.err = storageError(opOpen, err)
		return c
	}
	if c.m, c.err = decodeManifest(name, data); c.err != nil {
		c.m = nil
	}
	return c
}

// crashed reports whether the copy is what a crash leaves between the replacement of
// the first copy and that of the second.
func (c manifestCopy) crashed(best *manifest) bool {
	if c.m != nil {
		return c.m.Generation+1 == best.Generation
	}
	return c.name != manifestName && best.Generation == 1 && errors.Is(c.err, os.ErrNotExist)
}

// finding describes a copy that is not what was written.
func (c manifestCopy) finding() messages.JournalFinding {
	f := messages.JournalFinding{File: c.name, Offset: -1, Outcome: "written again from the other copy"}
	switch {
	case c.m != nil:
		f.Problem = fmt.Sprintf("this copy is of generation %d, an old one", c.m.Generation)
	case errors.Is(c.err, os.ErrNotExist):
		f.Problem = "this copy is missing"
	default:
		f.Problem = messages.CauseOf(c.err)
	}
	return f
}

// mendCopies writes the copies again that are not what the manifest says, and notes
// which of them were damaged. A copy that cannot be written is written with the next
// change of the manifest.
func (s *Store) mendCopies(worse []manifestCopy) {
	for _, c := range worse {
		f := c.finding()
		if s.options.ReadOnly {
			f.Outcome = "the other copy is used"
		} else if data, err := sealManifest(s.manifest); err == nil {
			if _, err = replaceFile(s.options.Directory, c.name, data, nil); err != nil {
				f.Outcome = fmt.Sprintf("the other copy is used; not written again: %v", err)
			}
		}
		if !c.crashed(s.manifest) {
			s.findings = append(s.findings, f)
		}
	}
}

// write makes m the manifest of a directory, as the generation after its own. The
// copies are whole and on disk under other names before the first is renamed, so one
// that is valid is there after a crash at any moment. When renamed is true and there
// is an error, nobody knows which generation a crash would leave.
func (m *manifest) write(directory string, steps hook) (renamed bool, err error) {
	m.Generation++
	data, err := sealManifest(m)
	if err != nil {
		return false, err
	}
	defer func() {
		if err != nil && !renamed {
			for _, name := range manifestCopies {
				os.Remove(filepath.Join(directory, name+unfinished))
			}
		}
	}()
	for _, name := range manifestCopies {
		if err := writeSynced(filepath.Join(directory, name+unfinished), data); err != nil {
			return false, err
		}
		if err := steps.at(name + " written"); err != nil {
			return false, err
		}
	}
	failpoint.Hit(failpoint.ManifestWritten)
	for _, name := range manifestCopies {
		path := filepath.Join(directory, name)
		if err := os.Rename(path+unfinished, path); err != nil {
			return renamed, err
		}
		renamed = true
		failpoint.Hit(failpoint.ManifestNamed)
		if err := steps.at(name + " renamed"); err != nil {
			return true, err
		}
	}
	return true, syncDirectory(directory)
}
