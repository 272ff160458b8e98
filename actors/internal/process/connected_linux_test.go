package process

import (
	"net"
	"net/netip"
	"os"
	"os/exec"
	"strings"
	"testing"

	"betcode/actors/internal/launch"
)

// connection is the server's end of a connection that dial makes.
func connection(t *testing.T, network, address string, dial func(to string)) (caller, ours netip.AddrPort) {
	t.Helper()
	l, err := net.Listen(network, address)
	if err != nil {
		t.Skipf("there is no %s here: %v", network, err)
	}
	t.Cleanup(func() { l.Close() })
	dial(l.Addr().String())
	conn, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn.RemoteAddr().(*net.TCPAddr).AddrPort(), conn.LocalAddr().(*net.TCPAddr).AddrPort()
}

func TestConnectedBelowAgent(t *testing.T) {
	for _, address := range []string{"127.0.0.1:0", "[::1]:0"} {
		var own net.Conn
		caller, ours := connection(t, "tcp", address, func(to string) {
			var err error
			if own, err = net.Dial("tcp", to); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { own.Close() })
		})
		if below, err := ConnectedBelowAgent(caller, ours); below || err != nil {
			t.Errorf("%s, the test itself: %v, %v", address, below, err)
		}
		own.Close()
		if below, err := ConnectedBelowAgent(caller, ours); below || err == nil {
			t.Errorf("%s, after it has gone: %v, %v", address, below, err)
		}
	}
	// A child that has the token of a run, as what an agent starts.
	caller, ours := connection(t, "tcp", "127.0.0.1:0", func(to string) {
		host, port, _ := strings.Cut(to, ":")
		child := exec.Command("bash", "-c", "exec 3<>/dev/tcp/"+host+"/"+port+"; read <&3")
		child.Env = append(os.Environ(), launch.TokenVariable+"=x")
		if err := child.Start(); err != nil {
			t.Skipf("there is no bash here: %v", err)
		}
		t.Cleanup(func() { child.Process.Kill(); child.Wait() })
	})
	if below, err := ConnectedBelowAgent(caller, ours); !below || err != nil {
		t.Errorf("an agent's child: %v, %v", below, err)
	}
}

func TestWhereCallersAre(t *testing.T) {
	ours := netip.MustParseAddrPort("192.0.2.1:7000")
	own := func() ([]net.Addr, error) {
		return []net.Addr{&net.IPNet{IP: net.ParseIP("192.0.2.1"), Mask: net.CIDRMask(24, 32)}}, nil
	}
	for caller, here := range map[string]bool{
		"192.0.2.1:5": true, "127.0.0.9:5": true, "[::1]:5": true, "[::ffff:127.0.0.1]:5": true, "192.0.2.2:5": false, "[2001:db8::1]:5": false,
	} {
		below, err := processTable("/proc").connectedBelowAgent(netip.MustParseAddrPort(caller), ours, own)
		if below || (err != nil) != here {
			t.Errorf("%s: %v, %v", caller, below, err)
		}
	}
}

func TestParseAddress(t *testing.T) {
	for text, want := range map[string]string{
		"0100007F:1F90":                         "127.0.0.1:8080",
		"00000000000000000000000001000000:0050": "[::1]:80",
		"0000000000000000FFFF00000100007F:0050": "127.0.0.1:80",
	} {
		if got, err := parseAddress(text); err != nil || got.String() != want {
			t.Errorf("%s: %s, %v", text, got, err)
		}
	}
	for _, wrong := range []string{"", ":", "01:00", "0100007F", "0100007F:10000", "xx00007F:0050", "010000:50"} {
		if got, err := parseAddress(wrong); err == nil {
			t.Errorf("%s is %s", wrong, got)
		}
	}
}
