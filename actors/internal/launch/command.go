//go:build unix

package launch

// version is the version of the arguments.
const version = "4"

// Params are the parameters of a launcher.
type Params struct {
	Run     string   // the run directory, absolute
	Dir     string   // the agent's working directory, absolute
	Program string   // the agent's executable, absolute
	Argv    []string // its arguments, argv[0] included
	Env     []string // its whole environment
	Lease   Lease    // how long the agent may run without a daemon
	Cgroup  string   // the directory of the agent's control group; empty = none
	Fence   []string // paths that the agent may write to, with everything below; empty = there is no fence
}

// settings make the launcher's Go runtime small: one processor, no collector,
// and no reading of the limits of its control group.
var settings = []struct{ name, value string }{
	{Marker, markNew},
	{"GOMAXPROCS", "1"},
	{"GOGC", "off"},
	{"GODEBUG", "containermaxprocs=0,updatemaxprocs=0"},
	{"GOMEMLIMIT", "off"},
	{"GOTRACEBACK", "none"},
}

// The values of [Marker]. A launcher on a machine whose pages are huge by default
// executes itself a second time, as markSmall, with small ones; markHuge lets a
// test pretend to be on such a machine.
const (
	markNew   = "1"
	markHuge  = "huge"
	markSmall = "small"
)

// kept is the prefix of a variable of the agent that has another value in the launcher's
// environment.
const kept = "BETCODE_KEPT_"

// Command returns the arguments and the environment of a launcher for p.
//
// The agent's environment is passed in the launcher's own, not as arguments:
// every user can read /proc/<pid>/cmdline, but not /proc/<pid>/environ.
func (p Params) Command() (argv, env []string) {
	every, misses := digits(nil, uint64(p.Lease.Every)), digits(nil, uint64(p.Lease.Misses))
	argv = append([]string{Name, version, p.Run, p.Dir, p.Lease.File, string(every), string(misses), p.Cgroup, joinFence(p.Fence), p.Program}, p.Argv...)
	env = make([]string, 0, len(settings)+len(p.Env))
	for _, s := range settings {
		env = append(env, s.name+"="+s.value)
	}
	for _, e := range p.Env {
		if isSetting(e) {
			e = kept + e
		}
		env = append(env, e)
	}
	return argv, env
}

// parse is the inverse of Command.
func parse(argv, env []string) (Params, bool) {
	if len(argv) < 11 || argv[0] != Name || argv[1] != version {
		return Params{}, false
	}
	p := Params{
		Run: argv[2], Dir: argv[3], Cgroup: argv[7], Fence: splitFence(argv[8]), Program: argv[9], Argv: argv[10:],
		Lease: Lease{File: argv[4], Every: decimal(argv[5]), Misses: decimal(argv[6])},
	}
	p.Env = make([]string, 0, len(env))
	for _, e := range env {
		switch {
		case isSetting(e):
		case hasPrefix(e, kept):
			p.Env = append(p.Env, e[len(kept):])
		default:
			p.Env = append(p.Env, e)
		}
	}
	return p, true
}

// decimal is the inverse of digits.
func decimal(s string) (n int) {
	for i := range len(s) {
		n = 10*n + int(s[i]-'0')
	}
	return n
}

func isSetting(entry string) bool {
	for _, s := range settings {
		if len(entry) > len(s.name) && entry[len(s.name)] == '=' && entry[:len(s.name)] == s.name {
			return true
		}
	}
	return false
}

func hasPrefix(s, prefix string) bool { return len(s) >= len(prefix) && s[:len(prefix)] == prefix }
