package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"betcode/tests/kit"
)

// Two daemons: a session of one is seen, prompted and approved at the portal of the other, in each
// dialect; proxy, portal and both daemons are killed in between.
func TestProxyBetweenDaemons(t *testing.T) {
	t.Parallel()
	for generation := 1; generation <= 3; generation++ {
		t.Run(fmt.Sprint("G", generation), func(t *testing.T) {
			t.Parallel()
			home, away := newPortal(t, newStory(t, binaries.fake)), newStory(t, binaries.fake)
			token := filepath.Join(away.world.Root, "token")
			if err := os.WriteFile(token, []byte(home.cli(0, "gateway", "token", "--name", "laptop")), 0o600); err != nil {
				t.Fatal(err)
			}
			id := away.runs("echo:from the laptop")
			var proxy *kit.Proxy
			run := func() {
				t.Helper()
				started, err := away.world.Proxy("--session", id, "--backend-url", home.URL, "--auth-token-file", token, "--generation", fmt.Sprint("g", generation))
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(started.Kill)
				proxy = started
				if err := proxy.Registered(); err != nil {
					t.Fatal(err)
				}
			}
			run()
			t.Cleanup(func() {
				if t.Failed() {
					t.Logf("the proxy's log:\n%s", proxy.Log())
				}
			})
			b := home.browser("phone", "control", "approve")
			page := home.open(b, generation, id, nil)
			page.wait("from the laptop")
			page.send(object{"type": "ClaudeInput", "content": "echo:before\nrun:touch made.txt\necho:after"})
			asked := page.wait(`"PermissionRequest"`, "touch made.txt")
			home.killDaemon()
			away.killDaemon()
			proxy.Kill()
			run()
			page.send(object{"type": "PermissionResponse", "request_id": asked.Text("request_id"), "allow": true, "input": asked.Of["input"]})
			page.wait(`"ClaudeOutput"`, `"type":"result"`, "after")
			if _, err := os.Stat(filepath.Join(away.world.Project, "made.txt")); err != nil {
				t.Error("the command did not run")
			}
			home.Kill()
			home.run("--listen", strings.TrimPrefix(home.URL, "http://"))
			again := home.open(b, generation, id, nil)
			again.wait(`"SessionStatus"`)
			all := ""
			for _, f := range again.Frames {
				all += f.Raw
			}
			for _, text := range []string{`"text":"from the laptop"`, `"text":"before"`, `"text":"after"`, `"text":"echo:before`} {
				if n := strings.Count(all, text); n != 1 {
					t.Errorf("%s is there %d times", text, n)
				}
			}
		})
	}
}
