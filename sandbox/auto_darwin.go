package sandbox

import "context"

func tiers(c Choice) []tier {
	return []tier{
		{name: "C", layer: Copy(CopyOptions{Dialer: c.Dialer}), try: func(ctx context.Context, l Layer, _, _ string) error { return tryAll(ctx, l, c.Scratch) }},
		unconfined(c),
	}
}

// helpers is the table of what this executable can be started as.
func helpers() map[string]func() { return map[string]func(){probeName: probeMain} }
