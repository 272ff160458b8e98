package rules

import "testing"

// TestRunners compares programs that run others with a deny rule: a person is asked about commands that may run,
// and they are denied where the program does nothing else.
func TestRunners(t *testing.T) {
	s, problems := New(Rule{Effect: Allow, Text: "Bash"}, Rule{Effect: Deny, Text: "Bash(rm *)"})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	for command, want := range map[string]Effect{
		"numactl rm x": Deny, "tini -- rm x": Deny, "proxychains4 rm x": Deny, "systemd-inhibit rm x": Deny, "hyperfine rm x": Deny, "/lib64/ld-linux-x86-64.so.2 /bin/rm x": Deny,
		"qemu-x86_64 /bin/rm x": Deny, "chpst -u me rm x": Deny, "coreutils --coreutils-prog=rm x": Ask,
		"docker exec c rm x": Ask, "docker run -v /:/x alpine /bin/rm x": Ask, "uv run rm x": Ask, "npm exec -- rm x": Ask, "poetry run rm x": Ask, "bundle exec rm x": Ask,
		"nix-shell --run 'rm x'": Ask, "concurrently 'a' 'rm x'": Ask, "socat EXEC:'rm x' -": Ask, "nc -e /bin/rm x": Ask, "split -n 1 --filter 'rm x' f": Ask, "xterm -e rm x": Ask,
		"ip netns exec n RM x": Ask, "docker run $image": Ask, "hyperfine 'rm x'": Deny,
		"docker rm x": Allow, "docker build -t y .": Allow, "npm test": Allow, "npm run build": Allow, "cargo test": Allow, "apt install x": Allow, "git rm x": Allow,
		"echo '.shell rm x' | sqlite3 f": Ask, "sqlite3 f '.shell rm x'": Ask, "printf '!rm x\\n' | ed f": Ask, "gdb -batch -ex 'shell rm x'": Ask, "dc -e '!rm x'": Ask, "psql -f x": Ask,
		"vim '+!rm x' +q": Ask, "ex +x f": Ask, "nvim -es x": Ask, "vim f": Allow, "vim +12 f": Allow, "emacs --batch -l f": Ask, "emacs f": Allow,
		"printf 'a:\\n\\trm x' | make -f -": Ask, "make X='rm x'": Ask, "make SHELL=/tmp/x": Ask, "make all": Allow, "make V=1 all": Allow,
		"python3 -X dev -c 'x'": Ask, "python3 -W ignore -c 'x'": Ask, "python3 -m timeit 'x'": Ask, "python3 -Bmpdb -c x f": Ask, "perl -I lib -e 'x'": Ask, "ruby -I lib -e 'x'": Ask,
		"php -d a=1 -r 'x'": Ask, "node -r ./x.js -e 'x'": Ask, "node --import ./x.mjs -p 1": Ask,
		"python3 f.py -c x": Allow, "python3 -m pytest -q": Allow, "python3 -X dev f.py -c x": Allow, "node server.js -p 80": Allow, "perl -I lib f.pl -e": Allow,
	} {
		if got := s.Decide(bash(command)); got.Effect != want {
			t.Errorf("%q: %v, want %v (%s)", command, got.Effect, want, got.Why)
		}
	}
}
