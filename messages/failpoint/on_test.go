//go:build failpoint && unix

package failpoint

import (
	"slices"
	"testing"
)

// TestNthTime arms an error for the n-th hit.
func TestNthTime(t *testing.T) {
	plan = parse("a=error@2,b=panic@1")
	t.Cleanup(func() { plan = nil })
	if err := Fail("a"); err != nil {
		t.Errorf("first time: %v", err)
	}
	if Fail("a") == nil {
		t.Error("second time: no error")
	}
	if err := Fail("a"); err != nil {
		t.Errorf("third time: %v", err)
	}
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	Hit("b")
}

// TestEveryNthTime arms an error for every n-th hit.
func TestEveryNthTime(t *testing.T) {
	plan = parse("a=error%3")
	t.Cleanup(func() { plan = nil })
	var failed []int
	for i := range 9 {
		if Fail("a") != nil {
			failed = append(failed, i)
		}
	}
	if !slices.Equal(failed, []int{2, 5, 8}) {
		t.Errorf("failed at %v", failed)
	}
}

// TestNames checks that Actors are among Names, and that no name is a duplicate.
func TestNames(t *testing.T) {
	names := Names()
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			t.Errorf("%s is there twice", name)
		}
	}
	for _, name := range Actors() {
		if !slices.Contains(names, name) {
			t.Errorf("%s is no name", name)
		}
	}
}
