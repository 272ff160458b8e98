package budget

import (
	"math"
	"testing"
	"testing/quick"
	"time"

	"betcode/messages"
)

func TestAdd(t *testing.T) {
	for name, c := range map[string]struct {
		turns []Turn
		want  messages.Spent
	}{
		"nothing":      {},
		"one":          {[]Turn{{USD: 0.25, CostKnown: true, Tokens: 7}}, messages.Spent{Micros: 250_000, Tokens: 7, Turns: 1}},
		"decimals":     {[]Turn{{USD: 0.1, CostKnown: true}, {USD: 0.2, CostKnown: true}}, messages.Spent{Micros: 300_000, Turns: 2}},
		"unknown":      {[]Turn{{Tokens: 3}}, messages.Spent{Tokens: 3, Turns: 1, Unknown: 1}},
		"free":         {[]Turn{{CostKnown: true}}, messages.Spent{Turns: 1}},
		"below 0":      {[]Turn{{USD: -5, CostKnown: true}}, messages.Spent{Turns: 1, Unknown: 1}},
		"no number":    {[]Turn{{USD: math.NaN(), CostKnown: true}}, messages.Spent{Turns: 1, Unknown: 1}},
		"endless":      {[]Turn{{USD: math.Inf(1), CostKnown: true}}, messages.Spent{Turns: 1, Unknown: 1}},
		"too much":     {[]Turn{{USD: 1e300, CostKnown: true}}, messages.Spent{Turns: 1, Unknown: 1}},
		"many tokens":  {[]Turn{{CostKnown: true, Tokens: math.MaxUint64}}, messages.Spent{Tokens: maxTurnTokens, Turns: 1}},
		"a millionth":  {[]Turn{{USD: 0.000_001, CostKnown: true}}, messages.Spent{Micros: 1, Turns: 1}},
		"less than it": {[]Turn{{USD: 0.000_000_4, CostKnown: true}}, messages.Spent{Turns: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			var got messages.Spent
			for _, turn := range c.turns {
				got = Add(got, turn)
			}
			if got != c.want {
				t.Errorf("%+v, want %+v", got, c.want)
			}
		})
	}
}

// A sum never falls, whatever an agent reports, and stops at the largest number.
func TestSumsNeverFall(t *testing.T) {
	grows := func(micros, tokens uint64, work int64, usd float64, known bool, more uint64, d int64) bool {
		before := messages.Spent{Micros: micros, Tokens: tokens, Work: time.Duration(max(work, 0)), Turns: math.MaxUint32, Unknown: math.MaxUint32}
		after := Worked(CutOff(Add(before, Turn{usd, known, more})), time.Duration(d))
		return after.Micros >= before.Micros && after.Tokens >= before.Tokens && after.Work >= before.Work &&
			after.Turns == before.Turns && after.Unknown == before.Unknown
	}
	if err := quick.Check(grows, nil); err != nil {
		t.Error(err)
	}
}

// A raised budget leaves room, and only what was reached is raised, by whole steps.
func TestRaised(t *testing.T) {
	five := messages.BudgetLimit{Micros: 5_000_000, Tokens: 100, Work: time.Hour}
	for name, c := range map[string]struct {
		limit messages.BudgetLimit
		spent messages.Spent
		want  messages.BudgetLimit
	}{
		"a little": {five, messages.Spent{Micros: 5_120_000, Tokens: 7}, messages.BudgetLimit{Micros: 10_000_000, Tokens: 100, Work: time.Hour}},
		"exactly":  {five, messages.Spent{Micros: 5_000_000}, messages.BudgetLimit{Micros: 10_000_000, Tokens: 100, Work: time.Hour}},
		"far":      {five, messages.Spent{Micros: 17_000_000}, messages.BudgetLimit{Micros: 20_000_000, Tokens: 100, Work: time.Hour}},
		"a step":   {five, messages.Spent{Micros: 10_000_000}, messages.BudgetLimit{Micros: 15_000_000, Tokens: 100, Work: time.Hour}},
		"all":      {five, messages.Spent{Micros: 5e6, Tokens: 100, Work: time.Hour}, messages.BudgetLimit{Micros: 10_000_000, Tokens: 200, Work: 2 * time.Hour}},
		"nothing":  {five, messages.Spent{}, five},
		"no limit": {messages.BudgetLimit{}, messages.Spent{Micros: 9}, messages.BudgetLimit{}},
	} {
		if got := Raised(c.limit, five, c.spent); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
	leaves := func(limit, step, used uint64) bool {
		limit, step, used = limit>>2, step>>2, used>>2
		l := Raised(messages.BudgetLimit{Micros: limit}, messages.BudgetLimit{Micros: step}, messages.Spent{Micros: used})
		return limit == 0 || l.Level(messages.Spent{Micros: used}) != messages.BudgetReached
	}
	if err := quick.Check(leaves, nil); err != nil {
		t.Error(err)
	}
}

// Sums that were not kept yet are those of the usage.
func TestBefore(t *testing.T) {
	usage := messages.Usage{InputTokens: 1, OutputTokens: 2, CacheReadTokens: 4, CacheCreationTokens: 8, CostUSD: 0.25}
	if got, want := Before(messages.Spent{}, usage), (messages.Spent{Micros: 250_000, Tokens: 11}); got != want {
		t.Errorf("%+v", got)
	}
	kept := messages.Spent{Micros: 1}
	if got := Before(kept, usage); got != kept {
		t.Errorf("%+v", got)
	}
	if got := Before(messages.Spent{}, messages.Usage{CostUSD: math.NaN()}); got != (messages.Spent{}) {
		t.Errorf("%+v", got)
	}
}
