package output

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"text/template"
	"time"

	"github.com/itchyny/gojq"

	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/exit"
	"betcode/messages/visible"
)

// question is a jq expression that is ready to be asked of values.
type question struct {
	text string
	code *gojq.Code
}

// compileQuestion reads a jq expression.
func compileQuestion(expression string) (question, error) {
	parsed, err := gojq.Parse(expression)
	if err != nil {
		return question{}, exit.Usage(fmt.Errorf("--jq %s: %w", expression, err))
	}
	code, err := gojq.Compile(parsed)
	if err != nil {
		return question{}, exit.Usage(fmt.Errorf("--jq %s: %w", expression, err))
	}
	return question{expression, code}, nil
}

// ask writes the results of the expression for a value: texts unchanged, anything else as a line of
// JSON.
func (q question) ask(w io.Writer, value any) error {
	results := q.code.Run(plain(value))
	for {
		result, more := results.Next()
		if !more {
			return nil
		}
		if err, failed := result.(error); failed {
			var halt *gojq.HaltError
			if errors.As(err, &halt) && halt.Value() == nil {
				return nil
			}
			return exit.With(exit.Failed, fmt.Errorf("--jq %s: %w", q.text, err))
		}
		var err error
		if s, ok := result.(string); ok {
			_, err = fmt.Fprintln(w, s)
		} else {
			err = console.WriteValue(w, result, "")
		}
		if err != nil {
			return err
		}
	}
}

// plain returns a value in the kinds that gojq knows.
func plain(value any) any {
	switch value := value.(type) {
	case map[string]any:
		object := make(map[string]any, len(value))
		for key, v := range value {
			object[key] = plain(v)
		}
		return object
	case []map[string]any:
		list := make([]any, len(value))
		for i, v := range value {
			list[i] = plain(v)
		}
		return list
	case []any:
		list := make([]any, len(value))
		for i, v := range value {
			list[i] = plain(v)
		}
		return list
	case int64:
		return int(value)
	case uint64:
		if n := int(value); n >= 0 {
			return n
		}
		return new(big.Int).SetUint64(value)
	}
	return value
}

// compileTemplate reads the text of -o template=TEXT.
func compileTemplate(text string) (*template.Template, error) {
	parsed, err := template.New("template").Option("missingkey=zero").Funcs(template.FuncMap{
		"json": func(value any) (string, error) {
			raw, err := json.Marshal(value)
			return visible.JSON(string(raw)), err
		},
		"short":   func(n int, text string) string { return console.Shorten(text, n) },
		"timeago": timeAgo,
	}).Parse(text)
	if err != nil {
		return nil, exit.Usage(fmt.Errorf("--output template: %w", err))
	}
	return parsed, nil
}

// execute writes a template for an object, on a line of its own.
func execute(w io.Writer, parsed *template.Template, object map[string]any) error {
	if err := parsed.Execute(w, object); err != nil {
		return exit.With(exit.Failed, fmt.Errorf("--output template: %w", err))
	}
	_, err := fmt.Fprintln(w)
	return err
}

// timeAgo returns how long ago a time in RFC 3339 was.
func timeAgo(text string) (string, error) {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return "", err
	}
	return console.Span(time.Since(at)) + " ago", nil
}
