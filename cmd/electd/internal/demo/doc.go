// Package demo shows an election at work: real electd processes, the s3 arbiter
// against an S3 server in this process, and faults on demand. What it prints is
// measured: leaders overlap if the guards of two processes say they were open at
// one instant of the clock that all processes of a machine share.
package demo
