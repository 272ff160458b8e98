package regular

import (
	"fmt"
	"io"
	"os"
)

// Open opens a regular file for reading. It returns an error for anything else.
func Open(path string) (*os.File, error) {
	info, err := os.Stat(path) // checked first: opening a device may have side effects
	if err == nil {
		err = check(path, info)
	}
	if err != nil {
		return nil, err
	}
	file, err := os.OpenFile(path, os.O_RDONLY|NoWait, 0)
	if err != nil {
		return nil, err
	}
	if info, err = file.Stat(); err == nil {
		err = check(path, info) // the file may have been replaced since
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

// Read returns the content of a regular file. It returns an error for more than most bytes.
func Read(path string, most int64) ([]byte, error) {
	file, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil {
		return nil, err
	} else if info.Size() > most {
		return nil, tooLarge(path, most)
	}
	content, err := io.ReadAll(io.LimitReader(file, most+1)) // the file may grow, and files in /proc have size 0
	if err != nil {
		return nil, err
	}
	if int64(len(content)) > most {
		return nil, tooLarge(path, most)
	}
	return content, nil
}

// Append opens a regular file for reading and appending, or creates it with mode 0600. It returns an error for a link.
func Append(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_RDWR|NoWait|NoLink, 0o600)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil {
		err = check(path, info)
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

func tooLarge(path string, most int64) error {
	return fmt.Errorf("%s has more than %d bytes", path, most)
}

func check(path string, info os.FileInfo) error {
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a regular file", path)
	}
	return nil
}
