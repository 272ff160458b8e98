package act

import (
	"fmt"
	"runtime/debug"
	"sync"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/supervision"
)

// Worker does the I/O of an actor. It runs jobs one after the other, in the order given, on a goroutine that exists only
// while there is work: the actor never waits, and a thousand idle actors cost no goroutine.
//
// The result of a job, if it is not nil, is sent to the actor, which takes it with [Unwrap]. An address outlives a crash of
// its actor, so the next incarnation may receive a result; Unwrap drops it there. When a job panics, Unwrap panics in the
// actor's own mailbox, where its supervisor sees it.
type Worker struct {
	owner   any // the actor's struct: one incarnation
	deliver func(message any)
	workers *Workers

	mu      sync.Mutex
	jobs    []func() any
	running bool
	closed  bool
}

// Workers counts the goroutines of all workers, so that the system can wait for them when it stops.
type Workers struct {
	sync.WaitGroup

	Executor *supervision.Executor // runs the goroutines; nil = each is a new one
}

func (w *Workers) start(f func()) {
	if w.Executor == nil {
		w.Go(f)
		return
	}
	w.Add(1)
	w.Executor.Go(func() {
		defer w.Done()
		f()
	})
}

// jobPanicked is the result of a job that broke an invariant.
type jobPanicked struct {
	reason any
	stack  string
}

func (p jobPanicked) String() string { return fmt.Sprintf("job: %v\n%s", p.reason, p.stack) }

// workDone carries the result of a job to the actor that queued it.
type workDone struct{ owner, result any }

// NewWorker returns a worker for one incarnation of the actor at ctx.
func NewWorker(ctx actor.Context, workers *Workers, owner any) *Worker {
	root, self := ctx.ActorSystem().Root, ctx.Self()
	return &Worker{owner: owner, deliver: func(m any) { root.Send(self, m) }, workers: workers}
}

// NewBackground returns a worker without an actor. It passes the results of its jobs that are not nil to report, on its own
// goroutine.
func NewBackground(workers *Workers, report func(result any)) *Worker {
	return &Worker{workers: workers, deliver: func(m any) {
		if done, ok := m.(workDone); ok {
			report(done.result)
		}
	}}
}

// Unwrap returns the message that an incarnation handles: the result of one of its own jobs, or any other message as it is.
// It returns nil for a result of an earlier incarnation's job, and panics if a job panicked.
func Unwrap(owner, message any) any {
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

// Failure returns err as the result of a job: nil, without a type, if there is none.
func Failure(err error) any {
	if err != nil {
		return err
	}
	return nil
}

// Do queues a job. It does nothing after Close.
func (w *Worker) Do(job func() any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.closed {
		w.queue(job)
	}
}

// queue adds a job and starts a goroutine if none runs. The caller holds mu.
func (w *Worker) queue(job func() any) {
	w.jobs = append(w.jobs, job)
	if !w.running {
		w.running = true
		w.workers.start(w.run)
	}
}

// Close drops the jobs that have not begun, and runs last, if it is not nil, after the job that runs. It does not wait. Only
// the first call counts.
func (w *Worker) Close(last func()) {
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

func (w *Worker) run() {
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
