package search

import (
	"os"
	"testing"
)

var tempDir string // for properties, which have no directory of their own

func TestMain(m *testing.M) {
	var err error
	if tempDir, err = os.MkdirTemp("", "search"); err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(tempDir)
	os.Exit(code)
}
