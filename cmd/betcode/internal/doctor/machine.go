package doctor

// The limits of inotify below which a daemon with many agents may have to poll.
const (
	fewInstances = 128
	fewWatches   = 8192
)

func fence(f Facts) Finding {
	k := f.Kernel
	switch {
	case k.Landlock > 0:
		return ok("the kernel has Landlock (version %d)", k.Landlock)
	case k.FenceWanted:
		return found(Problem, "betcode config set agent.fence off", "settings ask for the fence, and the kernel has no Landlock: no agent starts")
	}
	return found(Note, "", "the kernel has no Landlock: agents cannot be fenced")
}

func memory(f Facts) Finding {
	k := f.Kernel
	switch {
	case k.MemoryControl:
		return ok("the memory of agents can be limited")
	case k.MemoryWanted:
		return found(Warning, "betcode service install", "agent.memory_max is set, and this user's control group has no memory controller")
	}
	return found(Note, "", "the memory of agents cannot be limited: this user's control group has no memory controller")
}

func inotify(f Facts) Finding {
	k := f.Kernel
	switch {
	case k.Instances > 0 && k.Instances < fewInstances:
		return found(Warning, "sudo sysctl fs.inotify.max_user_instances=512", "a user may have %d inotify instances; Claude Code and the daemon use one each", k.Instances)
	case k.Watches > 0 && k.Watches < fewWatches:
		return found(Warning, "sudo sysctl fs.inotify.max_user_watches=65536", "a user may have %d inotify watches", k.Watches)
	}
	return ok("the limits of inotify are high enough")
}

func unit(f Facts) Finding {
	switch s := f.Service; {
	case s.Unit != "":
		return ok("the service is installed: %s", s.Unit)
	case s.Manager:
		return found(Note, "betcode service install", "no service starts the daemon; after a restart of the machine, commands do")
	}
	return ok("there is no systemd")
}

func linger(f Facts) Finding {
	s := f.Service
	if !s.Manager || s.Unit == "" || s.Lingering {
		return ok("services of this user run as long as they should")
	}
	found := found(Warning, "loginctl enable-linger", "the service ends when you log out")
	found.fix.linger = f.User
	return found
}
