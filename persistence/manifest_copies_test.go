package persistence

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"betcode/persistence/internal/manifest"
)

// TestManifestCopies damages one copy of the manifest in each way: the journal opens
// complete, has a finding, and both copies are equal again.
func TestManifestCopies(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(data []byte) []byte // nil = the copy is removed
		says  string                   // empty = no finding: a crash leaves it
	}{
		{"emptied", func([]byte) []byte { return []byte{} }, "end of JSON"},
		{"cut", func(data []byte) []byte { return data[:len(data)/2] }, "JSON"},
		{"zeroed", func(data []byte) []byte { return make([]byte, len(data)) }, "invalid character"},
		{"other digits", func(data []byte) []byte { return bytes.Replace(data, []byte("000002"), []byte("000001"), 1) }, "checksum"},
		{"newer format in digits", func(data []byte) []byte {
			return bytes.Replace(data, []byte(`"format": 4`), []byte(`"format": 5`), 1)
		}, "checksum"},
		{"removed", nil, "missing"},
	} {
		for which, name := range manifest.Names {
			t.Run(c.name+" "+name, func(t *testing.T) {
				f := newFixture(t)
				f.commit(full(sid(1), 0))
				f.seal()
				f.commit(more(sid(1), 3, 2))
				want := f.picture()
				f.close()
				whole, err := os.ReadFile(f.path(name))
				if err != nil {
					t.Fatal(err)
				}
				if c.spoil == nil {
					err = os.Remove(f.path(name))
				} else {
					err = os.WriteFile(f.path(name), c.spoil(bytes.Clone(whole)), 0o600)
				}
				if err != nil {
					t.Fatal(err)
				}
				f.open()
				same(t, "journal", f.picture(), want)
				found := f.store.Findings()
				if len(found) != 1 || found[0].File != name || !strings.Contains(found[0].Problem, c.says) || strings.Contains(found[0].Problem, name) {
					t.Errorf("findings: %v", found)
				}
				if now, err := os.ReadFile(f.path(name)); err != nil || !bytes.Equal(now, whole) {
					t.Errorf("copy %d is not written again: %v\n%s", which, err, now)
				}
				f.reopen()
				if found := f.store.Findings(); len(found) != 0 {
					t.Errorf("found again: %v", found)
				}
			})
		}
	}
}

// TestManifestFlips flips each bit of each copy: nothing is lost by it.
func TestManifestFlips(t *testing.T) {
	f := newFixture(t)
	f.commit(full(sid(1), 0))
	f.seal()
	f.commit(more(sid(1), 3, 2))
	f.close()
	want, _, err := manifest.Read(f.options.Directory)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range manifest.Names {
		whole, err := os.ReadFile(f.path(name))
		if err != nil {
			t.Fatal(err)
		}
		for bit := range 8 * len(whole) {
			data := bytes.Clone(whole)
			data[bit/8] ^= 1 << (bit % 8)
			if err := os.WriteFile(f.path(name), data, 0o600); err != nil {
				t.Fatal(err)
			}
			got, worse, err := manifest.Read(f.options.Directory)
			if err != nil || len(worse) != 1 || worse[0].Name != name || worse[0].Crashed(got) {
				t.Fatalf("%s, bit %d: %+v, %v", name, bit, worse, err)
			}
			same(t, name, *got, *want)
		}
		if err := os.WriteFile(f.path(name), whole, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	f.open()
}

// TestManifestOfACrash: a copy that a crash left behind is no damage, and a copy that
// is older by more is.
func TestManifestOfACrash(t *testing.T) {
	f := newFixture(t)
	f.commit(full(sid(1), 0))
	second := f.path(manifest.Names[1])
	for behind, findings := range map[int]int{1: 0, 2: 1} {
		old, err := os.ReadFile(second)
		if err != nil {
			t.Fatal(err)
		}
		for range behind {
			f.seal()
		}
		want := f.picture()
		f.close()
		if err := os.WriteFile(second, old, 0o600); err != nil {
			t.Fatal(err)
		}
		f.open()
		same(t, "journal", f.picture(), want)
		if found := f.store.Findings(); len(found) != findings {
			t.Errorf("%d behind: %v", behind, found)
		}
	}
}
