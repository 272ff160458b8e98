// Package orchestrate has the commands of 'betcode orchestrate': check and draw plans, run them, and watch, pause, retry and cancel
// orchestrations.
//
// A plan becomes a request without a daemon (plan.go). A watcher derives the state of each step from the events, requests missed
// events after an outage, and ends with the result of the orchestration.
package orchestrate
