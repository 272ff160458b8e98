package damage

import (
	"errors"
	"slices"
	"testing"

	"betcode/actors/session/ending"
	"betcode/messages"
)

func found() Damage[string] {
	return Found[string](messages.DamagedSession{Err: &messages.Error{Kind: messages.DataLoss}})
}

func TestAgentsAreEndedOnce(t *testing.T) {
	d := found()
	if !d.Busy() || d.Wait(ending.Stop, "ann") || d.Wait(ending.Shutdown, "daemon") {
		t.Error("agents are ended twice at once")
	}
	before := d
	o := d.Ended(nil)
	if !slices.Equal(o.Stopped, []string{"ann"}) || !slices.Equal(o.Ready, []string{"daemon"}) || len(o.Failed) > 0 || o.Delete || d.Busy() {
		t.Errorf("%+v", o)
	}
	if !d.Wait(ending.Stop, "eve") || !d.Busy() {
		t.Error("agents that were found since are not ended")
	}
	if got := before.Ended(nil).Stopped; !slices.Equal(got, []string{"ann"}) {
		t.Errorf("a copy has %v", got)
	}
}

func TestDeletionWaitsForTheAgents(t *testing.T) {
	d := found()
	d.Wait(ending.Delete, "ann")
	if o := d.Ended(nil); !o.Delete || len(o.Stopped)+len(o.Failed) > 0 || !d.Busy() {
		t.Errorf("%+v", o)
	}
	if got := d.Deleted(); !slices.Equal(got, []string{"ann"}) || d.Busy() {
		t.Errorf("%v, busy %v", got, d.Busy())
	}
}

func TestAgentsThatCannotBeEnded(t *testing.T) {
	d := found()
	d.Wait(ending.Delete, "ann")
	d.Wait(ending.Stop, "eve")
	d.Wait(ending.Shutdown, "daemon")
	o := d.Ended(errors.New("it does not go"))
	if !slices.Equal(o.Failed, []string{"eve", "ann"}) || !slices.Equal(o.Ready, []string{"daemon"}) || len(o.Stopped) > 0 || o.Delete || d.Busy() {
		t.Errorf("%+v", o)
	}
}

func TestRefusalIsACopy(t *testing.T) {
	d := found()
	if a, b := d.Refusal(), d.Refusal(); a == b || a == d.Err || a.Kind != messages.DataLoss {
		t.Error("callers share an error")
	}
}
