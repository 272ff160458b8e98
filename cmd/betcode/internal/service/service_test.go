package service

import (
	"context"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"betcode/messages"
)

func plan(t *testing.T, r Request) Definition {
	t.Helper()
	d, err := Plan(r)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestSystemdUnit(t *testing.T) {
	d := plan(t, Request{OS: "linux", Units: "/home/ada/.config/systemd/user", Program: `/opt/my tools/50%/bet$code`, Path: "/usr/bin:/a b"})
	for _, want := range []string{
		`ExecStart="/opt/my tools/50%%/bet$code" daemon run --keep-agents`,
		`ExecStartPost="/opt/my tools/50%%/bet$code" health`,
		`Environment="PATH=/usr/bin:/a b"`, "Type=notify", "WatchdogSec=", "KillMode=process", mark,
	} {
		if !strings.Contains(d.Text, want) {
			t.Errorf("the unit lacks %s:\n%s", want, d.Text)
		}
	}
	if strings.Contains(d.Text, "%h") || d.Path != "/home/ada/.config/systemd/user/betcode.service" {
		t.Errorf("%s:\n%s", d.Path, d.Text)
	}
}

// A service looks for no program in the directory of a session.
func TestPathOfServiceIsAbsolute(t *testing.T) {
	for _, system := range []string{"linux", "darwin"} {
		text := plan(t, Request{OS: system, Program: "/bin/betcode", Path: "relative::/usr/bin:.:../x:/a b:~/bin:"}).Text
		if !strings.Contains(text, "/usr/bin:/a b") || strings.Contains(text, "relative") || strings.Contains(text, "../x") || strings.Contains(text, "~") {
			t.Errorf("%s:\n%s", system, text)
		}
		if text := plan(t, Request{OS: system, Program: "/bin/betcode", Path: ".:bin"}).Text; text != plan(t, Request{OS: system, Program: "/bin/betcode"}).Text {
			t.Errorf("%s, with relative entries only:\n%s", system, text)
		}
	}
}

// systemd starts no program whose path has a quote or a backslash, however it is written.
func TestProgramsThatSystemdRefuses(t *testing.T) {
	for _, program := range []string{`/opt/"/betcode`, "/opt/it's/betcode", `/opt/\/betcode`} {
		if _, err := Plan(Request{OS: "linux", Program: program}); messages.KindOf(err) != messages.Invalid {
			t.Errorf("%s: %v", program, err)
		}
		if _, err := Packaged(program); err == nil {
			t.Errorf("%s: a package has a unit", program)
		}
	}
}

var update = flag.Bool("update", false, "accept changes of the definitions")

// TestDefinitions compares whole definitions: a change of one reaches every installation.
func TestDefinitions(t *testing.T) {
	packaged, err := Packaged("/usr/local/bin/betcode")
	if err != nil {
		t.Fatal(err)
	}
	for name, got := range map[string]string{
		"betcode.service":  plan(t, Request{OS: "linux", Program: "/home/ada/my tools/50%/betcode", Path: `/usr/bin:/a "b"\c`}).Text,
		"betcode.plist":    plan(t, Request{OS: "darwin", Home: "/Users/ada", UID: 501, Program: "/opt/<a b>/betcode", Path: "/usr/bin:/a&b"}).Text,
		"packaged.service": packaged,
	} {
		golden := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil || string(want) != got {
			t.Errorf("%s: %v\n%s", golden, err, cmp.Diff(string(want), got))
		}
	}
}

// TestSystemdAcceptsUnits has systemd read units for programs with odd paths.
func TestSystemdAcceptsUnits(t *testing.T) {
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("there is no systemd-analyze here")
	}
	for _, directory := range []string{"plain", "a b", "50%h", "$HOME", "ü;x"} {
		dir := filepath.Join(t.TempDir(), directory)
		program, unit := filepath.Join(dir, "betcode"), filepath.Join(dir, UnitName)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		text := plan(t, Request{OS: "linux", Program: program, Path: `/usr/bin:/a "b"\c:/%h:/$x`}).Text
		if err := os.WriteFile(program, []byte("#!/bin/sh\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(unit, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		verify := exec.CommandContext(t.Context(), analyze, "--user", "verify", unit)
		verify.Env = []string{"HOME=" + dir, "XDG_RUNTIME_DIR=" + dir, "PATH=" + os.Getenv("PATH")}
		out, err := verify.CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%s", directory, err, out)
		}
		for line := range strings.Lines(string(out)) {
			if strings.Contains(line, unit) && !strings.Contains(line, "DelegateSubgroup") { // systemd has it from version 254 on
				t.Errorf("%s: %s", directory, line)
			}
		}
	}
}

func TestLaunchdAgentIsXML(t *testing.T) {
	d := plan(t, Request{OS: "darwin", Home: "/Users/ada", UID: 501, Program: "/opt/<&>/betcode", Path: "/usr/bin:/a&b"})
	decoder, texts := xml.NewDecoder(strings.NewReader(d.Text)), []string{}
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, d.Text)
		}
		if text, ok := token.(xml.CharData); ok {
			texts = append(texts, string(text))
		}
	}
	all := strings.Join(texts, "\n")
	if !strings.Contains(all, "/opt/<&>/betcode") || !strings.Contains(all, "/usr/bin:/a&b") || strings.Contains(all, "%h") {
		t.Error(all)
	}
}

// A line break in a path would begin a setting of its own.
func TestPathsWithLineBreaks(t *testing.T) {
	for _, system := range []string{"linux", "darwin"} {
		for _, r := range []Request{{Program: "/bin/betcode\nExecStartPre=/bin/evil"}, {Program: "/bin/betcode", Path: "/bin\r/x"}} {
			r.OS = system
			if _, err := Plan(r); err == nil {
				t.Errorf("%s: %q is planned", system, r.Program)
			}
		}
	}
	if _, err := Plan(Request{OS: "plan9"}); messages.KindOf(err) != messages.Unimplemented {
		t.Error(err)
	}
}

// A file that people have changed is kept.
func TestChangedFileIsKept(t *testing.T) {
	units := t.TempDir()
	d := plan(t, Request{OS: "linux", Units: units, Program: "/bin/betcode"})
	if err := d.Check(false); err != nil {
		t.Fatal("without a file:", err)
	}
	if err := replace(d.Path, d.Text); err != nil {
		t.Fatal(err)
	}
	later := plan(t, Request{OS: "linux", Units: units, Program: "/usr/bin/betcode"})
	if err := later.Check(false); err != nil {
		t.Error("its own file:", err)
	}
	for _, changed := range []string{strings.Replace(d.Text, "WatchdogSec=60", "WatchdogSec=5", 1), "[Service]\n", d.Text + "# more\n# " + mark + "0\n", d.Text + "[Unit]\n"} {
		if err := os.WriteFile(d.Path, []byte(changed), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := later.Check(false); messages.KindOf(err) != messages.AlreadyExists {
			t.Errorf("a changed file: %v", err)
		}
		if err := later.Check(true); err != nil {
			t.Errorf("forced: %v", err)
		}
	}
}

// TestManagerIsAsked runs the commands of a plan with a stand-in for systemctl.
func TestManagerIsAsked(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the commands of systemd are run on Linux only")
	}
	bin, log := t.TempDir(), filepath.Join(t.TempDir(), "log")
	script := "#!/bin/sh\necho \"$@\" >>" + log + "\n"
	if err := os.WriteFile(filepath.Join(bin, "systemctl"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	d := plan(t, Request{OS: "linux", Units: filepath.Join(t.TempDir(), "deep", "user"), Program: "/bin/betcode"})
	if err := errors.Join(d.Prepare(t.Context()), d.Start(t.Context())); err != nil {
		t.Fatal(err)
	}
	if _, installed := d.State(t.Context()); !installed {
		t.Error("the state says that it is not installed")
	}
	if r, err := d.Uninstall(t.Context()); !r.Installed || r.Unstopped != nil || err != nil {
		t.Error(r, err)
	}
	if r, err := d.Uninstall(t.Context()); r.Installed || err != nil {
		t.Error(r, err)
	}
	got, err := os.ReadFile(log)
	want := "--user daemon-reload\n--user enable betcode.service\n--user restart betcode.service\n" +
		"--user status --no-pager --lines=5 betcode.service\n--user disable --now betcode.service\n"
	if string(got) != want || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if err := os.WriteFile(filepath.Join(bin, "systemctl"), []byte("#!/bin/sh\necho no bus >&2\nexit 1\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, do := range map[string]func(context.Context) error{"prepare": d.Prepare, "start": d.Start} {
		if err := do(t.Context()); err == nil || !strings.Contains(err.Error(), "no bus") {
			t.Errorf("%s, and the manager refuses: %v", name, err)
		}
		if _, err := os.Stat(d.Path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s left a file: %v", name, err)
		}
	}
}

// TestUninstallWithoutManager: a manager that does not answer keeps neither the file nor the link for the login; a file that
// cannot be removed is an error.
func TestUninstallWithoutManager(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the commands of systemd are run on Linux only")
	}
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "systemctl"), []byte("#!/bin/sh\necho no bus >&2\nexit 1\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	units := t.TempDir()
	d := plan(t, Request{OS: "linux", Units: units, Program: "/bin/betcode"})
	wants := filepath.Join(units, "default.target.wants")
	link := filepath.Join(wants, UnitName)
	if err := errors.Join(replace(d.Path, d.Text), os.Mkdir(wants, 0o700), os.Symlink(d.Path, link)); err != nil {
		t.Fatal(err)
	}
	r, err := d.Uninstall(t.Context())
	if err != nil || !r.Installed || r.Unstopped == nil || !strings.Contains(r.Unstopped.Error(), "no bus") {
		t.Errorf("%+v, %v", r, err)
	}
	for _, path := range []string{d.Path, link} {
		if isThere(path) {
			t.Errorf("%s is left", path)
		}
	}
	if err := os.Symlink(d.Path, link); err != nil { // as an earlier version has left it
		t.Fatal(err)
	}
	if r, err := d.Uninstall(t.Context()); err != nil || !r.Installed || isThere(link) {
		t.Errorf("a link alone: %+v, %v", r, err)
	}
	if err := os.MkdirAll(filepath.Join(d.Path, "x"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Uninstall(t.Context()); err == nil || !strings.Contains(err.Error(), "remove "+d.Path) {
		t.Errorf("a file that stays: %v", err)
	}
}
