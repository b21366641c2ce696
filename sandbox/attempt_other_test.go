//go:build !linux

package sandbox

func attemptMain() bool { return false }

func fetchMain() bool { return false }

func serverMain() bool { return false }

func renamesMain() bool { return false }

func noUpper(Layer, string) bool { return false }

func hardshipMain() bool { return false }

func foreignMain() bool { return false }

func unlockedMain() bool { return false }
