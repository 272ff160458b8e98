package git

import (
	"fmt"
	"strconv"
	"strings"
)

// gitCount is the variable with the number of settings that git reads from its environment.
const gitCount = "GIT_CONFIG_COUNT"

// ExplicitBareRepositories returns the variables that make git refuse a bare repository which it finds only because it runs in
// it. A clone may contain one as plain files, with settings that run programs, and an agent whose shell went there in an earlier
// call does not report it. The variables follow those that environ has for the same purpose; environ is "NAME=value". git has
// the setting since 2.38.
func ExplicitBareRepositories(environ []string) []string {
	count := 0
	for _, variable := range environ { // the last one counts
		if value, found := strings.CutPrefix(variable, gitCount+"="); found {
			n, err := strconv.Atoi(value)
			if count = n; err != nil || n < 0 {
				count = 0 // git would refuse every command
			}
		}
	}
	return []string{
		fmt.Sprintf("%s=%d", gitCount, count+1),
		fmt.Sprintf("GIT_CONFIG_KEY_%d=safe.bareRepository", count),
		fmt.Sprintf("GIT_CONFIG_VALUE_%d=explicit", count),
	}
}
