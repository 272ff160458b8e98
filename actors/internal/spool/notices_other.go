//go:build !linux

package spool

// notices are not to be had on this system.
type notices struct{}

func newNotices() *notices { return nil }

func (*notices) add(*Watch) bool { return false }
func (*notices) remove(*Watch)   {}
func (*notices) close()          {}

func (w *Watcher) listen() {}
