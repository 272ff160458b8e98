package table

import (
	"encoding/binary"
	"errors"
)

// blockBytes bounds a block of more than one word. bbolt puts at least two values into a node: two such blocks fill two pages.
const blockBytes = 4000

// errBlock reports bytes that are no block.
var errBlock = errors.New("block of words is damaged")

// Writer makes blocks of rising words. Emit gets each block with its last word: a word can only be in the first block
// whose last word is not less.
type Writer struct {
	Emit func(last, block []byte) error

	last, block []byte
	words       int
}

// Add adds a word with its value.
func (w *Writer) Add(word string, value []byte) error {
	if w.words > 0 && len(w.block)+len(word)+len(value) > blockBytes {
		if err := w.Close(); err != nil {
			return err
		}
	}
	shared := 0
	for shared < len(w.last) && shared < len(word) && w.last[shared] == word[shared] {
		shared++
	}
	w.block = binary.AppendUvarint(w.block, uint64(shared))
	w.block = binary.AppendUvarint(w.block, uint64(len(word)-shared))
	w.block = append(w.block, word[shared:]...)
	w.block = binary.AppendUvarint(w.block, uint64(len(value)))
	w.block = append(w.block, value...)
	w.last = append(w.last[:0], word...)
	w.words++
	return nil
}

// Close emits the last block.
func (w *Writer) Close() error {
	if w.words == 0 {
		return nil
	}
	err := w.Emit(w.last, w.block)
	w.last, w.block, w.words = w.last[:0], nil, 0
	return err
}

// Reader reads the words of a block in their order.
type Reader struct {
	Block []byte // the rest of it

	word []byte
}

// Next returns the next word and its value; no word at the end. The word is valid until the next call, the value is part of the block.
func (r *Reader) Next() (word, value []byte, err error) {
	if len(r.Block) == 0 {
		return nil, nil, nil
	}
	shared, rest, ok := take(r.Block)
	suffix, rest, ok2 := chunk(rest)
	value, rest, ok3 := chunk(rest)
	if !ok || !ok2 || !ok3 || shared > uint64(len(r.word)) || shared == 0 && len(suffix) == 0 {
		return nil, nil, errBlock
	}
	r.word, r.Block = append(r.word[:shared], suffix...), rest
	return r.word, value, nil
}

// take parses a number at the front of bytes.
func take(from []byte) (n uint64, rest []byte, ok bool) {
	n, size := binary.Uvarint(from)
	if size <= 0 {
		return 0, nil, false
	}
	return n, from[size:], true
}

// chunk parses bytes with their length in front.
func chunk(from []byte) (taken, rest []byte, ok bool) {
	n, rest, ok := take(from)
	if !ok || n > uint64(len(rest)) {
		return nil, nil, false
	}
	return rest[:n], rest[n:], true
}
