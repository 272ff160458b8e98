package lookback

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

var noon = time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)

// A look is stored for the next digest. One that is damaged, or in the future, counts as none.
func TestLast(t *testing.T) {
	state := t.TempDir()
	if at, known := Last(state, noon); known || !at.Equal(noon.Add(-DefaultPeriod)) {
		t.Errorf("the first look is %v", at)
	}
	if err := Note(state, noon); err != nil {
		t.Fatal(err)
	}
	if at, known := Last(state, noon.Add(time.Hour)); !known || !at.Equal(noon) {
		t.Errorf("the last look is %v", at)
	}
	if at, known := Last(state, noon.Add(-time.Hour)); known || !at.Equal(noon.Add(-time.Hour-DefaultPeriod)) {
		t.Errorf("a look in the future is %v", at)
	}
	if err := os.WriteFile(filepath.Join(state, lookFile), []byte("\x00"), 0o600); err != nil {
		t.Fatal(err)
	}
	if at, known := Last(state, noon); known || !at.Equal(noon.Add(-DefaultPeriod)) {
		t.Errorf("a damaged look is %v", at)
	}
	if err := Note("", noon); err != nil {
		t.Errorf("a daemon elsewhere: %v", err)
	}
}
