// Package plan is the plan of an orchestration: steps, what each depends on, and the checks that a plan passes before
// anything starts.
//
// The package is pure. The command line checks a file with it, the gateway a request; the actor of an orchestration relies on
// a plan that was checked. [Plan.Check] returns every problem with the step and field that it is about, so that a caller can
// say where to correct it. Its time grows with steps and dependencies together.
package plan
