package sessionstate

import (
	"slices"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"betcode/grpcapi/translate"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// What the journal takes for rest is idle or stopped here, and nothing else is: a list that leaves out sessions at rest
// leaves out no other, and counts them right.
func TestRest(t *testing.T) {
	for _, stopped := range []messages.Stopped{{}, {At: time.Unix(1, 0)}} {
		for _, waiting := range []string{"", "policy"} {
			for _, held := range []messages.Holding{"", "budget"} {
				for _, condition := range []messages.Condition{"", "agent_missing"} {
					for phase := messages.PhaseNew; phase <= messages.PhaseDamaged; phase++ {
						r := messages.SessionRecord{Phase: phase, Stopped: stopped, Waiting: waiting, Condition: condition, Budget: messages.Budget{Held: held}}
						summary := translate.SummaryOut(&r, time.Time{})
						want := map[Name]messages.Rest{Idle: messages.RestIdle, Stopped: messages.RestStopped}[Of(summary).Name]
						if r.Rest() != want {
							t.Errorf("%s, stopped %v, waiting %q, held %q, condition %q: rest %d, want %d", phase, stopped, waiting, held, condition, r.Rest(), want)
						}
					}
				}
			}
		}
	}
}

func TestOf(t *testing.T) {
	until := timestamppb.New(time.Date(2026, 5, 6, 7, 8, 9, 0, time.UTC))
	for name, test := range map[string]struct {
		session *pb.SessionSummary
		want    State
	}{
		"new":                     {&pb.SessionSummary{Status: "new"}, State{Idle, ""}},
		"idle":                    {&pb.SessionSummary{Status: "idle"}, State{Idle, ""}},
		"a turn":                  {&pb.SessionSummary{Status: "active"}, State{Working, ""}},
		"stopped":                 {&pb.SessionSummary{Status: "idle", StoppedAt: until, StoppedBy: "lea@box:pts/3#12.a1"}, State{Stopped, "by lea@box pts/3"}},
		"stopped by a saved stop": {&pb.SessionSummary{Status: "crashed", Condition: "x", StoppedAt: until}, State{Stopped, ""}},
		"being stopped":           {&pb.SessionSummary{Status: "active", StoppedAt: until, StoppedBy: "x"}, State{Working, ""}},
		"stopped, over budget":    {&pb.SessionSummary{Status: "idle", Waiting: "budget", StoppedAt: until, StoppedBy: "web"}, State{Stopped, "by web"}},
		"stopped, and damaged":    {&pb.SessionSummary{Status: "damaged", StoppedAt: until}, State{Blocked, "its history is damaged"}},
		"closed":                  {&pb.SessionSummary{Status: "closed"}, State{Stopped, ""}},
		"a request":               {&pb.SessionSummary{Status: "active", Undecided: 1, Asks: "ls"}, State{Waiting, "ls"}},
		"requests":                {&pb.SessionSummary{Status: "active", Undecided: 3, Asks: "ls"}, State{Waiting, "ls (1 of 3)"}},
		"a request without text":  {&pb.SessionSummary{Status: "active", Undecided: 1}, State{Waiting, "an answer"}},
		"escapes in a request":    {&pb.SessionSummary{Undecided: 1, Asks: "a\x1b[2Jb"}, State{Waiting, `a\x1b[2Jb`}},
		"its budget":              {&pb.SessionSummary{Status: "idle", Waiting: "budget"}, State{Waiting, "its budget is used"}},
		"the day's budget":        {&pb.SessionSummary{Status: "active", Waiting: "budget_day"}, State{Waiting, "the budget of the day is used"}},
		"a cut turn":              {&pb.SessionSummary{Status: "waiting", Waiting: "policy"}, State{Waiting, "an interrupted turn is to be resumed"}},
		"a condition":             {&pb.SessionSummary{Status: "active", Condition: "api_key_refused"}, State{Blocked, "api key refused"}},
		"idle, with a condition":  {&pb.SessionSummary{Status: "idle", Condition: "agent_missing"}, State{Blocked, "agent missing"}},
		"crashed":                 {&pb.SessionSummary{Status: "crashed"}, State{Blocked, "its agent crashed and is not started again"}},
		"damaged":                 {&pb.SessionSummary{Status: "damaged"}, State{Blocked, "its history is damaged"}},
		"in the queue":            {&pb.SessionSummary{Status: "active", SlotPlace: 2, SlotReason: "busy"}, State{Queued, "place 2: all agents are busy"}},
		"an agent is parked":      {&pb.SessionSummary{Status: "active", SlotPlace: 1}, State{Queued, "place 1: it starts in a moment"}},
		"limited":                 {&pb.SessionSummary{Status: "active", RateLimited: true, RateLimitedUntil: until}, State{Blocked, "rate limited until 2026-05-06T07:08:09Z"}},
		"limited and idle":        {&pb.SessionSummary{Status: "idle", RateLimited: true}, State{Idle, ""}},
		"queued for a limit":      {&pb.SessionSummary{Status: "active", SlotPlace: 1, SlotReason: "rate_limit", RateLimited: true}, State{Queued, "place 1: the account is rate limited"}},
		"an answer comes first":   {&pb.SessionSummary{Status: "active", Undecided: 1, Asks: "ls", Condition: "x", SlotPlace: 1}, State{Waiting, "ls"}},
	} {
		if got := Of(test.session); got != test.want {
			t.Errorf("%s: %+v, want %+v", name, got, test.want)
		}
	}
}

func TestOrder(t *testing.T) {
	names := Names()
	slices.Reverse(names)
	slices.SortFunc(names, Compare)
	if !slices.Equal(names, Names()) || !Known("waiting") || Known("busy") {
		t.Errorf("%v", names)
	}
}
