package manifest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"betcode/messages"
	"betcode/messages/failpoint"
	"betcode/persistence/internal/disk"
	"betcode/persistence/internal/fault"
	"betcode/persistence/internal/record"
)

// Names are the names of the copies of the manifest, since format 4. The
// first is the one that builds of older formats read, and is replaced first, so that
// from then on they refuse the journal.
var Names = []string{Name, Name + "-2"}

// SumLength is the length of a checksum in hexadecimal digits.
const SumLength = 2 * sha256.Size

// sumField precedes the checksum in a manifest. Later formats keep it, so that a
// newer format is not taken for a damaged one.
var sumField = []byte(`"checksum": "`)

// Seal returns a manifest with its checksum: SHA-256 of the file in which
// the digits of the checksum are zeros.
func Seal(m *Manifest) ([]byte, error) {
	sealed := *m
	sealed.Checksum = string(bytes.Repeat([]byte{'0'}, SumLength))
	data, err := json.MarshalIndent(&sealed, "", "  ")
	if err != nil {
		return nil, err
	}
	data = append(data, '\n')
	_, at := SumOf(data)
	sum := sha256.Sum256(data)
	hex.Encode(data[at:], sum[:])
	return data, nil
}

// SumOf returns the checksum in a manifest, and its offset; -1 if it
// has none.
func SumOf(data []byte) (sum []byte, at int) {
	at = bytes.LastIndex(data, sumField)
	if at < 0 || at+len(sumField)+SumLength > len(data) {
		return nil, -1
	}
	at += len(sumField)
	return data[at : at+SumLength], at
}

// checkSum compares a manifest with its checksum.
func checkSum(data []byte) error {
	sum, at := SumOf(data)
	if at < 0 {
		return errors.New("it has no checksum")
	}
	zeroed := bytes.Clone(data)
	copy(zeroed[at:], bytes.Repeat([]byte{'0'}, SumLength))
	want := sha256.Sum256(zeroed)
	if hex.EncodeToString(want[:]) != string(sum) {
		return record.ErrChecksum
	}
	return nil
}

// Copy is one copy as it was read.
type Copy struct {
	Name string
	m    *Manifest // nil = missing or damaged
	err  error     // why it cannot be used; os.ErrNotExist = it is missing
}

// Read reads the copies of a manifest and returns the newest that is valid, nil
// if there is no manifest at all. worse are the copies that differ from it: damaged,
// missing, or of an older generation.
func Read(directory string) (best *Manifest, worse []Copy, err error) {
	copies := make([]Copy, len(Names))
	for i, name := range Names {
		copies[i] = readCopy(directory, name)
		switch kind := messages.KindOf(copies[i].err); {
		case copies[i].err == nil, errors.Is(copies[i].err, os.ErrNotExist), kind == messages.DataLoss:
		default: // of a newer format, or unreadable at present
			return nil, nil, copies[i].err
		}
		if copies[i].m != nil && copies[i].m.Format < CopiesFormat {
			return copies[i].m, nil, nil // an older build wrote it, which makes no other copy
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
				return nil, nil, fault.As(c.err).WithHint(fault.HintManifest)
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

func readCopy(directory, name string) (c Copy) {
	c.Name = name
	data, err := os.ReadFile(filepath.Join(directory, name))
	if errors.Is(err, os.ErrNotExist) {
		c.err = err
		return c
	}
	if err != nil {
		c.err = fault.Storage(fault.OpOpen, err)
		return c
	}
	if c.m, c.err = decode(name, data); c.err != nil {
		c.m = nil
	}
	return c
}

// Crashed reports whether the copy is the result of a crash between the replacement of the
// first copy and that of the second.
func (c Copy) Crashed(best *Manifest) bool {
	if c.m != nil {
		return c.m.Generation+1 == best.Generation
	}
	return c.Name != Name && best.Generation == 1 && errors.Is(c.err, os.ErrNotExist)
}

// Finding describes a copy that differs from what was written.
func (c Copy) Finding() messages.JournalFinding {
	f := messages.JournalFinding{File: c.Name, Offset: -1, Outcome: "written again from the other copy"}
	switch {
	case c.m != nil:
		f.Problem = fmt.Sprintf("this copy is of generation %d, an old one", c.m.Generation)
	case errors.Is(c.err, os.ErrNotExist):
		f.Problem = "this copy is missing"
	default:
		f.Problem = strings.TrimPrefix(messages.CauseOf(c.err), c.Name+": ") // File has the name already
	}
	return f
}

// Write makes m the manifest of a directory, as the generation after its own. The
// copies are complete and durable under other names before the first is renamed, so
// a valid one exists after a crash at any time. When renamed is true and there
// is an error, it is unknown which generation a crash would leave.
func (m *Manifest) Write(directory string, steps disk.Steps) (renamed bool, err error) {
	m.Generation++
	data, err := Seal(m)
	if err != nil {
		return false, err
	}
	defer func() {
		if err != nil && !renamed {
			for _, name := range Names {
				os.Remove(filepath.Join(directory, name+disk.Unfinished))
			}
		}
	}()
	for _, name := range Names {
		if err := disk.WriteSynced(filepath.Join(directory, name+disk.Unfinished), data); err != nil {
			return false, err
		}
		if err := steps.At(name + " written"); err != nil {
			return false, err
		}
	}
	failpoint.Hit(failpoint.ManifestWritten)
	for _, name := range Names {
		path := filepath.Join(directory, name)
		if err := os.Rename(path+disk.Unfinished, path); err != nil {
			return renamed, err
		}
		renamed = true
		failpoint.Hit(failpoint.ManifestNamed)
		if err := steps.At(name + " renamed"); err != nil {
			return true, err
		}
	}
	return true, disk.SyncDirectory(directory)
}
