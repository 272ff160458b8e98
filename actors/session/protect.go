package session

import (
	"betcode/actors/internal/protect"
)

// Some calls are asked about whatever rules, grants and modes say: those that write a
// file of the built-in list (package protect), and those that the agent itself insists on:
// by an ask rule, the user's own or one that was handed over, or by its own check of
// dangerous calls. Such a request has a reason ([messages.PermissionRecord]), which is
// shown to people. What forbids a call still does.

// protects reports whether calls of a tool are held against the built-in list, which looks
// at the disk.
func (s *state) protects(tool string) bool {
	return s.options.Protected != nil && protect.Concerned(tool)
}
