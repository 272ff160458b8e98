// Package planfile reads plans of orchestrations from YAML files.
//
// One table of fields (fields.go) decodes a file and generates its JSON Schema, so that both agree.
// The form is strict: an unknown or repeated key, an alias, or a value of another kind is an error.
// Each error has its line. Package plan checks the meaning of a plan; its errors get the lines of
// their fields.
package planfile
