package actors

import (
	"fmt"
	"runtime/debug"
	"sync"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/supervision"
)

// worker does an actor's I/O: jobs run one after the other, in the order given,
// on a goroutine that exists only while there is work. So an actor never waits,
// and a thousand quiet actors cost no goroutine.
//
// A job's result, if it is not nil, is delivered as [workDone] with the owner: an
// address outlives a crash of its actor, so a result may meet the next
// incarnation, which must not take it for its own. A job that panics delivers
// [jobPanicked], on which the actor crashes in its own mailbox, where its
// supervisor sees it.
type worker struct {
	owner   any // the actor's struct: one incarnation
	deliver func(message any)
	alive   *labour

	mu      sync.Mutex
	jobs    []func() any
	running bool
	closed  bool
}

// labour counts the goroutines that do the work of all workers, and has them from
// a crew if there is one. It is the system's.
type labour struct {
	sync.WaitGroup

	crew *supervision.Crew
}

func (l *labour) start(f func()) {
	if l.crew == nil {
		l.Go(f)
		return
	}
	l.Add(1)
	l.crew.Go(func() {
		defer l.Done()
		f()
	})
}

// jobPanicked tells an actor that one of its jobs broke an invariant.
type jobPanicked struct {
	reason any
	stack  string
}

func (p jobPanicked) String() string { return fmt.Sprintf("job: %v\n%s", p.reason, p.stack) }

// workDone is the result of a job, on its way to the actor that wanted it.
type workDone struct{ owner, result any }

// newWorker returns the worker of one incarnation of the actor at ctx.
func newWorker(ctx actor.Context, alive *labour, owner any) *worker {
	root, self := ctx.ActorSystem().Root, ctx.Self()
	return &worker{owner: owner, deliver: func(m any) { root.Send(self, m) }, alive: alive}
}

// mine unpacks a message for an incarnation: the result of one of its own jobs,
// or any other message. A result that an earlier incarnation wanted is nil.
func mine(owner, message any) any {
	done, ok := message.(workDone)
	if !ok {
		return message
	}
	if done.owner != owner {
		return nil
	}
	if p, broken := done.result.(jobPanicked); broken {
		panic(p.String())
	}
	return done.result
}

// do queues a job. After close it does nothing.
func (w *worker) do(job func() any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.closed {
		w.queue(job)
	}
}

// queue adds a job and sees to it that somebody does it. The caller holds mu.
func (w *worker) queue(job func() any) {
	w.jobs = append(w.jobs, job)
	if !w.running {
		w.running = true
		w.alive.start(w.run)
	}
}

// close drops the jobs that have not begun and runs last, if it is not nil, when
// the one that runs has ended. It does not wait. Only the first call counts.
func (w *worker) close(last func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return
	}
	w.closed, w.jobs = true, nil
	if last != nil {
		w.queue(func() any { last(); return nil })
	}
}

func (w *worker) run() {
	for {
		w.mu.Lock()
		if len(w.jobs) == 0 {
			w.running = false
			w.mu.Unlock()
			return
		}
		job := w.jobs[0]
		w.jobs = w.jobs[1:]
		w.mu.Unlock()
		if result := guarded(job); result != nil {
			w.deliver(workDone{w.owner, result})
		}
	}
}

func guarded(job func() any) (result any) {
	defer func() {
		if reason := recover(); reason != nil {
			result = jobPanicked{reason: reason, stack: string(debug.Stack())}
		}
	}()
	return job()
}
