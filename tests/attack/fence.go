package main

// fenceScenarios attack what docs/security.md says of: fence.
var fenceScenarios []scenario
