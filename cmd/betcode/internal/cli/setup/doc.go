// Package setup has the commands of the first minutes and of the care of an installation: doctor, init and service.
package setup
