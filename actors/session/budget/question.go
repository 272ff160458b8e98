package budget

import (
	"encoding/json"
	"maps"

	"betcode/messages"
)

// question is what people are asked when a budget is used.
type question struct {
	Input []byte // as JSON: what is used, the budget, and what it is raised to
	Used  string // how much is used of what, for the reason
	Next  string // the budget that it is raised to
}

// ask makes the question whether more than a limit may be consumed. of says in the input of what the budget is; it may be nil.
func ask(limit, step messages.BudgetLimit, spent messages.Spent, of map[string]string) question {
	q := question{Used: UsedText(limit, spent), Next: LimitText(Raised(limit, step, spent))}
	input := map[string]string{"used": spentText(spent), "budget": LimitText(limit), "raised": q.Next}
	maps.Copy(input, of)
	var err error
	if q.Input, err = json.Marshal(input); err != nil {
		panic("encode budget: " + err.Error()) // strings only
	}
	return q
}
