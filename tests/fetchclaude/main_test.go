package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

func TestFetchPrintsThePath(t *testing.T) {
	if testing.Short() {
		t.Skip("needs npm when the cache is cold")
	}
	var stdout bytes.Buffer
	if code := run(&stdout, t.Output(), nil); code != 0 {
		t.Fatalf("exit code %d", code)
	}
	if info, err := os.Stat(strings.TrimSpace(stdout.String())); err != nil || info.Mode()&0o111 == 0 {
		t.Errorf("%q is not an executable: %v", stdout.String(), err)
	}
}
