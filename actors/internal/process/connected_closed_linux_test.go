package process

import (
	"errors"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// A socket that no process has open any more is listed without an inode, and as root's.
// A caller that has sent its call and closed the socket does not count as another user's.
func TestCallerHasClosed(t *testing.T) {
	root := t.TempDir()
	if err := os.Mkdir(filepath.Join(root, "net"), 0o700); err != nil {
		t.Fatal(err)
	}
	other := strconv.Itoa(os.Geteuid() + 1)
	for inode, known := range map[string]bool{"0": false, "77": true} {
		line := "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n" +
			"   0: 0100007F:1F90 0100007F:1F91 05 00000000:00000000 03:00000B52 00000000 " + other + " 0 " + inode + " 3 0000000000000000\n"
		if err := os.WriteFile(filepath.Join(root, "net", "tcp"), []byte(line), 0o600); err != nil {
			t.Fatal(err)
		}
		below, err := processTable(root).connectedBelowAgent(netip.MustParseAddrPort("127.0.0.1:8080"), netip.MustParseAddrPort("127.0.0.1:8081"),
			func() ([]net.Addr, error) { return nil, errors.New("nobody asks") })
		if below || (err == nil) != known {
			t.Errorf("inode %s: %v, %v", inode, below, err)
		}
	}
}
