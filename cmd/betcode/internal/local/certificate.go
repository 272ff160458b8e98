package local

import (
	"crypto/tls"
	"fmt"
	"os"
	"runtime"

	"betcode/messages"
)

// Certificate reads a certificate and its key. A key that other users may read is refused.
func Certificate(certificate, key string) (tls.Certificate, error) {
	info, err := os.Stat(key)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("read key: %w", err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return tls.Certificate{}, messages.Errorf("read key", messages.WrongState, "%s is open to others (%v)", key, info.Mode()).
			WithHint("run 'chmod 600' on it, and create a new key if another user may have read this one")
	}
	return tls.LoadX509KeyPair(certificate, key)
}
