package process

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"betcode/actors/internal/launch"
)

func TestSharedBelowAgent(t *testing.T) {
	const person, child, gone, agent = 1, 2, 3, 4
	below := func(pid int) (bool, error) {
		if pid == gone {
			return false, errors.New("it is not to be seen")
		}
		return pid == agent, nil
	}
	forks := [][]int{{person}, {person, 10}, {person, 11}, {person, 12}, {person, 13}, {person, 14}, {person, 15}}
	for name, c := range map[string]struct {
		looks  [][]int // the last one lasts
		below  bool
		failed bool
		waits  int
	}{
		"one process":                          {looks: [][]int{{person}}},
		"nobody":                               {looks: [][]int{{}}, failed: true},
		"a child that executes a program":      {looks: [][]int{{person, child}, {person}}},
		"a child that appears":                 {looks: [][]int{{person}, {person, child}, {person}}, waits: 1},
		"a child that ends":                    {looks: [][]int{{person, gone}, {person}}},
		"a process that cannot be looked at":   {looks: [][]int{{person, gone}}, failed: true},
		"nobody but a process that has ended":  {looks: [][]int{{gone}, {}}, failed: true},
		"an agent's child":                     {looks: [][]int{{agent}}, below: true},
		"a person and an agent's child":        {looks: [][]int{{person, agent}}, below: true},
		"an agent's child that hands it over":  {looks: [][]int{{agent}, {person}}, below: true},
		"an agent's child gets it":             {looks: [][]int{{person}, {person, agent}, {person}}, below: true},
		"an agent's child gets it, alone":      {looks: [][]int{{person}, {agent}}, below: true},
		"an agent's child gets it, later":      {looks: [][]int{{person}, {person, child}, {agent}}, below: true, waits: 1},
		"a new child at each look":             {looks: forks, failed: true, waits: maxLooks - 2},
		"a person beside it, and nobody after": {looks: [][]int{{person, gone}, {}}, failed: true},
	} {
		t.Run(name, func(t *testing.T) {
			look, waits := 0, 0
			below, err := sharing{
				holders: func() ([]int, error) { look++; return c.looks[min(look, len(c.looks))-1], nil },
				below:   below,
				wait:    func(time.Duration) { waits++ },
			}.belowAgent()
			if below != c.below || (err != nil) != c.failed || waits != c.waits || look > maxLooks {
				t.Errorf("below %v, %v, %d looks, %d waits", below, err, look, waits)
			}
		})
	}
	if _, err := (sharing{holders: func() ([]int, error) { return nil, errors.New("no table") }}).belowAgent(); err == nil {
		t.Error("an error of the table is none")
	}
}

// A process table that changes while it is read. A child of the caller has the socket at the first reading and ends
// during it; or an agent's child gets the socket while the caller is checked.
func TestHoldersChangeDuringALook(t *testing.T) {
	const inode = 77
	for name, c := range map[string]struct {
		during func(table string) // while process 11 is looked at
		below  bool
	}{
		"its child ends": {during: func(table string) { remove(t, table, 11) }},
		"an agent's child gets it": {below: true, during: func(table string) {
			remove(t, table, 11)
			holder(t, table, 12, inode, launch.TokenVariable+"=x")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			table := t.TempDir()
			line := fmt.Sprintf("header\n   0: 0100007F:1F90 0100007F:1F91 01 00000000:00000000 03:00000B52 00000000 %d 0 %d 3 0000000000000000\n", os.Geteuid(), inode)
			write(t, filepath.Join(table, "net", "tcp"), line)
			holder(t, table, 10, inode, "HOME=/")
			holder(t, table, 11, inode, "HOME=/")
			fifo := filepath.Join(table, "11", "cgroup") // the first file that is read of a process
			if err := unix.Mkfifo(fifo, 0o600); err != nil {
				t.Fatal(err)
			}
			opened := make(chan error, 1)
			go func() {
				w, err := os.OpenFile(fifo, os.O_WRONLY, 0)
				if err == nil {
					c.during(table)
					err = w.Close()
				}
				opened <- err
			}()
			below, err := processTable(table).connectedBelowAgent(netip.MustParseAddrPort("127.0.0.1:8080"), netip.MustParseAddrPort("127.0.0.1:8081"),
				func() ([]net.Addr, error) { return nil, errors.New("nobody asks") })
			if below != c.below || err != nil {
				t.Errorf("%v, %v", below, err)
			}
			if err := <-opened; err != nil {
				t.Fatal(err)
			}
		})
	}
}

// holder adds a process without a parent to a table, which has a socket open.
func holder(t *testing.T, table string, pid, inode int, environ string) {
	t.Helper()
	directory := filepath.Join(table, strconv.Itoa(pid))
	write(t, filepath.Join(directory, "stat"), fmt.Sprintf("%d (x) S 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 7 0 0", pid))
	write(t, filepath.Join(directory, "environ"), environ+"\x00")
	if err := os.Mkdir(filepath.Join(directory, "fd"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(fmt.Sprintf("socket:[%d]", inode), filepath.Join(directory, "fd", "3")); err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, table string, pid int) {
	if err := os.RemoveAll(filepath.Join(table, strconv.Itoa(pid))); err != nil {
		t.Error(err)
	}
}
