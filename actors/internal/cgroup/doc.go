// Package cgroup limits the memory of agents through control groups (version 2), as far as the tree of groups allows it.
//
// It reads and writes files below a directory, and knows neither processes nor actors: the caller decides which processes may
// be moved. A tree with limits looks like this:
//
//	<top>                      delegated to the daemon; its children get the memory controller
//	├── daemon                 [Leaf]: the daemon, its launchers, its helpers
//	└── betcode-<hash>         made by package process; its children get the controller too
//	    └── <hash of a run>    an agent: memory.max, memory.oom.group
//
// A group with processes cannot give controllers to its children, so [Enable] moves the daemon into the leaf first. It does that
// only if all processes of the group are the daemon's own, and not in the group of a systemd service: systemd could not start the
// next daemon there. Such a unit names the leaf itself (DelegateSubgroup).
//
// Nothing is undone at the end of a daemon. The next one finds the controller enabled, and itself in the leaf.
package cgroup
