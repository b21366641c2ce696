package adapters

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
)

// shimFile is a file of a project that is ours as a whole: a plug-in that pipes what it sees to our emitter.
type shimFile struct {
	env      Env
	template string // RIG_COMMAND stands for the program
}

// shimMark is in the first line of every shim, by which we know it for ours.
const shimMark = "// Written by `rig wiki wire`"

var errForeign = errors.New("a file that is not ours has the name of our plug-in: move it, or wire that agent by hand")

func (s shimFile) add(old []byte) (text []byte, notes []string, err error) {
	program := s.env.Self
	if onPath(s.env) {
		program = "rig"
	}
	quoted, err := json.Marshal(program)
	if err != nil {
		return nil, nil, err
	}
	text = []byte(strings.ReplaceAll(s.template, "RIG_COMMAND", string(quoted)))
	switch {
	case len(old) == 0:
		return text, []string{"a plug-in that reports"}, nil
	case !bytes.HasPrefix(old, []byte(shimMark)):
		return nil, nil, errForeign
	}
	return text, []string{"our plug-in, brought up to date"}, nil
}

func (s shimFile) strip(old []byte) (text []byte, count int, err error) {
	if !bytes.HasPrefix(old, []byte(shimMark)) {
		return old, 0, nil
	}
	return nil, 1, nil
}

func (shimFile) nothing(text []byte) bool { return len(text) == 0 }
