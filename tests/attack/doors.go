package main

// doorScenarios attack what docs/security.md says of: doors.
var doorScenarios []scenario
