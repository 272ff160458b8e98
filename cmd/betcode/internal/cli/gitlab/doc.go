// Package gitlab has the commands of 'betcode gitlab': merge requests, pipelines and issues, read through the daemon.
//
// The project is the one of the remote "origin" of the working directory, if none is named. Text of GitLab is cleaned of escapes
// before a terminal shows it.
package gitlab
