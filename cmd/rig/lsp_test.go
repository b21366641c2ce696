package main

import (
	"io"
	"os"
	"testing"
	"time"
)

// A client that said exit keeps its side open until the server is gone.
func TestCloseEndsARead(t *testing.T) {
	in, client, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	defer in.Close()
	s := newStdio(in, io.Discard)
	ended := make(chan error, 1)
	go func() {
		_, err := s.Read(make([]byte, 1))
		ended <- err
	}()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-ended:
		if err == nil {
			t.Error("the read gave a byte that nobody sent")
		}
	case <-time.After(time.Minute):
		t.Fatal("the read goes on after Close")
	}
}
