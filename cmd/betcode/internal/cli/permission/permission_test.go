package permission

import (
	"slices"
	"testing"

	pb "betcode/proto/betcode/v1"
)

// Enough of the ids of requests is shown to distinguish them.
func TestShownID(t *testing.T) {
	for name, test := range map[string]struct{ ids, want []string }{
		"none":                {nil, nil},
		"one":                 {[]string{"0b0e8a10-0000-4000"}, []string{"0b0e8a10"}},
		"apart":               {[]string{"0b0e8a10-0000-4000", "1b0e8a10-0000-4000"}, []string{"0b0e8a10", "1b0e8a10"}},
		"a common beginning":  {[]string{"toolu_01-1a", "toolu_01-2a"}, []string{"toolu_01-1", "toolu_01-2"}},
		"short ones":          {[]string{"p1", "p2"}, []string{"p1", "p2"}},
		"one begins with one": {[]string{"request-1", "request-12"}, []string{"request-1", "request-12"}},
		"the same id twice":   {[]string{"p1", "p1"}, []string{"p1", "p1"}}, // of two sessions
	} {
		var list []*pb.PendingPermission
		for _, id := range test.ids {
			list = append(list, &pb.PendingPermission{RequestId: id})
		}
		var got []string
		for _, id := range test.ids {
			got = append(got, beginning(id, shownID(list)))
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}
