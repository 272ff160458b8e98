package machine

import (
	"os"
	"path/filepath"
	"testing"
)

func TestAvailable(t *testing.T) {
	const meminfo = "MemTotal:       8000000 kB\nMemFree:          10 kB\nMemAvailable:    1000 kB\n"
	for name, test := range map[string]struct {
		files map[string]string
		want  int64
	}{
		"no such system": {nil, 0},
		"no groups":      {map[string]string{"proc/meminfo": meminfo}, 1000 << 10},
		"a group without a limit": {map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a/b\n", "groups/a/b/memory.max": "max\n", "groups/a/b/memory.current": "5\n",
		}, 1000 << 10},
		"a limit above it": {map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a/b\n",
			"groups/a/memory.max": "900000\n", "groups/a/memory.current": "500000\n", "groups/a/memory.stat": "anon 7\ninactive_file 100000\n",
		}, 500_000},
		"a limit that is exceeded": {map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a\n", "groups/a/memory.max": "10\n", "groups/a/memory.current": "500000\n",
		}, 1},
		"a group outside the namespace": {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/../a\n"}, 1000 << 10},
	} {
		root := t.TempDir()
		for path, text := range test.files {
			path = filepath.Join(root, path)
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if got := availableIn(filepath.Join(root, "proc"), filepath.Join(root, "groups")); got != test.want {
			t.Errorf("%s: %d, want %d", name, got, test.want)
		}
	}
	if Available() <= 0 {
		t.Error("this machine has no memory")
	}
}
