package persistence

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"time"

	"betcode/messages"
)

// Format is the version of the journal's layout that this build writes, and the
// newest that it reads.
const Format = 4

// copiesFormat is the first format whose manifest has two copies, a generation and a
// checksum.
const copiesFormat = 4

const manifestName = "MANIFEST"

// manifest says which files are the journal: whatever it does not mention does not
// belong to the journal. It is replaced as a whole, in two copies.
//
// A field that is added needs a new format, since an older build would drop it.
type manifest struct {
	Format  int          `json:"format"`
	Lineage string       `json:"lineage"`
	Active  string       `json:"active"`
	Sealed  []sealedFile `json:"sealed"`
	Logs    []string     `json:"logs,omitempty"` // since format 2; a backup has none
	// Generation counts the changes of the manifest, and Checksum is of the file: since
	// format 4. See [manifestCopies].
	Generation uint64 `json:"generation,omitempty"`
	Checksum   string `json:"checksum,omitempty"`
}

// sealedFile is a file that is only read any more, the oldest first.
type sealedFile struct {
	Name     string    `json:"name"`
	Bytes    int64     `json:"bytes"`
	SealedAt time.Time `json:"sealed_at"`
	// OutOfLine is how many bytes of payloads came with it: since format 3.
	OutOfLine int64 `json:"out_of_line,omitempty"`
}

// A file that was rewritten has the number of the one whose place it took, and
// counts how often that was done.
var journalName = regexp.MustCompile(`^([0-9]{6,})(-[0-9]+)?\.journal$`)

func fileName(number uint64) string { return fmt.Sprintf("%06d.journal", number) }

func fileNumber(name string) (uint64, error) {
	parts := journalName.FindStringSubmatch(name)
	if parts == nil {
		return 0, fmt.Errorf("%q is not the name of a journal file", name)
	}
	return strconv.ParseUint(parts[1], 10, 64)
}

// decodeManifest reads one copy of a manifest. It fails with [messages.Unimplemented]
// if a newer build wrote it, and with [messages.DataLoss] if it is damaged.
func decodeManifest(name string, data []byte) (*manifest, error) {
	// The format first: of a newer one we can read nothing else.
	var version struct {
		Format int `json:"format"`
	}
	if err := json.Unmarshal(data, &version); err != nil {
		return nil, damagedFile(opOpen, name, err)
	}
	_, at := manifestSum(data)
	if at >= 0 || version.Format == copiesFormat {
		if err := checkSum(data); err != nil {
			return nil, damagedFile(opOpen, name, err)
		}
	}
	if err := checkFormat(name, version.Format); err != nil {
		return nil, err
	}
	var m manifest
	strict := json.NewDecoder(bytes.NewReader(data))
	strict.DisallowUnknownFields()
	if err := strict.Decode(&m); err != nil {
		return nil, damagedFile(opOpen, name, err)
	}
	if err := m.check(); err != nil {
		return nil, damagedFile(opOpen, name, err)
	}
	return &m, nil
}

func checkFormat(name string, format int) error {
	switch {
	case format > Format:
		return messages.Errorf(opOpen, messages.Unimplemented, "%s is of format %d; this betcode reads up to format %d",
			name, format, Format).WithCode(messages.StorageError).WithHint(hintNewer)
	case format < 1:
		return damagedFile(opOpen, name, fmt.Errorf("format %d does not exist", format))
	}
	return nil
}

func (m *manifest) check() error {
	if m.Lineage == "" {
		return errors.New("no lineage")
	}
	if len(m.Logs) > 0 && (m.Format < 2 || !slices.Equal(m.Logs, logNames)) {
		return fmt.Errorf("logs %q in a journal of format %d", m.Logs, m.Format)
	}
	if summed := m.Generation > 0 && m.Checksum != ""; summed != (m.Format >= copiesFormat) {
		return fmt.Errorf("generation %d and checksum %q in a manifest of format %d", m.Generation, m.Checksum, m.Format)
	}
	last := uint64(0)
	for _, name := range m.names() {
		number, err := fileNumber(name)
		if err != nil {
			return err
		}
		if number <= last {
			return fmt.Errorf("%s is out of order", name)
		}
		last = number
	}
	return nil
}

// names returns the names of all files, the active one last.
func (m *manifest) names() []string {
	names := make([]string, 0, len(m.Sealed)+1)
	for _, f := range m.Sealed {
		names = append(names, f.Name)
	}
	return append(names, m.Active)
}
