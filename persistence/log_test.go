package persistence

import (
	"bytes"
	"slices"
	"testing"
)

var testTag = tagOf("a journal")

// groupsOf makes a log of groups with consecutive numbers.
func groupsOf(first uint64, n int) (log []byte, ends []int) {
	for i := range n {
		key := pairKey(uint64(i), 7)
		rows := appendRow(nil, &cell{codeEvents, key, stamp(key, bytes.Repeat([]byte{byte(i)}, 50+100*i))})
		rows = appendRow(rows, &cell{2, rowKey(uint64(i), rowCursor), nil})
		g := logGroup{tag: testTag, number: first + uint64(i), owners: []owner{{uint64(i), ""}, {99, "an id"}}, rows: rows}
		log = appendGroup(log, g)
		ends = append(ends, len(log))
	}
	return log, ends
}

func numbersOf(groups []logGroup) (numbers []uint64) {
	for _, g := range groups {
		numbers = append(numbers, g.number)
	}
	return numbers
}

func TestGroupIsReadAsItWas(t *testing.T) {
	log, ends := groupsOf(5, 1)
	g, size, err := decodeGroup(append(log, 1, 2, 3))
	if err != nil || size != ends[0] || g.number != 5 || g.tag != testTag || !slices.Equal(g.owners, []owner{{0, ""}, {99, "an id"}}) {
		t.Errorf("%+v, %d, %v", g, size, err)
	}
	var cells []*cell
	if err := decodeRows(g.rows, func(c *cell) { cells = append(cells, c) }); err != nil || len(cells) != 2 {
		t.Fatal(cells, err)
	}
	if !bytes.HasPrefix(cells[0].value, make([]byte, 50)) || cells[1].value != nil || cells[1].bucket != 2 {
		t.Errorf("%+v, %+v", cells[0], cells[1])
	}
	empty := appendRow(nil, &cell{3, []byte{}, []byte{}})
	if err := decodeRows(empty, func(c *cell) {
		if c.value == nil {
			t.Error("an empty value came back as a deletion")
		}
	}); err != nil {
		t.Error(err)
	}
}

// What is behind the newest group of a log that was begun anew is of no
// interest; what is damaged before it is.
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
			w := walkLog(c.log, testTag, 39)
			var gaps [][2]int
			for _, g := range w.gaps {
				gaps = append(gaps, [2]int{g.from, g.to})
			}
			var mended []uint64
			for _, g := range w.mended {
				mended = append(mended, g.number)
			}
			if !slices.Equal(numbersOf(w.groups), c.groups) || !slices.Equal(numbersOf(w.broken), c.broken) || !slices.Equal(mended, c.mended) ||
				!slices.Equal(gaps, c.gaps) || (w.torn != nil) != c.torn {
				t.Errorf("groups %v, broken %v, mended %v, gaps %v, torn %v", numbersOf(w.groups), numbersOf(w.broken), mended, gaps, w.torn)
			}
		})
	}
	if w := walkLog(log, tagOf("another"), 39); w.other == nil || len(w.groups) > 0 {
		t.Error("the log of another journal was read")
	}
}

func TestFollowing(t *testing.T) {
	one, _ := groupsOf(11, 4)
	two, _ := groupsOf(15, 3)
	logs := func(done uint64, of ...[]byte) (all []walked) {
		for _, log := range of {
			all = append(all, walkLog(log, testTag, done))
		}
		return all
	}
	for _, c := range []struct {
		name string
		logs []walked
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
			groups, _, missing := following(c.logs, c.done)
			if (len(missing) > 0) != (c.want < 0) || (len(missing) == 0 && len(groups) != c.want) {
				t.Errorf("%v, %v", numbersOf(groups), missing)
			}
		})
	}
}

// Whatever a log is, reading it ends, and gives groups in order.
func FuzzWalkLog(f *testing.F) {
	log, ends := groupsOf(1, 3)
	f.Add(log, uint64(0))
	f.Add(log[:ends[1]+20], uint64(1))
	f.Add(slices.Concat(log[ends[0]:], log), uint64(2))
	f.Fuzz(func(t *testing.T, log []byte, done uint64) {
		w := walkLog(log, testTag, done)
		last := uint64(0)
		for _, g := range w.groups {
			if last > 0 && g.number != last+1 {
				t.Errorf("group %d behind %d", g.number, last)
			}
			last = g.number
			_ = decodeRows(g.rows, func(c *cell) {
				if again := appendRow(nil, c); len(again) == 0 {
					t.Error("a row of nothing")
				}
			})
		}
		if w.end > len(log) {
			t.Errorf("it ends at %d of %d", w.end, len(log))
		}
	})
}
