//go:build !race

package task

const racing = false
