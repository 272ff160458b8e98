//go:build !linux

package spool

// notices do not exist on this system.
type notices struct{}

func newNotices() *notices { return nil }

func (*notices) add(*Watch) bool { return false }
func (*notices) remove(*Watch)   {}
func (*notices) close()          {}

func (w *Watcher) listen() {}
