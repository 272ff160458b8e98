package plan

// cycle returns the ids of a cycle, or nil. Each step depends on the next, and the last id equals the first. All
// dependencies must be known steps.
//
// It removes steps without remaining dependencies until none is left, or each remaining step has a remaining
// dependency. Then a walk along those dependencies reaches a step for the second time.
func (p Plan) cycle() []string {
	needs := p.Dependencies()
	wanted, dependants := Counters(needs)
	var free []int
	for i, n := range wanted {
		if n == 0 {
			free = append(free, i)
		}
	}
	left := len(needs)
	for len(free) > 0 {
		i := free[len(free)-1]
		free = free[:len(free)-1]
		left--
		for _, d := range dependants[i] {
			if wanted[d]--; wanted[d] == 0 {
				free = append(free, d)
			}
		}
	}
	if left == 0 {
		return nil
	}
	at := 0
	for wanted[at] == 0 {
		at++
	}
	var path []int
	place := map[int]int{}
	for {
		if from, again := place[at]; again {
			var ids []string
			for _, i := range append(path[from:], at) {
				ids = append(ids, p.Steps[i].ID)
			}
			return ids
		}
		place[at] = len(path)
		path = append(path, at)
		for _, n := range needs[at] {
			if wanted[n] > 0 {
				at = n
				break
			}
		}
	}
}

// Counters returns for each step the number of steps that it depends on, and the steps that depend on it.
func Counters(needs [][]int) (wanted []int, dependants [][]int) {
	wanted, dependants = make([]int, len(needs)), make([][]int, len(needs))
	for i, all := range needs {
		wanted[i] = len(all)
		for _, n := range all {
			dependants[n] = append(dependants[n], i)
		}
	}
	return wanted, dependants
}
