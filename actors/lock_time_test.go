package actors

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"betcode/messages"
)

// The times of the input lock, in the real system and virtual time: ten seconds for the
// holder to answer, five minutes until it is offered, ten seconds to come back after a
// crash of the daemon.
func TestLockTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &days{t: t, store: newMemoryStore(), began: time.Now().Round(0)}
		d.seed("p1", "Bash")
		d.start()
		join := func(client messages.ClientID) {
			if _, _, err := d.Attach(context.Background(), messages.Attach{Session: sessionA, Client: client, Stream: string(client)}); err != nil {
				t.Error(err)
			}
			synctest.Wait()
		}
		ask := func(client messages.ClientID) (messages.LockAnswer, time.Duration) {
			began := time.Now()
			reply, err := d.Ask(context.Background(), messages.TakeLock{Session: sessionA, Client: client})
			if err != nil {
				t.Errorf("%s asks: %v", client, err)
			}
			answer, _ := reply.(messages.LockAnswer)
			return answer, time.Since(began).Round(time.Second)
		}
		holder := func() messages.ClientID {
			view, err := d.ask(messages.GetSession{Session: sessionA})
			if err != nil {
				t.Error(err)
				return ""
			}
			return view.(messages.SessionView).LockHolder
		}
		join("ann")
		join("bob")
		if got, after := ask("bob"); !got.Granted || after != 10*time.Second {
			t.Errorf("nobody answers: %+v after %s", got, after)
		}
		refused := make(chan messages.LockAnswer)
		go func() {
			got, _ := ask("ann")
			refused <- got
		}()
		synctest.Wait()
		if _, err := d.ask(messages.RefuseLock{Session: sessionA, Client: "bob"}); err != nil {
			t.Error(err)
		}
		if got := <-refused; got.Granted || !got.Refused {
			t.Errorf("refused: %+v", got)
		}
		time.Sleep(5*time.Minute + time.Second)
		synctest.Wait()
		if holder() != "bob" {
			t.Error("an offer has taken the lock away")
		}
		if got, after := ask("ann"); !got.Granted || after != 0 || got.Previous != "bob" {
			t.Errorf("offered: %+v after %s", got, after)
		}

		d.stop()
		d.start()
		join("bob")
		if got, after := ask("bob"); !got.Granted || after > 10*time.Second || after < 8*time.Second {
			t.Errorf("ann does not come back: %+v after %s", got, after)
		}
		d.stop()
		time.Sleep(2 * time.Second)
	})
}

// A client that attaches before the holder is back does not get the lock, whether the daemon was killed or ended its streams in
// order; the holder has the whole grace to come back.
func TestLockIsKeptForItsHolder(t *testing.T) {
	for name, orderly := range map[string]bool{"after a kill": false, "after an orderly end": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := &days{t: t, store: newMemoryStore(), began: time.Now().Round(0)}
				d.seed("p1", "Bash")
				d.start()
				join := func(client messages.ClientID) *Follower {
					f, _, err := d.Attach(context.Background(), messages.Attach{Session: sessionA, Client: client, Stream: string(client)})
					if err != nil {
						t.Fatal(err)
					}
					synctest.Wait()
					return f
				}
				write := func(client messages.ClientID) messages.Code {
					_, err := d.Ask(context.Background(), messages.ChangeSettings{Session: sessionA, Client: client, Model: "opus"})
					return messages.AsError("", err).Code
				}
				writer := join("ann")
				if orderly {
					d.Drain()
					writer.Close()
					synctest.Wait()
				}
				d.stop()
				d.start()
				join("owner")
				if code := write("owner"); code != messages.NoInputLock {
					t.Errorf("a client that came early may write: %q", code)
				}
				time.Sleep(9 * time.Second)
				join("ann")
				time.Sleep(time.Minute)
				synctest.Wait()
				if code := write("owner"); code != messages.NoInputLock {
					t.Errorf("the holder has come back, and another client may write: %q", code)
				}
				if code := write("ann"); code != "" {
					t.Errorf("the holder may not write: %q", code)
				}
				d.stop()
				time.Sleep(2 * time.Second)
			})
		})
	}
}
