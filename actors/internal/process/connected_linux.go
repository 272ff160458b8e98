package process

import (
	"bufio"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ConnectedBelowAgent reports whether the process at the other end of a TCP connection is
// an agent, or descends from one (see [BelowAgent]). caller is the address that it
// connected from, ours the one that it connected to. A caller on another machine, or of
// another user of this one, does not: agents are ours.
//
// An error means that the answer is unknown: the caller is on this machine, and its process
// cannot be identified.
func ConnectedBelowAgent(caller, ours netip.AddrPort) (bool, error) {
	return processTable("/proc").connectedBelowAgent(caller, ours, ownAddresses)
}

func ownAddresses() ([]net.Addr, error) { return net.InterfaceAddrs() }

func (t processTable) connectedBelowAgent(caller, ours netip.AddrPort, own func() ([]net.Addr, error)) (bool, error) {
	socket, found, err := t.socketOf(caller, ours)
	if err != nil {
		return false, err
	}
	if !found {
		here, err := isOwn(caller.Addr(), own)
		if err != nil || here {
			return false, errors.Join(errors.New("the caller is on this machine, and its socket is not to be seen"), err)
		}
		return false, nil
	}
	switch mine, err := t.mine(socket.uid); {
	case err != nil:
		return false, err
	case !mine:
		return false, nil
	}
	return sharing{func() ([]int, error) { return t.holders(socket.inode) }, t.belowAgent, time.Sleep}.belowAgent()
}

// socket is one line of /proc/net/tcp.
type socket struct {
	uid   int
	inode uint64
}

// socketOf finds the caller's end of a connection among the sockets of this machine.
func (t processTable) socketOf(caller, ours netip.AddrPort) (socket, bool, error) {
	for _, name := range []string{"tcp", "tcp6"} {
		file, err := os.Open(filepath.Join(string(t), "net", name))
		if errors.Is(err, fs.ErrNotExist) {
			continue // there is no IPv6
		}
		if err != nil {
			return socket{}, false, err
		}
		defer file.Close()
		lines := bufio.NewScanner(file)
		for lines.Scan() {
			fields := strings.Fields(lines.Text())
			if len(fields) < 10 {
				continue
			}
			local, errLocal := parseAddress(fields[1])
			remote, errRemote := parseAddress(fields[2])
			if errLocal != nil || errRemote != nil || local != unmapped(caller) || remote != unmapped(ours) {
				continue
			}
			uid, errUID := strconv.Atoi(fields[7])
			inode, errInode := strconv.ParseUint(fields[9], 10, 64)
			if err := errors.Join(errUID, errInode); err != nil {
				return socket{}, false, fmt.Errorf("%s is not understood: %w", file.Name(), err)
			}
			if inode == 0 { // the kernel names root as the owner of every such socket
				return socket{}, false, errors.New("the caller has closed its end of the connection")
			}
			return socket{uid, inode}, true, nil
		}
		if err := lines.Err(); err != nil {
			return socket{}, false, err
		}
	}
	return socket{}, false, nil
}

func unmapped(a netip.AddrPort) netip.AddrPort {
	return netip.AddrPortFrom(a.Addr().Unmap().WithZone(""), a.Port())
}

// parseAddress reads "0100007F:1F90": words of 32 bits in the byte order of the machine, and
// a port in network byte order.
func parseAddress(text string) (netip.AddrPort, error) {
	host, port, _ := strings.Cut(text, ":")
	raw, err := hex.DecodeString(host)
	if err != nil || len(raw)%4 != 0 {
		return netip.AddrPort{}, fmt.Errorf("%q is no address", text)
	}
	for i := 0; i < len(raw); i += 4 {
		binary.BigEndian.PutUint32(raw[i:], binary.NativeEndian.Uint32(raw[i:]))
	}
	address, ok := netip.AddrFromSlice(raw)
	number, err := strconv.ParseUint(port, 16, 16)
	if !ok || err != nil {
		return netip.AddrPort{}, fmt.Errorf("%q is no address", text)
	}
	return unmapped(netip.AddrPortFrom(address, uint16(number))), nil
}

// holders returns the processes that have a socket open, of those that this user may inspect.
func (t processTable) holders(inode uint64) ([]int, error) {
	entries, err := os.ReadDir(string(t))
	if err != nil {
		return nil, err
	}
	wanted := fmt.Sprintf("socket:[%d]", inode)
	var found []int
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		files, _ := os.ReadDir(t.file(pid, "fd")) // another user's, or it has ended
		for _, f := range files {
			if link, err := os.Readlink(filepath.Join(t.file(pid, "fd"), f.Name())); err == nil && link == wanted {
				found = append(found, pid)
				break
			}
		}
	}
	slices.Sort(found)
	return found, nil
}

// isOwn reports whether an address is one of this machine.
func isOwn(a netip.Addr, own func() ([]net.Addr, error)) (bool, error) {
	a = a.Unmap().WithZone("")
	if a.IsLoopback() || a.IsUnspecified() {
		return true, nil
	}
	all, err := own()
	if err != nil {
		return false, err
	}
	for _, o := range all {
		if prefix, err := netip.ParsePrefix(o.String()); err == nil && prefix.Addr().Unmap().WithZone("") == a {
			return true, nil
		}
	}
	return false, nil
}
