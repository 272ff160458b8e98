package table

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// All words come back in order, and each block ends with the word that names it.
func TestBlocksKeepTheWords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfDistinct(rapid.StringMatching(`[ab]{1,9}`), rapid.ID[string]).Draw(t, "words")
		slices.Sort(words)
		var got []string
		w := Writer{Emit: func(last, block []byte) error {
			var newest string
			r := Reader{Block: block}
			for {
				word, value, err := r.Next()
				if err != nil {
					return err
				}
				if word == nil {
					break
				}
				newest = string(word)
				if string(value) != "<"+string(word)+">" {
					t.Fatalf("%q has value %q", word, value)
				}
				got = append(got, string(word))
			}
			if newest != string(last) {
				t.Fatalf("block %q ends with %q", last, newest)
			}
			return nil
		}}
		for _, word := range words {
			if err := w.Add(word, fmt.Appendf(nil, "<%s>", word)); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(words, got) {
			t.Fatalf("%q, want %q", got, words)
		}
	})
}

func FuzzReader(f *testing.F) {
	w := Writer{Emit: func(_, block []byte) error { f.Add(block); return nil }}
	_ = w.Add("read", []byte("1"))
	_ = w.Add("readfile", nil)
	_ = w.Close()
	f.Fuzz(func(t *testing.T, block []byte) {
		r, size := Reader{Block: block}, 0
		for word, value, err := r.Next(); word != nil && err == nil; word, value, err = r.Next() {
			if size += len(value); size > len(block) {
				t.Fatal("values are larger than their block")
			}
		}
	})
}
