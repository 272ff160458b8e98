package actors

import (
	"context"
	"fmt"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/session"
	"betcode/messages"
)

// ShutdownWanted delivers an operator's request to end the daemon.
func (s *System) ShutdownWanted() <-chan messages.Shutdown { return s.shutdown }

// Drain declares that streams end from now on because the daemon ends: their clients keep their input locks for the next daemon.
func (s *System) Drain() { s.draining.Store(true) }

// Stop ends the tree: the agents first, unless keepAgents is set, then every
// actor, then the workers. Its error names everything that did not stop before ctx ended.
func (s *System) Stop(ctx context.Context, keepAgents bool) error {
	if !keepAgents {
		within := remaining(ctx) * 3 / 4 // the tree has to stop as well
		if err := s.await(ctx, s.actors.Root.RequestFuture(s.sessions, session.EndAgent{}, within)); err != nil {
			s.logOf("daemon").Warn().Err(err).Msg("agents did not end in time")
		}
	}
	if err := s.await(ctx, s.actors.Root.PoisonFuture(s.daemon)); err != nil {
		return fmt.Errorf("stop the tree: %w", err)
	}
	s.background.Close(nil)
	s.archivist.Close(nil)
	s.notifier.Close()
	s.watcher.Close()
	stopped := make(chan struct{})
	go func() { s.workers.Wait(); close(stopped) }()
	select {
	case <-stopped:
		s.executor.Close()
		s.cgroups.RemoveEmpty()
		return nil
	case <-ctx.Done():
		return fmt.Errorf("stop the workers: %w", ctx.Err())
	}
}

// await waits until a future is done or ctx ends.
func (s *System) await(ctx context.Context, future *actor.Future) error {
	done := make(chan error, 1)
	go func() { done <- future.Wait() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func remaining(ctx context.Context) time.Duration {
	if deadline, ok := ctx.Deadline(); ok {
		return time.Until(deadline)
	}
	return time.Minute
}
