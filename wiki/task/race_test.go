//go:build race

package task

const racing = true
