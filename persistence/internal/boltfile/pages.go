package boltfile

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// pageCheck checks the structure of a bbolt file page by page: each page in use is used
// once, keys are in order and in their place, and pages that are not used are free.
// bbolt's own check does the same, but it follows the mapped file in a goroutine of its
// own, where a damaged length kills the process and a circle of pages is followed
// until memory is exhausted.
type pageCheck struct {
	file    []byte
	last    uint64 // the first page beyond the file
	seen    []bool // by page
	problem func(format string, args ...any)
	circles bool // a page is its own ancestor, or has two parents: do not walk
}

// The layout of a page: header, then elements of 16 bytes, then keys and values.
// Numbers are those of the machine, which are little-endian wherever betcode
// runs.
const (
	pageHeader   = 16
	pageElement  = 16
	branchPage   = 0x01
	leafPage     = 0x02
	freelistPage = 0x10
	bucketLeaf   = 0x01

	metaRoot, metaFreelist, metaLast, metaTransaction = 32, 48, 56, 64
)

// check reads everything that is visible to a transaction. Nothing may write to the file
// meanwhile.
func (c *pageCheck) check(transaction uint64) {
	var meta []byte
	for id := range 2 {
		meta = c.file[id*PageSize : (id+1)*PageSize]
		if binary.LittleEndian.Uint64(meta[metaTransaction:]) == transaction {
			break
		}
	}
	number := func(at int) uint64 { return binary.LittleEndian.Uint64(meta[at:]) }
	c.last = min(number(metaLast), uint64(len(c.file)/PageSize))
	c.seen = make([]bool, c.last)
	c.seen[0], c.seen[1] = true, true
	free := c.freelist(number(metaFreelist))
	c.tree(number(metaRoot), nil, nil)
	for id := range c.last {
		switch {
		case c.seen[id] && free[id]:
			c.problem("page %d: reachable freed", id)
		case !c.seen[id] && !free[id]:
			c.problem("page %d: unreachable unfreed", id)
		}
	}
}

// page reads a page with its overflow, and records that it is used. It returns nil for a
// page of the wrong kind.
func (c *pageCheck) page(id uint64) []byte {
	if id < 2 || id >= c.last {
		c.problem("page %d: out of bounds: %d", id, c.last)
		return nil
	}
	data := c.file[id*PageSize:]
	overflow := uint64(binary.LittleEndian.Uint32(data[12:]))
	switch self := binary.LittleEndian.Uint64(data); {
	case self != id:
		c.problem("page %d: it says that it is page %d", id, self)
		return nil
	case id+overflow >= c.last:
		c.problem("page %d: it is %d pages long; the file has %d", id, overflow+1, c.last)
		return nil
	}
	for i := id; i <= id+overflow; i++ {
		if c.seen[i] {
			c.circles = true
			c.problem("page %d: multiple references", i)
			return nil
		}
		c.seen[i] = true
	}
	return data[:(overflow+1)*PageSize]
}

func (c *pageCheck) freelist(id uint64) []bool {
	free := make([]bool, c.last)
	data := c.page(id)
	if data == nil {
		return free
	}
	if kind := binary.LittleEndian.Uint16(data[8:]); kind != freelistPage {
		c.problem("page %d: it is no list of free pages", id)
		return free
	}
	count, data := uint64(binary.LittleEndian.Uint16(data[10:])), data[pageHeader:]
	if count == 0xffff {
		count, data = binary.LittleEndian.Uint64(data), data[8:]
	}
	if count > uint64(len(data))/8 {
		c.problem("page %d: %d free pages do not fit it", id, count)
		return free
	}
	for i := range count {
		one := binary.LittleEndian.Uint64(data[8*i:])
		switch {
		case one >= c.last:
			c.problem("page %d: out of bounds: %d, and free", one, c.last)
			continue
		case free[one]:
			c.problem("page %d: already freed", one)
		}
		free[one] = true
	}
	return free
}

// tree checks a page and all below it. Its keys must be at least least, and less than
// most.
func (c *pageCheck) tree(id uint64, least, most []byte) {
	data := c.page(id)
	if data == nil {
		return
	}
	kind := binary.LittleEndian.Uint16(data[8:])
	if kind != branchPage && kind != leafPage {
		c.problem("page %d: it is neither branch nor leaf", id)
		return
	}
	elements, err := elementsOf(data, kind == leafPage)
	if err != nil {
		c.problem("page %d: %w", id, err)
		return
	}
	for i, e := range elements {
		switch {
		case i > 0 && bytes.Compare(elements[i-1].key, e.key) >= 0:
			c.problem("page %d: key %d is not behind the one before it", id, i)
		case least != nil && bytes.Compare(e.key, least) < 0, most != nil && bytes.Compare(e.key, most) >= 0:
			c.problem("page %d: key %d belongs elsewhere", id, i)
		}
		switch {
		case kind == branchPage:
			until := most
			if i+1 < len(elements) {
				until = elements[i+1].key
			}
			c.tree(e.child, e.key, until)
		case e.child > 0:
			c.tree(e.child, nil, nil)
		}
	}
}

type pageElementOf struct {
	key   []byte
	child uint64 // a page of a branch, or the root of a bucket that is not inline
}

// elementsOf decodes the elements of a page, within its bounds.
func elementsOf(data []byte, leaf bool) ([]pageElementOf, error) {
	count := int(binary.LittleEndian.Uint16(data[10:]))
	if pageHeader+count*pageElement > len(data) {
		return nil, fmt.Errorf("%d elements do not fit it", count)
	}
	elements := make([]pageElementOf, count)
	for i := range elements {
		at := pageHeader + i*pageElement
		word := func(n int) uint64 { return uint64(binary.LittleEndian.Uint32(data[at+4*n:])) }
		position, key, value := word(0), word(1), uint64(0)
		if leaf {
			position, key, value = word(1), word(2), word(3)
		}
		from := uint64(at) + position
		if from+key+value > uint64(len(data)) || position < pageElement {
			return nil, fmt.Errorf("element %d is outside of it", i)
		}
		elements[i].key = data[from : from+key]
		if !leaf {
			elements[i].child = binary.LittleEndian.Uint64(data[at+8:])
			continue
		}
		if word(0)&bucketLeaf == 0 {
			continue
		}
		if value < pageHeader {
			return nil, fmt.Errorf("bucket %d is too short", i)
		}
		content := data[from+key : from+key+value]
		elements[i].child = binary.LittleEndian.Uint64(content)
		if elements[i].child > 0 {
			continue
		}
		if content = content[pageHeader:]; len(content) < pageHeader {
			return nil, fmt.Errorf("inline bucket %d is too short", i)
		}
		if _, err := elementsOf(content, true); err != nil {
			return nil, fmt.Errorf("inline bucket %d: %w", i, err)
		}
	}
	return elements, nil
}
