// Package plan defines the plan of an orchestration, its steps and their dependencies, and checks a plan before it
// starts.
//
// The package is pure. The command line checks files with it, and the gateway requests; the actor of an orchestration
// relies on checked plans. [Plan.Check] returns each problem with its step and field, so that a caller can show where
// to correct it. Its time is linear in the number of steps and dependencies.
package plan
