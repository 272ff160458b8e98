package main

import "sync/atomic"

// shared is a string that several goroutines read and one at a time sets.
type shared struct{ p atomic.Pointer[string] }

func (s *shared) set(v string) { s.p.Store(&v) }

func (s *shared) get() string {
	if p := s.p.Load(); p != nil {
		return *p
	}
	return ""
}
