package gitlab

import (
	"math"

	api "gitlab.com/gitlab-org/api/client-go"
)

// How many entries a list has unless it is said, and at most: a GitLab gives no more
// at once.
const (
	defaultLimit = 20
	maxLimit     = 100
)

// window is a part of a list in a GitLab's pages, which are numbered from 1. A part
// that does not begin with a page lies on two of them.
type window struct {
	page, size int64
	skip       int // entries of the first page
	two        bool
}

func windowOf(limit, offset uint32) window {
	if limit == 0 {
		limit = defaultLimit
	}
	size := int64(min(limit, maxLimit))
	skip := int(int64(offset) % size)
	return window{page: int64(offset)/size + 1, size: size, skip: skip, two: skip > 0}
}

// list fetches a part of a list, and says how long the whole is; 0 if it is not known.
func list[T any](q *request, limit, offset uint32, fetch func(api.ListOptions) ([]T, *api.Response, error)) ([]T, uint32, error) {
	w := windowOf(limit, offset)
	all, answer, err := fetch(api.ListOptions{Page: w.page, PerPage: w.size})
	if err != nil {
		return nil, 0, q.failed(answer, err)
	}
	total := uint32(min(max(answer.TotalItems, 0), math.MaxUint32)) //nolint:gosec // cut
	if w.two && len(all) == int(w.size) {
		more, answer, err := fetch(api.ListOptions{Page: w.page + 1, PerPage: w.size})
		if err != nil {
			return nil, 0, q.failed(answer, err)
		}
		all = append(all, more...)
	}
	all = all[min(w.skip, len(all)):]
	return all[:min(int(w.size), len(all))], total, nil
}

func each[From, To any](all []From, translate func(From) To) []To {
	out := make([]To, len(all))
	for i, one := range all {
		out[i] = translate(one)
	}
	return out
}
