package requests

import (
	"maps"
	"slices"
)

// recent remembers the newest [MaxResults] entries. A copy is independent of the original.
type recent[V any] struct {
	keys   []string // oldest first
	values map[string]V
}

func (r recent[V]) get(key string) (V, bool) {
	v, ok := r.values[key]
	return v, ok
}

func (r recent[V]) put(key string, v V) recent[V] {
	values := maps.Clone(r.values)
	if values == nil {
		values = map[string]V{}
	}
	if _, known := values[key]; !known {
		r.keys = append(slices.Clone(r.keys), key)
	}
	values[key] = v
	if len(r.keys) > MaxResults {
		delete(values, r.keys[0])
		r.keys = r.keys[1:]
	}
	return recent[V]{keys: r.keys, values: values}
}
