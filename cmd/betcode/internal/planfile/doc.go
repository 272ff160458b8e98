// Package planfile reads plans of orchestrations from YAML files.
//
// One table of fields (fields.go) decodes a file and makes its JSON Schema, so that both agree. The form is strict: an unknown
// or repeated key, an alias, or a value of another kind is a mistake. Each mistake says its line. What a plan means is checked
// by package plan; the mistakes that it finds get the lines of what they are about.
package planfile
