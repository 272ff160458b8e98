package messages

import (
	"math"
	"testing"
	"time"
)

func TestBudgetLevel(t *testing.T) {
	usd := func(n uint64) BudgetLimit { return BudgetLimit{Micros: n} }
	for name, c := range map[string]struct {
		limit BudgetLimit
		spent Spent
		want  BudgetLevel
	}{
		"no limit":    {BudgetLimit{}, Spent{Micros: math.MaxUint64}, BudgetOK},
		"nothing":     {usd(100), Spent{}, BudgetOK},
		"below 80 %":  {usd(1000), Spent{Micros: 799}, BudgetOK},
		"80 %":        {usd(1000), Spent{Micros: 800}, BudgetNear},
		"below":       {usd(1000), Spent{Micros: 999}, BudgetNear},
		"the limit":   {usd(1000), Spent{Micros: 1000}, BudgetReached},
		"above":       {usd(1000), Spent{Micros: 5000}, BudgetReached},
		"the least":   {usd(1), Spent{}, BudgetOK},
		"tokens":      {BudgetLimit{Micros: 9, Tokens: 5}, Spent{Tokens: 5}, BudgetReached},
		"time":        {BudgetLimit{Work: time.Hour}, Spent{Work: time.Hour}, BudgetReached},
		"the largest": {usd(math.MaxUint64), Spent{Micros: math.MaxUint64 - 1}, BudgetNear},
	} {
		if got := c.limit.Level(c.spent); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
