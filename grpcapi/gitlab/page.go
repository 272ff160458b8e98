package gitlab

import (
	"math"

	api "gitlab.com/gitlab-org/api/client-go"
)

// The number of entries of a list, by default and at most. A GitLab returns no more at once.
const (
	defaultLimit = 20
	maxLimit     = 100
)

// window is a part of a list in pages of a GitLab, which are numbered from 1. A part that does not
// begin at a page boundary covers two pages.
type window struct {
	page, size int64
	skip       int // entries of the first page to skip
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

// list fetches a part of a list. It also returns the length of the whole list, 0 if that is not known.
func list[T any](q *request, limit, offset uint32, fetch func(api.ListOptions) ([]T, *api.Response, error)) ([]T, uint32, error) {
	w := windowOf(limit, offset)
	all, answer, err := fetch(api.ListOptions{Page: w.page, PerPage: w.size})
	if err != nil {
		return nil, 0, q.failed(answer, err)
	}
	total := uint32(min(max(answer.TotalItems, 0), math.MaxUint32)) //nolint:gosec // bounded
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
