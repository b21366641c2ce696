package main

import (
	"bytes"
	"context"
	"net"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// TestEmitDeadBoard: a board that takes connections and never answers holds no agent up, and the agent hears nothing of it.
func TestEmitDeadBoard(t *testing.T) {
	dead, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer dead.Close()
	_, port, err := net.SplitHostPort(dead.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	rig := rigBinary(t)
	for agent, said := range map[string]string{
		"claude":   `{"hook_event_name":"Stop","session_id":"s"}`,
		"opencode": strings.Repeat(`{"type":"start","session":"s","id":"1","tool":"read"}`+"\n"+`{"type":"end","session":"s","id":"1","tool":"read"}`+"\n", 2000),
	} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // only ends a hang
		cmd := exec.CommandContext(ctx, rig, "wiki", "__emit", agent)
		cmd.Env = []string{"BOARD_PORT=" + port, "HOME=" + t.TempDir(), "PATH=/usr/bin:/bin"}
		cmd.Stdin = strings.NewReader(said)
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Run(); err != nil || out.Len() > 0 {
			t.Errorf("%s: %v, it said %q", agent, err, out.String())
		}
		cancel()
	}
}
