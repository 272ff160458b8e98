// Package secret reads tokens from files, and refuses files that other users may read.
package secret

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
)

// maxBytes is far more than a token has.
const maxBytes = 4096

// Read returns the token in a file. It refuses a file that others may read, because they may know the token.
func Read(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return "", err
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return "", fmt.Errorf("%s may be read by others; run 'chmod 600' on it, and replace the token", path)
	}
	text, err := io.ReadAll(io.LimitReader(file, maxBytes))
	if err != nil {
		return "", err
	}
	token := strings.TrimSpace(string(text))
	return token, Check(token)
}

// Check refuses text that cannot be a token. The error does not show the text.
func Check(token string) error {
	if token == "" || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return errors.New("the token is empty, or contains characters that no token has")
	}
	return nil
}
