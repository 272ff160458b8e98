package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"betcode/persistence/internal/boltfile"
	"betcode/persistence/internal/fault"
	"betcode/persistence/internal/wal"
)

// CopiesFormat is the first format whose manifest has two copies, a generation and a
// checksum.
const CopiesFormat = 4

// Name is the file of the first copy.
const Name = "MANIFEST"

// Manifest lists the files of the journal. Files that it does not name do not
// belong to the journal. It is replaced as a whole, in two copies.
//
// A field that is added needs a new format, since an older build would drop it.
type Manifest struct {
	Format  int          `json:"format"`
	Lineage string       `json:"lineage"`
	Active  string       `json:"active"`
	Sealed  []SealedFile `json:"sealed"`
	Logs    []string     `json:"logs,omitempty"` // since format 2; a backup has none
	// Generation counts the changes of the manifest, and Checksum is of the file: since
	// format 4. See [Names].
	Generation uint64 `json:"generation,omitempty"`
	Checksum   string `json:"checksum,omitempty"`
}

// SealedFile is a file that is no longer written. In a manifest the oldest comes first.
type SealedFile struct {
	Name     string    `json:"name"`
	Bytes    int64     `json:"bytes"`
	SealedAt time.Time `json:"sealed_at"`
	// OutOfLine is the number of bytes of its payloads: since format 3.
	OutOfLine int64 `json:"out_of_line,omitempty"`
}

// decode reads one copy of a manifest. It fails with [messages.Unimplemented]
// if a newer build wrote it, and with [messages.DataLoss] if it is damaged.
func decode(name string, data []byte) (*Manifest, error) {
	// The format first: nothing else of a newer format can be read.
	var version struct {
		Format int `json:"format"`
	}
	if err := json.Unmarshal(data, &version); err != nil {
		return nil, fault.DamagedFile(fault.OpOpen, name, err)
	}
	_, at := SumOf(data)
	if at >= 0 || version.Format == CopiesFormat {
		if err := checkSum(data); err != nil {
			return nil, fault.DamagedFile(fault.OpOpen, name, err)
		}
	}
	if err := boltfile.CheckFormat(name, version.Format); err != nil {
		return nil, err
	}
	var m Manifest
	strict := json.NewDecoder(bytes.NewReader(data))
	strict.DisallowUnknownFields()
	if err := strict.Decode(&m); err != nil {
		return nil, fault.DamagedFile(fault.OpOpen, name, err)
	}
	if err := m.check(); err != nil {
		return nil, fault.DamagedFile(fault.OpOpen, name, err)
	}
	return &m, nil
}

func (m *Manifest) check() error {
	if m.Lineage == "" {
		return errors.New("no lineage")
	}
	if len(m.Logs) > 0 && (m.Format < 2 || !slices.Equal(m.Logs, wal.Names)) {
		return fmt.Errorf("logs %q in a journal of format %d", m.Logs, m.Format)
	}
	if summed := m.Generation > 0 && m.Checksum != ""; summed != (m.Format >= CopiesFormat) {
		return fmt.Errorf("generation %d and checksum %q in a manifest of format %d", m.Generation, m.Checksum, m.Format)
	}
	last := uint64(0)
	for _, name := range m.Names() {
		number, err := boltfile.Number(name)
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

// Names returns the names of all files, the active one last.
func (m *Manifest) Names() []string {
	names := make([]string, 0, len(m.Sealed)+1)
	for _, f := range m.Sealed {
		names = append(names, f.Name)
	}
	return append(names, m.Active)
}
