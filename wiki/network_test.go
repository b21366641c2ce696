package wiki

import (
	"slices"
	"testing"
)

func TestLoopbackURLs(t *testing.T) {
	got := loopbackURLs([]string{
		`model_providers.x={base_url="http://127.0.0.1:8787/v1",wire_api="responses"}`, "--url=http://localhost:11434", "https://api.example.com:443/v1", "http://127.0.0.1/no-port",
		"http://127.0.0.1.example.com:80/", "http://evil@127.0.0.1:9/", "none",
	})
	if want := []string{"127.0.0.1:8787", "127.0.0.1:11434"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
