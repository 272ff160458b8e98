package planlog

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"betcode/messages"
	"betcode/persistence/internal/disk"
)

// suffix ends the name of a journal.
const suffix = ".log"

// Path returns the path of an orchestration's journal.
func Path(directory string, id messages.OrchestrationID) string {
	return filepath.Join(directory, string(id)+suffix)
}

// IDOf returns the orchestration of a journal, by the name of its file; false if the file is no journal.
func IDOf(name string) (messages.OrchestrationID, bool) {
	id, is := strings.CutSuffix(name, suffix)
	return messages.OrchestrationID(id), is
}

// Create writes a journal with its header. Without an error it is durable.
func Create(path string, header any) error {
	text, err := appendLine(nil, header)
	if err != nil {
		return err
	}
	return replace(path, text)
}

func replace(path string, text []byte) error {
	renamed, err := disk.Replace(filepath.Dir(path), filepath.Base(path), text, nil)
	if err != nil && !renamed {
		err = errors.Join(err, os.RemoveAll(path+disk.Unfinished))
	}
	return err
}

// Append writes events behind an offset and returns the next offset. Without an error they are durable; after an error, nothing
// behind the offset counts.
func Append(path string, offset int64, events []messages.OrchestrationEvent) (int64, error) {
	var text []byte
	var err error
	for _, e := range events {
		if text, err = appendLine(text, e); err != nil {
			return offset, err
		}
	}
	file, err := os.OpenFile(path, os.O_WRONLY, 0o600)
	if err != nil {
		return offset, err
	}
	err = file.Truncate(offset) // removes a line of an earlier daemon or of a failed write
	if err == nil {
		_, err = file.WriteAt(text, offset)
	}
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return offset, fmt.Errorf("write journal of orchestration: %w", err)
	}
	return offset + int64(len(text)), nil
}
