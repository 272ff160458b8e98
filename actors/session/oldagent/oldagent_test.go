package oldagent

import (
	"slices"
	"testing"

	"betcode/messages"
)

func input(key string, run messages.RunNumber, s messages.InputState) messages.InputRecord {
	return messages.InputRecord{Key: key, Run: run, State: s}
}

func TestBegins(t *testing.T) {
	inputs := []messages.InputRecord{
		input("accepted", 1, messages.InputAccepted), input("former", 1, messages.InputWritten), input("started", 2, messages.InputStarted),
		input("written", 2, messages.InputWritten), input("later", 2, messages.InputWritten),
	}
	if in, ok := Begins(inputs, 2); !ok || in.Key != "written" || in.State != messages.InputStarted || inputs[3].State != messages.InputWritten {
		t.Errorf("%+v, %v", in, ok)
	}
	if in, ok := Begins(inputs, 3); ok {
		t.Errorf("%+v", in)
	}
}

func TestAnswered(t *testing.T) {
	begun, written, former := input("begun", 2, messages.InputStarted), input("written", 2, messages.InputWritten), input("former", 1, messages.InputStarted)
	for name, test := range map[string]struct {
		inputs []messages.InputRecord
		named  []string
		want   []string
	}{
		"none":              {nil, nil, nil},
		"begun":             {[]messages.InputRecord{former, written, begun}, nil, []string{"begun"}},
		"named and begun":   {[]messages.InputRecord{begun, written}, []string{"other"}, []string{"other", "begun"}},
		"named":             {[]messages.InputRecord{begun}, []string{"begun"}, []string{"begun"}},
		"a command":         {[]messages.InputRecord{former, written, input("next", 2, messages.InputWritten)}, nil, []string{"written"}},
		"of an earlier run": {[]messages.InputRecord{former}, nil, nil},
		"not given":         {[]messages.InputRecord{input("k", 2, messages.InputAccepted)}, nil, nil},
	} {
		if got := Answered(test.inputs, 2, test.named); !slices.Equal(got, test.want) {
			t.Errorf("%s: %v", name, got)
		}
	}
}
