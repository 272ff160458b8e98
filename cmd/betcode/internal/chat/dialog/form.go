package dialog

import (
	"cmp"
	"strconv"
	"strings"

	"betcode/cmd/betcode/internal/chat/editor"
	"betcode/cmd/betcode/internal/inbox"
	pb "betcode/proto/betcode/v1"
)

// form is the state of the questions of one request.
type form struct {
	at      int // index of the question
	option  int // index of the option under the cursor; len(options): one's own words
	chosen  map[int]bool
	answers map[string]string // text of a question to its answer
}

// question returns the question that is shown.
func (f *form) question(r *inbox.Request) *pb.UserQuestion {
	return r.Questions[min(f.at, len(r.Questions)-1)]
}

func (f *form) move(r *inbox.Request, by int) {
	n := len(f.question(r).GetOptions()) + 1
	f.option = (f.option + by + n) % n
}

// takes reports whether a key is for the form.
func (f *form) takes(r *inbox.Request, k editor.Key) bool {
	q := f.question(r)
	if n, err := strconv.Atoi(k.Text); err == nil {
		return n >= 1 && n <= len(q.GetOptions())
	}
	switch k.Name {
	case "enter", "o", "x":
		return true
	case "space":
		return q.GetMultiSelect()
	}
	return false
}

// formKey handles a key of the form.
func (d *Dialog) formKey(k editor.Key) *pb.AgentRequest {
	f, q := &d.form, d.form.question(d.request)
	d.trouble = ""
	n, err := strconv.Atoi(k.Text)
	if err == nil {
		f.option = n - 1
	}
	switch {
	case k.Name == "x":
		return inbox.Decline(d.request.ID)
	case k.Name == "o" || k.Name == "enter" && f.option >= len(q.GetOptions()):
		d.open(writing, "")
		return nil
	case q.GetMultiSelect() && k.Name != "enter":
		if f.chosen == nil {
			f.chosen = map[int]bool{}
		}
		if f.option < len(q.GetOptions()) {
			f.chosen[f.option] = !f.chosen[f.option]
		}
		return nil
	case q.GetMultiSelect():
		var values []string
		for i, o := range q.GetOptions() {
			if f.chosen[i] {
				values = append(values, value(o))
			}
		}
		if len(values) == 0 {
			d.trouble = "Choose with Space first, or press o for your own words."
			return nil
		}
		return d.answered(strings.Join(values, ", "))
	}
	return d.answered(value(q.GetOptions()[f.option]))
}

func value(o *pb.QuestionOption) string { return cmp.Or(o.GetValue(), o.GetLabel()) }

// answered notes the answer to the shown question. It returns the answers when there is one to each question.
func (d *Dialog) answered(text string) *pb.AgentRequest {
	f := &d.form
	if f.answers == nil {
		f.answers = map[string]string{}
	}
	f.answers[f.question(d.request).GetQuestion()] = text
	f.at, f.option, f.chosen, d.scroll = f.at+1, 0, nil, 0
	if f.at < len(d.request.Questions) {
		return nil
	}
	return &pb.AgentRequest{Request: &pb.AgentRequest_QuestionResponse{QuestionResponse: &pb.UserQuestionResponse{
		QuestionId: d.request.ID, Answers: f.answers,
	}}}
}
