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
		rows := appendRow(nil, &cell{codeEvents, pairKey(uint64(i), 7), bytes.Repeat([]byte{byte(i)}, 50+100*i)})
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
	if !bytes.Equal(cells[0].value, make([]byte, 50)) || cells[1].value != nil || cells[1].bucket != 2 {
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
	for _, c := range []struct {
		name           string
		log            []byte
		groups, broken []uint64
		beyond         uint64
	}{
		{"sound", log, []uint64{40, 41, 42, 43, 44}, nil, 0},
		{"empty", nil, nil, nil, 0},
		{"only zeros", make([]byte, 5000), nil, nil, 0},
		{"torn at its end", spoiled(ends[4] - 3), []uint64{40, 41, 42, 43}, nil, 0},
		{"torn at its head", spoiled(ends[3] + 9), []uint64{40, 41, 42, 43}, nil, 0},
		{"cut", log[:ends[4]-1], []uint64{40, 41, 42, 43}, nil, 0},
		{"rows damaged", spoiled(ends[2] - 3), []uint64{40, 41, 42, 43, 44}, []uint64{42}, 0},
		{"rows of two damaged", spoiled(ends[1]-3, ends[2]-3), []uint64{40}, nil, 44},
		{"head damaged", spoiled(ends[1] + 17), []uint64{40, 41}, nil, 44},
		{"first magic damaged", spoiled(0), nil, nil, 44},
		{"first of two damaged", spoiled(ends[0] - 1), []uint64{40, 41, 42, 43, 44}, []uint64{40}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := walkLog(c.log, testTag, 39)
			if !slices.Equal(numbersOf(w.groups), c.groups) || !slices.Equal(numbersOf(w.broken), c.broken) || w.beyond != c.beyond {
				t.Errorf("groups %v, broken %v, beyond %d", numbersOf(w.groups), numbersOf(w.broken), w.beyond)
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
			groups, _, err := following(c.logs, c.done)
			if (err != nil) != (c.want < 0) || (err == nil && len(groups) != c.want) {
				t.Errorf("%v, %v", numbersOf(groups), err)
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
