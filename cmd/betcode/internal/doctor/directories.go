package doctor

import "betcode/messages/visible"

func socketDirectory(f Facts) Finding { return private(f.Socket, "the directory of the socket") }

func stateDirectory(f Facts) Finding { return private(f.State, "the state directory") }

// private examines a directory that others must not enter.
func private(d Directory, what string) Finding {
	const others = 0o077
	switch {
	case d.Missing:
		return ok("%s is made at the first start: %s", what, d.Path)
	case d.Err != nil:
		return found(Problem, "", "%s cannot be read: %v", what, d.Err)
	case !d.Mine:
		return found(Problem, "sudo chown \"$(id -u)\" "+visible.ShellWord(d.Path), "%s belongs to another user: %s", what, d.Path)
	case d.Mode.Perm()&others != 0:
		f := found(Problem, "chmod 700 "+visible.ShellWord(d.Path), "%s is open to others (%v): %s", what, d.Mode.Perm(), d.Path)
		f.fix.private = d.Path
		return f
	}
	return ok("%s is private: %s", what, d.Path)
}

func filesystem(f Facts) Finding {
	switch d := f.State; {
	case d.Filesystem != "":
		return found(Problem, "betcode daemon start --state-dir DIRECTORY",
			"the state directory is on %s, where locks, FIFOs or synced writes may fail; name one on a local disk", d.Filesystem)
	case d.Volatile:
		return found(Warning, "betcode daemon start --state-dir DIRECTORY", "the state directory is in memory: a restart of the machine loses the journal")
	}
	return ok("the state directory is on a local disk")
}

func space(f Facts) Finding {
	const mib = 1 << 20
	switch s := f.Space; {
	case s.Err != nil:
		return found(Note, "", "free space is not known: %v", s.Err)
	case s.Low >= 0 && s.Free < s.Low:
		return found(Problem, "betcode journal stats", "the disk is full: %d MiB are free, the daemon needs %d MiB to start agents", s.Free/mib, s.Low/mib)
	case s.Low >= 0 && s.Free < 2*s.Low:
		return found(Warning, "betcode journal stats", "%d MiB are free; the daemon starts no agents below %d MiB", s.Free/mib, s.Low/mib)
	default:
		return ok("%d MiB are free", s.Free/mib)
	}
}
