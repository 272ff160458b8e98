package planfile

import "encoding/json"

// Schema returns the JSON Schema of plan files.
func Schema() ([]byte, error) {
	top := schemaOf("A plan of steps that betcode plays.", planFields)
	top["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	top["title"] = "betcode plan"
	top["$defs"] = map[string]any{
		"step":         schemaOf("One subagent of a plan, or a merge.", stepFields),
		"budget":       schemaOf("What may be consumed.", budgetFields),
		"merge":        schemaOf("What a step merges.", mergeFields),
		"auto_approve": schemaOf("Bounds of what needs no person.", autoFields),
	}
	text, err := json.MarshalIndent(top, "", "  ")
	return append(text, '\n'), err
}

func schemaOf[T any](doc string, fields []field[T]) map[string]any {
	properties := map[string]any{}
	needed := []string{}
	for _, f := range fields {
		s := map[string]any{"description": f.doc}
		for k, v := range f.schema {
			s[k] = v
		}
		properties[f.name] = s
		if f.required {
			needed = append(needed, f.name)
		}
	}
	out := map[string]any{"type": "object", "description": doc, "properties": properties, "additionalProperties": false}
	if len(needed) > 0 {
		out["required"] = needed
	}
	return out
}
