package search

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/internal/act"
	"betcode/actors/settings"
	"betcode/messages"
	"betcode/persistence/search"
)

// Deps is what the actor needs of the system.
type Deps struct {
	act.Common

	Searcher  *Searcher
	Directory string                    // of the index
	Settings  func() *settings.Settings // the present ones, for an actor that starts
	DiskFull  func() bool               // while it returns true, nothing is written
}

// indexer maintains the index.
//
// What survives a restart: the written part of the index. The next incarnation opens it, and continues where it ends.
type indexer struct {
	deps   Deps
	state  state
	worker *act.Worker
	index  *search.Index // of the worker
	ctx    context.Context
	end    context.CancelFunc
	timer  act.Timer // due
	flush  act.Timer
	sweep  act.Timer
	began  time.Time // of building the index, for the log; zero once it is complete
}

// Props describes the actor.
func Props(d Deps) *actor.Props {
	return d.Props("search", func() actor.Actor { return &indexer{deps: d} })
}

// Receive implements actor.Actor.
func (x *indexer) Receive(ctx actor.Context) {
	switch m := act.Unwrap(x, ctx.Message()).(type) {
	case *actor.Started:
		x.worker = act.NewWorker(ctx, x.deps.Workers, x)
		x.ctx, x.end = context.WithCancel(context.Background())
		root, self := ctx.ActorSystem().Root, ctx.Self()
		x.deps.Searcher.onDamage(func(err error) { root.Send(self, broken{err}) })
		next, effects := x.state.begin(max(x.deps.Settings().SearchBytes, 0))
		x.take(ctx, next, effects)
	case *actor.Stopping, *actor.Restarting:
		x.end()
		for _, timer := range []*act.Timer{&x.timer, &x.flush, &x.sweep} {
			timer.Stop()
		}
		x.worker.Close(x.close)
	case nil, *actor.Stopped:
	default:
		if done, ok := m.(worked); ok && done.err == nil && !done.more && done.job == advance && !x.began.IsZero() {
			x.deps.Log("search").Info().Dur("took", x.deps.Now().Sub(x.began)).Msg("search index is complete")
			x.began = time.Time{}
		}
		next, effects := x.state.step(m)
		x.take(ctx, next, effects)
		if done, ok := m.(opened); ok && done.err == nil {
			x.logOpened(done)
		}
	}
}

func (x *indexer) take(ctx actor.Context, next state, effects []act.Effect) {
	x.state = next
	for _, e := range effects {
		x.perform(ctx, e)
	}
}

func (x *indexer) logOpened(m opened) {
	if m.behind > 0 {
		x.began = x.deps.Now()
		x.deps.Log("search").Info().Uint64("events", m.behind).Msg("search index is being built")
	}
}

func (x *indexer) perform(ctx actor.Context, e act.Effect) {
	switch e := e.(type) {
	case openIndex:
		x.worker.Do(x.open)
	case rebuildIndex:
		x.worker.Do(func() any {
			if err := x.remove(); err != nil {
				return opened{err: err}
			}
			return x.open()
		})
	case removeIndex:
		x.worker.Do(func() any { return closed{x.remove()} })
	case limit:
		x.worker.Do(func() any {
			if x.index != nil {
				x.index.SetMaxBytes(e.maxBytes)
			}
			return nil
		})
	case work:
		x.worker.Do(func() any {
			began := time.Now()
			done := x.work(e.job)
			done.took = time.Since(began)
			return done
		})
	case await:
		root, self := ctx.ActorSystem().Root, ctx.Self()
		x.deps.Searcher.await(func() { root.Send(self, committed{}) })
	case wake:
		x.timer.Set(ctx, e.after, due{})
	case flushLater:
		x.flush.Set(ctx, flushAfter, flushDue{})
	case sweepLater:
		x.sweep.Set(ctx, sweepEvery, sweepDue{})
	case report:
		x.deps.Log("search").Warn().Err(e.err).Msg(e.text)
	}
}

// open opens the index. It runs on the worker, as do the methods below.
func (x *indexer) open() any {
	_, missing := os.Stat(filepath.Join(x.deps.Directory, search.FileName))
	index, lost, err := search.Open(search.Options{Directory: x.deps.Directory, Journal: x.deps.Searcher.store})
	if err != nil {
		x.deps.Searcher.set(nil, messages.AsError(opSearch, err))
		return opened{lost: lost, err: err}
	}
	x.index = index
	x.deps.Searcher.again(index.Lagging()...)
	x.deps.Searcher.set(index, nil)
	behind, _ := index.Behind(nil)
	return opened{existed: missing == nil, behind: behind, lost: lost}
}

// close writes the index to disk and closes it, so that the next daemon need not index those events again.
func (x *indexer) close() {
	if x.index == nil {
		return
	}
	x.deps.Searcher.set(nil, errOpening)
	if err := x.index.Close(); err != nil {
		x.deps.Log("search").Warn().Err(err).Msg("end of the search index not written; it will be indexed again")
	}
	x.index = nil
}

// remove closes the index and removes its file.
func (x *indexer) remove() error {
	x.deps.Searcher.set(nil, errOff)
	var err error
	if x.index != nil {
		err = x.index.Abandon()
		x.index = nil
	}
	return errors.Join(err, search.Remove(x.deps.Directory))
}

// A job takes a few tens of milliseconds: it indexes one session after the other, and a bounded number of events of each.
const (
	pieceTime   = 20 * time.Millisecond
	pieceEvents = 512
)

// work carries out a job.
func (x *indexer) work(j job) worked {
	done := worked{job: j}
	if x.index == nil || x.ctx.Err() != nil {
		return done
	}
	if j != check && x.deps.DiskFull() {
		return worked{job: j, err: errDiskFull}
	}
	switch j {
	case advance:
		if done.more, done.err = x.advance(); done.more || done.err != nil {
			return done
		}
		done.more, done.err = x.index.Reduce()
	case flush:
		done.err = x.index.Flush()
	case check:
		done.err = x.index.Check()
	case sweep:
		done.more, done.err = x.index.Sweep()
	}
	return done
}

var errDiskFull = messages.Errorf(opSearch, messages.Exhausted, "the disk is full")

// advance indexes the next events, and reports whether there may be more.
func (x *indexer) advance() (bool, error) {
	for began := time.Now(); time.Since(began) < pieceTime; {
		id, found := x.deps.Searcher.next() // before its head is read, so that later events are reported again
		if !found {
			return false, nil
		}
		more, err := x.index.Advance(id, pieceEvents)
		if more || err != nil {
			x.deps.Searcher.again(id)
		}
		if err != nil {
			return true, err
		}
	}
	return true, nil
}
