package main

import "os/exec"

// runAs is for systems with numbered users.
func runAs(*exec.Cmd, int) {}
