package upload

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"betcode/gateway/portal/wire"
)

func start(count uint32, size uint64) wire.FileUploadStart {
	return wire.FileUploadStart{UploadID: "u", Filename: "a.txt", TotalChunks: count, TotalSize: size}
}

func piece(index uint32, data string) wire.FileUploadChunk {
	return wire.FileUploadChunk{UploadID: "u", Index: index, Data: []byte(data)}
}

// For any order and repetition of pieces, the file is what was sent.
func TestAnyOrder(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		var whole []byte
		var pieces []wire.FileUploadChunk
		for i := range 1 + r.UintN(20) {
			data := bytes.Repeat([]byte{byte(i)}, 1+r.IntN(4))
			whole = append(whole, data...)
			pieces = append(pieces, wire.FileUploadChunk{UploadID: "u", Index: uint32(i), Data: data})
		}
		f, err := Start(start(uint32(len(pieces)), uint64(len(whole))), 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		missing := map[uint32]bool{}
		for _, p := range pieces {
			missing[p.Index] = true
		}
		for len(missing) > 0 {
			p := pieces[r.IntN(len(pieces))]
			delete(missing, p.Index)
			content, complete, err := f.Add(p)
			if err != nil || complete != (len(missing) == 0) || complete && !bytes.Equal(content, whole) {
				t.Fatalf("seed %d: %v %v, want %v", seed, content, err, whole)
			}
		}
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	for name, m := range map[string]wire.FileUploadStart{
		"too large": start(1, 11), "no pieces": start(0, 1), "too many pieces": start(maxPieces+1, 10),
		"more pieces than bytes": start(3, 2), "pieces of nothing": start(2, 0),
		"a long id": {UploadID: strings.Repeat("u", maxIDBytes+1), TotalChunks: 1}, "a long type": {ContentType: strings.Repeat("u", maxTypeName+1), TotalChunks: 1},
	} {
		if _, err := Start(m, 10); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
	for name, pieces := range map[string][]wire.FileUploadChunk{
		"beyond the last": {piece(2, "a")}, "more than announced": {piece(0, "abcd")}, "less than announced": {piece(0, "a"), piece(1, "")},
	} {
		f, err := Start(start(2, 3), 10)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range pieces {
			_, _, err = f.Add(p)
		}
		if err == nil {
			t.Errorf("%s: there is no error", name)
		}
	}
	f, err := Start(start(1, 1), 10)
	if err != nil {
		t.Fatal(err)
	}
	if _, complete, err := f.Add(wire.FileUploadChunk{UploadID: "another", Data: []byte("abc")}); complete || err != nil {
		t.Errorf("a piece of another file has an effect: %v", err)
	}
}

func TestName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"photo.png": "photo.png", "../../etc/passwd": "passwd", `..\x\y.txt`: "y.txt", "": "file", "..": "file", "...": "file", ".bashrc": "bashrc", "/": "file",
		"a b\x00\x1b[2J": "a_b___2J", "é€.txt": "é_.txt", "a\u202egnp.exe": "a_gnp.exe", "-rf": "rf", ".-.x": "x",
		"\u3164": "_", "a\u115f\uffa0b": "a__b", "/dev/stdin": "stdin", "\xff": "_", strings.Repeat("é", 200) + ".png": strings.Repeat("é", 48) + ".png",
	} {
		if got := Name(name); got != want {
			t.Errorf("%q becomes %q, want %q", name, got, want)
		}
	}
}

// FuzzName checks that a name is one path element, visible and short.
func FuzzName(f *testing.F) {
	for _, name := range []string{"", ".", "..", "../../etc/passwd", `C:\x.txt`, ".bashrc", "a\x00b", "\u202egnp.exe", strings.Repeat("ä", 200)} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		got := Name(name)
		if got == "" || got[0] == '.' || got[0] == '-' || len(got) > maxName || !utf8.ValidString(got) || strings.ContainsAny(got, "/\\\x00\u202e\u3164 \n") || Name(got) != got {
			t.Errorf("%q becomes %q", name, got)
		}
	})
}
