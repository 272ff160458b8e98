package config

import "testing"

func TestDisk(t *testing.T) {
	for _, c := range []struct {
		value string
		want  int64
		fails bool
	}{{"", 0, false}, {"512MiB", 512 << 20, false}, {"0", 0, true}, {"plenty", 0, true}, {"-1", 0, true}} {
		env := map[string]string{"HOME": "/home/me", "BETCODE_DISK_LOW": c.value}
		d, err := ResolveDaemon(DaemonFlags{}, world("linux", env))
		if d.Disk.Low != c.want || (err != nil) != c.fails {
			t.Errorf("%q is %d, %v", c.value, d.Disk.Low, err)
		}
	}
}
