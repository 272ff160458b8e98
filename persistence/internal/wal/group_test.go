package wal

import (
	"bytes"
	"slices"
	"testing"

	"betcode/persistence/internal/record"
)

var testTag = TagOf("a journal")

// groupsOf makes a log of groups with consecutive numbers.
func groupsOf(first uint64, n int) (log []byte, ends []int) {
	for i := range n {
		key := record.PairKey(uint64(i), 7)
		rows := record.AppendRow(nil, &record.Row{Bucket: record.CodeEvents, Key: key, Value: record.Stamp(key, bytes.Repeat([]byte{byte(i)}, 50+100*i))})
		rows = record.AppendRow(rows, &record.Row{Bucket: 2, Key: record.RowKey(uint64(i), record.RowCursor)})
		g := Group{Tag: testTag, Number: first + uint64(i), Owners: []Owner{{uint64(i), ""}, {99, "an id"}}, Rows: rows}
		log = appendGroup(log, g)
		ends = append(ends, len(log))
	}
	return log, ends
}

func numbersOf(groups []Group) (numbers []uint64) {
	for _, g := range groups {
		numbers = append(numbers, g.Number)
	}
	return numbers
}

func TestGroupIsReadAsItWas(t *testing.T) {
	log, ends := groupsOf(5, 1)
	g, size, err := decodeGroup(append(log, 1, 2, 3))
	if err != nil || size != ends[0] || g.Number != 5 || g.Tag != testTag || !slices.Equal(g.Owners, []Owner{{0, ""}, {99, "an id"}}) {
		t.Errorf("%+v, %d, %v", g, size, err)
	}
	var cells []*record.Row
	if err := record.DecodeRows(g.Rows, func(c *record.Row) { cells = append(cells, c) }); err != nil || len(cells) != 2 {
		t.Fatal(cells, err)
	}
	if !bytes.HasPrefix(cells[0].Value, make([]byte, 50)) || cells[1].Value != nil || cells[1].Bucket != 2 {
		t.Errorf("%+v, %+v", cells[0], cells[1])
	}
	empty := record.AppendRow(nil, &record.Row{Bucket: 3, Key: []byte{}, Value: []byte{}})
	if err := record.DecodeRows(empty, func(c *record.Row) {
		if c.Value == nil {
			t.Error("an empty value came back as a deletion")
		}
	}); err != nil {
		t.Error(err)
	}
}

// Bytes behind the newest group of a log that was begun anew do not matter; damage before
// it does.
func TestWalkLog(t *testing.T) {
	older, _ := groupsOf(10, 30)
	fresh, ends := groupsOf(40, 5)
	log := slices.Concat(fresh, older[len(fresh):])
	spoiled := func(at ...int) []byte {
		l := bytes.Clone(log)
		for _, i := range at {
			l[i] ^= 0x20
		}
		return l
	}
	smudged := func(from, to int) []byte {
		l := bytes.Clone(log)
		for i := from; i < to; i++ {
			l[i] ^= 0x5a
		}
		return l
	}
	all := []uint64{40, 41, 42, 43, 44}
	for _, c := range []struct {
		name                   string
		log                    []byte
		groups, broken, mended []uint64
		gaps                   [][2]int
		torn                   bool
	}{
		{"sound", log, all, nil, nil, nil, false},
		{"empty", nil, nil, nil, nil, nil, false},
		{"only zeros", make([]byte, 5000), nil, nil, nil, nil, false},
		{"bit of the newest rows", spoiled(ends[4] - 3), all, nil, []uint64{44}, nil, false},
		{"bit of the newest head", spoiled(ends[3] + 9), all, nil, []uint64{44}, nil, false},
		{"bit of a magic", spoiled(ends[2]), all, nil, []uint64{43}, nil, false},
		{"bit of the first length", spoiled(24), all, nil, []uint64{40}, nil, false},
		{"bits of three groups", spoiled(ends[0]-3, ends[1]+17, ends[2]+32), all, nil, []uint64{40, 42, 43}, nil, false},
		{"torn at its end", smudged(ends[4]-30, ends[4]), []uint64{40, 41, 42, 43}, nil, nil, nil, true},
		{"torn at its head", smudged(ends[3], ends[3]+50), []uint64{40, 41, 42, 43}, nil, nil, nil, false},
		{"cut", log[:ends[4]-1], []uint64{40, 41, 42, 43}, nil, nil, nil, true},
		{"rows damaged", smudged(ends[2]-30, ends[2]), all, []uint64{42}, nil, nil, false},
		{
			"rows of two damaged", slices.Concat(smudged(ends[1]-30, ends[1])[:ends[1]], smudged(ends[2]-30, ends[2])[ends[1]:]),
			all,
			[]uint64{41, 42},
			nil, nil, false,
		},
		{"head damaged", smudged(ends[1], ends[1]+60), []uint64{40, 41, 43, 44}, nil, nil, [][2]int{{ends[1], ends[2]}}, false},
		{"first head damaged", smudged(0, 60), []uint64{41, 42, 43, 44}, nil, nil, [][2]int{{0, ends[0]}}, false},
		{"two damaged", smudged(ends[1]+4, ends[2]+60), []uint64{40, 41, 44}, nil, nil, [][2]int{{ends[1], ends[3]}}, false},
		{"two apart", smudged(ends[0]+4, ends[0]+60)[:ends[4]], []uint64{40, 42, 43, 44}, nil, nil, [][2]int{{ends[0], ends[1]}}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := Walk(c.log, testTag, 39, record.SoundRows)
			var gaps [][2]int
			for _, g := range w.Gaps {
				gaps = append(gaps, [2]int{g.From, g.to})
			}
			var mended []uint64
			for _, g := range w.Mended {
				mended = append(mended, g.Number)
			}
			if !slices.Equal(numbersOf(w.Groups), c.groups) || !slices.Equal(numbersOf(w.Broken), c.broken) || !slices.Equal(mended, c.mended) ||
				!slices.Equal(gaps, c.gaps) || (w.Torn != nil) != c.torn {
				t.Errorf("groups %v, broken %v, mended %v, gaps %v, torn %v", numbersOf(w.Groups), numbersOf(w.Broken), mended, gaps, w.Torn)
			}
		})
	}
	if w := Walk(log, TagOf("another"), 39, record.SoundRows); w.Other == nil || len(w.Groups) > 0 {
		t.Error("the log of another journal was read")
	}
}

func TestFollowing(t *testing.T) {
	one, _ := groupsOf(11, 4)
	two, _ := groupsOf(15, 3)
	logs := func(done uint64, of ...[]byte) (all []Walked) {
		for _, log := range of {
			all = append(all, Walk(log, testTag, done, record.SoundRows))
		}
		return all
	}
	for _, c := range []struct {
		name string
		logs []Walked
		done uint64
		want int // -1 = an error
	}{
		{"both", logs(10, one, two), 10, 7},
		{"the other way round", logs(10, two, one), 10, 7},
		{"one is moved", logs(14, one, two), 14, 3},
		{"all are moved", logs(17, one, two), 17, 0},
		{"a part is moved", logs(12, one, two), 12, 5},
		{"the older is gone", logs(10, two), 10, -1},
		{"the older ends too early", logs(10, one[:len(one)-1], two), 10, -1},
		{"nothing", logs(10, nil, nil), 10, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			groups, _, missing := Following(c.logs, c.done)
			if (len(missing) > 0) != (c.want < 0) || (len(missing) == 0 && len(groups) != c.want) {
				t.Errorf("%v, %v", numbersOf(groups), missing)
			}
		})
	}
}

// Reading any log ends, and returns groups in order.
func FuzzWalkLog(f *testing.F) {
	log, ends := groupsOf(1, 3)
	f.Add(log, uint64(0))
	f.Add(log[:ends[1]+20], uint64(1))
	f.Add(slices.Concat(log[ends[0]:], log), uint64(2))
	f.Fuzz(func(t *testing.T, log []byte, done uint64) {
		w := Walk(log, testTag, done, record.SoundRows)
		last := uint64(0)
		for _, g := range w.Groups {
			if last > 0 && g.Number != last+1 {
				t.Errorf("group %d behind %d", g.Number, last)
			}
			last = g.Number
			_ = record.DecodeRows(g.Rows, func(c *record.Row) {
				if again := record.AppendRow(nil, c); len(again) == 0 {
					t.Error("a row of nothing")
				}
			})
		}
		if w.End > len(log) {
			t.Errorf("it ends at %d of %d", w.End, len(log))
		}
	})
}
