package messages

import "testing"

func TestRights(t *testing.T) {
	for _, test := range []struct {
		scopes []string
		want   string
	}{
		{[]string{"view"}, "view"},
		{[]string{"approve"}, "view,approve"},
		{[]string{"control", "approve"}, "view,approve,control"},
		{[]string{"admin"}, "view,approve,control,admin"},
		{[]string{"proxy"}, "proxy"},
		{[]string{"proxy", "view"}, "view,proxy"},
		{[]string{"admin", "view"}, "view,approve,control,admin"},
	} {
		r, err := ParseRights(test.scopes)
		if err != nil || r.String() != test.want {
			t.Errorf("%v: %s, %v", test.scopes, r, err)
		}
	}
	for _, wrong := range [][]string{nil, {""}, {"View"}, {"view", "root"}} {
		if r, err := ParseRights(wrong); err == nil || KindOf(err) != Invalid {
			t.Errorf("%q: %s, %v", wrong, r, err)
		}
	}
}
