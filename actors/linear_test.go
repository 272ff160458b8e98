package actors

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/anishathalye/porcupine"

	"betcode/messages"
)

// lockCall is an operation of a client on the input lock, and lockOutcome its result.
type lockCall struct {
	what   string // "take", "release", "write"
	client messages.ClientID
}

type lockOutcome struct {
	granted  bool
	holder   messages.ClientID // who has it now, if not the client
	previous messages.ClientID // from whom it was taken
}

// lockHeld is the lock as the model sees it.
type lockHeld struct{ holder, previous messages.ClientID }

// lockModel is the sequential specification of an input lock: one client holds it, only the holder writes, and
// it passes from holder to holder.
func lockModel(first messages.ClientID) porcupine.Model {
	return porcupine.Model{
		Init: func() any { return lockHeld{holder: first} },
		Step: func(state, input, output any) (bool, any) {
			held, call, got := state.(lockHeld), input.(lockCall), output.(lockOutcome)
			mine := held.holder == call.client
			if !got.granted {
				return !mine && got.holder == held.holder, held
			}
			switch call.what {
			case "take":
				if mine { // the client had the lock, or was given it
					return got.previous == call.client || got.previous == held.previous, held
				}
				return got.previous == held.holder, lockHeld{call.client, held.holder}
			case "release":
				return mine, lockHeld{got.holder, call.client}
			}
			if held.holder == "" { // the first client that writes gets the lock
				return true, lockHeld{call.client, ""}
			}
			return mine, held
		},
		DescribeOperation: func(input, output any) string { return fmt.Sprintf("%+v → %+v", input, output) },
	}
}

// recorder collects the operations of concurrent clients.
type recorder struct {
	clock atomic.Int64
	mu    sync.Mutex
	done  []porcupine.Operation
}

// record carries out one operation and records it.
func (r *recorder) record(client int, input any, do func() any) {
	call := r.clock.Add(1)
	output := do()
	end := r.clock.Add(1)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done = append(r.done, porcupine.Operation{ClientId: client, Input: input, Call: call, Output: output, Return: end})
}

// ofLock carries out an operation of a client on the lock.
func (d *days) ofLock(call lockCall) lockOutcome {
	var r messages.Request
	switch call.what {
	case "take":
		r = messages.TakeLock{Session: sessionA, Client: call.client}
	case "release":
		r = messages.ReleaseLock{Session: sessionA, Client: call.client}
	default:
		r = messages.ChangeSettings{Session: sessionA, Client: call.client, Model: "haiku"}
	}
	answer, err := d.Ask(context.Background(), r)
	var refused *messages.Error
	if errors.As(err, &refused) && refused.Code == messages.NoInputLock {
		return lockOutcome{holder: messages.ClientID(refused.Details["holder_client_id"])}
	}
	if err != nil {
		d.t.Errorf("%+v: %v", call, err)
	}
	switch a := answer.(type) {
	case messages.LockAnswer:
		return lockOutcome{granted: a.Granted, holder: a.Holder, previous: a.Previous}
	default:
		return lockOutcome{granted: true}
	}
}

// contend lets clients use the lock concurrently, each with its own random source,
// and returns their operations.
func (d *days) contend(clients, each int, seed uint64) (first messages.ClientID, history []porcupine.Operation) {
	var names []messages.ClientID
	for i := range clients {
		name := messages.ClientID(fmt.Sprint("client-", i))
		f, _, err := d.Attach(context.Background(), messages.Attach{Session: sessionA, Client: name, Stream: string(name), History: messages.HistoryNone})
		if err != nil {
			d.t.Fatal(err)
		}
		defer f.Close()
		names = append(names, name)
	}
	synctest.Wait()
	var r recorder
	var work sync.WaitGroup
	for i, name := range names {
		work.Go(func() {
			chance := rand.New(rand.NewPCG(seed, uint64(i)))
			for range each {
				what := []string{"take", "take", "release", "write", "write", "write"}[chance.IntN(6)]
				call := lockCall{what, name}
				r.record(i, call, func() any { return d.ofLock(call) })
				time.Sleep(time.Duration(chance.IntN(4000)) * time.Millisecond)
			}
		})
	}
	work.Wait()
	return names[0], r.done
}

// The history of the input lock that concurrent clients of the real system see is
// linearizable; and the check fails for a history that is not.
func TestInputLockIsLinearizable(t *testing.T) {
	for seed := range uint64(5) {
		synctest.Test(t, func(t *testing.T) {
			d := &days{t: t, store: newMemoryStore(), began: time.Now().Round(0)}
			d.seed("p1", "Bash")
			d.start()
			first, history := d.contend(4, 25, seed)
			d.stop()
			time.Sleep(2 * time.Second)
			model := lockModel(first)
			if result, _ := porcupine.CheckOperationsVerbose(model, history, 0); result != porcupine.Ok {
				for _, op := range history {
					t.Logf("%3d-%3d %s", op.Call, op.Return, model.DescribeOperation(op.Input, op.Output))
				}
				t.Fatalf("seed %d: the history is %s", seed, result)
			}
			t.Logf("seed %d: %s", seed, census(history))
			if found, lies := caught(model, history); lies > 0 && found == 0 {
				t.Errorf("seed %d: of %d lies %d are found", seed, lies, found)
			}
		})
	}
}

func census(history []porcupine.Operation) string {
	count := map[string]int{}
	for _, op := range history {
		count[fmt.Sprintf("%s %v", op.Input.(lockCall).what, op.Output.(lockOutcome).granted)]++
	}
	return fmt.Sprint(count)
}

// caught turns each refused write into an accepted one, one at a time, and counts how
// often the check finds that.
func caught(model porcupine.Model, history []porcupine.Operation) (found, lies int) {
	for i, op := range history {
		if op.Input.(lockCall).what != "write" || op.Output.(lockOutcome).granted {
			continue
		}
		lies++
		lie := append([]porcupine.Operation(nil), history...)
		lie[i].Output = lockOutcome{granted: true}
		if !porcupine.CheckOperations(model, lie) {
			found++
		}
	}
	return found, lies
}

// The model rejects wrong histories.
func TestLockModel(t *testing.T) {
	type op struct {
		what   string
		client messages.ClientID
		out    lockOutcome
	}
	yes := func(holder, previous messages.ClientID) lockOutcome { return lockOutcome{true, holder, previous} }
	no := func(holder messages.ClientID) lockOutcome { return lockOutcome{holder: holder} }
	for name, c := range map[string]struct {
		ops  []op
		want bool
	}{
		"handed over":           {[]op{{"write", "a", yes("", "")}, {"release", "a", yes("b", "a")}, {"take", "b", yes("b", "a")}, {"write", "b", yes("", "")}}, true},
		"freed":                 {[]op{{"release", "a", yes("", "a")}, {"write", "b", yes("", "")}, {"write", "a", no("b")}}, true},
		"two write":             {[]op{{"write", "a", yes("", "")}, {"write", "b", yes("", "")}}, false},
		"written after release": {[]op{{"release", "a", yes("b", "a")}, {"write", "a", yes("", "")}}, false},
		"taken from nobody":     {[]op{{"take", "b", yes("b", "c")}}, false},
		"refused for another":   {[]op{{"write", "b", no("c")}}, false},
		"refused for oneself":   {[]op{{"take", "a", no("a")}}, false},
	} {
		var history []porcupine.Operation
		for i, o := range c.ops {
			history = append(history, porcupine.Operation{Input: lockCall{o.what, o.client}, Output: o.out, Call: int64(2 * i), Return: int64(2*i + 1)})
		}
		if got := porcupine.CheckOperations(lockModel("a"), history); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
