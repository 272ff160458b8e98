package disk

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"betcode/messages"
)

func TestLook(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no statfs")
	}
	space, err := Look(t.TempDir())
	if err != nil || space.Total <= 0 || space.Free < 0 || space.Free > space.Total {
		t.Errorf("%+v, %v", space, err)
	}
	if _, err := Look(filepath.Join(t.TempDir(), "missing")); messages.KindOf(err) != messages.Unavailable {
		t.Errorf("a directory that is not there: %v", err)
	}
}

func TestReserve(t *testing.T) {
	path := filepath.Join(t.TempDir(), "below", "reserve")
	r := Reserve(path)
	if err := r.Release(); err != nil {
		t.Errorf("nothing to release: %v", err)
	}
	for _, size := range []int64{1 << 20, 1 << 20, 300_001} { // new, there already, of another size
		if err := r.Keep(size); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(path); err != nil || info.Size() != size {
			t.Errorf("%v, %v", info, err)
		}
	}
	if err := r.Release(); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) != 0 {
		t.Errorf("left over: %v, %v", left, err)
	}
	if err := Reserve("").Keep(1); err != nil {
		t.Error(err)
	}
}

// A reserve that cannot be made leaves no file.
func TestReserveThatCannotBe(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "reserve"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "reserve", "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Reserve(filepath.Join(dir, "reserve")).Keep(10); messages.KindOf(err) != messages.Unavailable {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "reserve.new")); err == nil {
		t.Error("half a reserve is left")
	}
}
