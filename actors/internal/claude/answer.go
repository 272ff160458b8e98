package claude

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"

	"betcode/messages"
)

// AnswerLine answers an AskUserQuestion: its whole input, byte for byte, and the
// answers. The keys of answers are the texts of the questions as clients have
// seen them; the agent gets the texts as it wrote them, since it looks them up. A
// question that is left out is not answered.
//
// The agent takes answers without the key of any question for no answer at all, and
// reports no error. They are refused here, unless there is but one question and
// one answer.
func AnswerLine(id string, input []byte, answers map[string]string) ([]byte, error) {
	const op = "answer question"
	object, err := oneLineObject(op, input)
	if err != nil {
		return nil, err
	}
	var asked struct {
		Questions []struct {
			Text json.RawMessage `json:"question"`
		} `json:"questions"`
	}
	if err := json.Unmarshal(object, &asked); err != nil || len(asked.Questions) == 0 {
		return nil, messages.Errorf(op, messages.Invalid, "the request has no questions")
	}
	left := maps.Clone(answers)
	var pairs [][]byte
	for _, q := range asked.Questions {
		var full string
		if !isString(q.Text) || json.Unmarshal(q.Text, &full) != nil {
			continue
		}
		shown := shownQuestion(full)
		if a, ok := left[shown]; ok {
			pairs = append(pairs, pair(q.Text, a))
			delete(left, shown)
		}
	}
	if len(pairs) == 0 && len(asked.Questions) == 1 && len(left) == 1 && isString(asked.Questions[0].Text) {
		for k, a := range left {
			pairs = append(pairs, pair(asked.Questions[0].Text, a))
			delete(left, k)
		}
	}
	if len(pairs) == 0 {
		return nil, messages.Errorf(op, messages.Invalid, "no answer is for a question of this request").
			WithHint("The keys of the answers are the texts of the questions.")
	}
	for _, k := range slices.Sorted(maps.Keys(left)) {
		pairs = append(pairs, pair(text(k), left[k]))
	}
	end := bytes.LastIndexByte(object, '}') // it has questions, so a comma is due
	whole := bytes.Join([][]byte{object[:end], []byte(`,"answers":{`), bytes.Join(pairs, []byte(",")), []byte("}}")}, nil)
	return splice(id, whole), nil
}

func isString(raw []byte) bool { return len(raw) > 0 && raw[0] == '"' }

func pair(key []byte, value string) []byte {
	return bytes.Join([][]byte{key, text(value)}, []byte(":"))
}

func text(s string) []byte { return bytes.TrimSuffix(encode(s), []byte("\n")) }
