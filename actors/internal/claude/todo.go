package claude

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	betcodev1 "betcode/proto/betcode/v1"
)

// todo is one item of the agent's list, or the part of it that a call names.
type todo struct {
	ID          string `json:"id,omitempty"`
	Subject     string `json:"subject,omitempty"`
	Description string `json:"description,omitempty"`
	ActiveForm  string `json:"active,omitempty"`
	Status      string `json:"status,omitempty"`
}

// listTool reports whether a tool changes the list of things to do.
func listTool(name string) bool {
	switch name {
	case "TaskCreate", "TaskUpdate", "TaskList", "TaskGet":
		return true
	}
	return false
}

// wanted returns the change that a call of such a tool requests. It is carried until the
// result, which does not repeat it.
func wanted(tool string, args any) *todo {
	m, _ := args.(map[string]any)
	if m == nil || tool != "TaskCreate" && tool != "TaskUpdate" {
		return nil
	}
	id := textOf(m["taskId"])
	if n, ok := m["taskId"].(float64); ok {
		id = strconv.FormatFloat(n, 'f', -1, 64)
	}
	return &todo{
		ID:          key(id),
		Subject:     carry(textOf(m["subject"]), maxCarried),
		Description: carry(textOf(m["description"]), maxCarried),
		ActiveForm:  carry(textOf(m["activeForm"]), maxCarried),
		Status:      key(textOf(m["status"])),
	}
}

// listed is an item of the list in a tool_use_result.
type listed struct {
	ID          loose  `json:"id"`
	Subject     string `json:"subject"`
	Description string `json:"description"`
	ActiveForm  string `json:"activeForm"`
	Status      string `json:"status"`
}

func (l listed) todo() todo {
	return todo{
		ID: key(string(l.ID)), Subject: carry(l.Subject, maxCarried), Description: carry(l.Description, maxCarried),
		ActiveForm: carry(l.ActiveForm, maxCarried), Status: key(l.Status),
	}
}

// changedTodos applies the result of a Task* tool to the list, and drafts it if
// that changed anything.
func (t *translation) changedTodos(c call) {
	var r struct {
		Task    *listed  `json:"task"`
		Tasks   []listed `json:"tasks"`
		TaskID  loose    `json:"taskId"`
		Success *bool    `json:"success"`
		Change  *struct {
			To string `json:"to"`
		} `json:"statusChange"`
	}
	_ = json.Unmarshal(t.l.ToolUseResult, &r) // a result of another shape changes nothing
	list := slices.Clone(t.s.d.Todos)
	asked := todo{}
	if c.Todo != nil {
		asked = *c.Todo
	}
	switch {
	case r.Success != nil && !*r.Success:
		return
	case c.Name == "TaskList" && r.Tasks != nil: // the whole list, without descriptions
		all := make([]todo, 0, len(r.Tasks))
		for _, l := range r.Tasks {
			now := l.todo()
			if i := findTodo(list, now.ID); i >= 0 {
				now = merged(list[i], now)
			}
			all = append(all, now)
		}
		list = all
	case r.Task != nil && r.Task.ID != "":
		now := merged(asked, r.Task.todo())
		list = put(list, now)
	case c.Name == "TaskUpdate":
		if asked.ID == "" {
			asked.ID = key(string(r.TaskID))
		}
		if r.Change != nil {
			asked.Status = key(r.Change.To)
		}
		if asked.ID != "" {
			list = put(list, asked)
		}
	}
	list = slices.DeleteFunc(list, func(d todo) bool { return d.Status == "deleted" })
	if !slices.Equal(list, t.s.d.Todos) {
		t.setTodos(list)
	}
}

// wroteTodos takes the list from the input of TodoWrite, which has the whole list. A
// subagent's list is shown and not kept.
func (t *translation) wroteTodos(tool string, args any) {
	if tool != "TodoWrite" {
		return
	}
	m, _ := args.(map[string]any)
	items, ok := m["todos"].([]any)
	if !ok {
		return
	}
	var list []todo
	for n, e := range items {
		f, _ := e.(map[string]any)
		d := todo{
			ID: key(textOf(f["id"])), Subject: carry(textOf(f["content"]), maxCarried),
			ActiveForm: carry(textOf(f["activeForm"]), maxCarried), Status: key(textOf(f["status"])),
		}
		fill(&d.ID, strconv.Itoa(n+1))
		if d.Subject != "" {
			list = append(list, d)
		}
	}
	if t.main() {
		t.setTodos(list)
	} else {
		t.draftTodos(bounded(list))
	}
}

func (t *translation) setTodos(list []todo) {
	t.s.d.Todos = bounded(list)
	t.draftTodos(t.s.d.Todos)
}

// bounded drops completed items first, then the oldest.
func bounded(list []todo) []todo {
	for len(list) > maxTodos {
		list = without(list, max(0, slices.IndexFunc(list, func(d todo) bool { return d.Status == "completed" })))
	}
	return list
}

func (t *translation) draftTodos(list []todo) {
	u := &betcodev1.TodoUpdate{}
	for _, d := range list {
		u.Items = append(u.Items, &betcodev1.TodoItem{
			Id: d.ID, Subject: d.Subject, Description: d.Description, ActiveForm: d.ActiveForm,
			Status: todoStatus(d.Status),
		})
	}
	t.draft(&betcodev1.AgentEvent{Event: &betcodev1.AgentEvent_TodoUpdate{TodoUpdate: u}})
}

func todoStatus(s string) betcodev1.TodoStatus {
	switch strings.ToLower(s) {
	case "pending", "":
		return betcodev1.TodoStatus_PENDING
	case "in_progress":
		return betcodev1.TodoStatus_IN_PROGRESS
	case "completed":
		return betcodev1.TodoStatus_COMPLETED
	}
	return betcodev1.TodoStatus_TODO_STATUS_UNSPECIFIED
}

// put replaces the todo of that id, or adds one.
func put(list []todo, d todo) []todo {
	if i := findTodo(list, d.ID); i >= 0 {
		list[i] = merged(list[i], d)
		return list
	}
	return append(list, d)
}

func findTodo(list []todo, id string) int {
	return slices.IndexFunc(list, func(d todo) bool { return d.ID == id })
}

// merged returns old with the members that now has.
func merged(old, now todo) todo {
	fill(&now.ID, old.ID)
	fill(&now.Subject, old.Subject)
	fill(&now.Description, old.Description)
	fill(&now.ActiveForm, old.ActiveForm)
	fill(&now.Status, old.Status)
	return now
}
