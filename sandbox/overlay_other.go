//go:build !linux

package sandbox

import (
	"context"
	"errors"
)

// Overlay is Linux's; here its Open is an error.
func Overlay(OverlayOptions) Layer { return noOverlay{} }

type noOverlay struct{}

func (noOverlay) Name() string { return "overlay" }

func (noOverlay) Open(context.Context, Spec) (Box, error) {
	return nil, errors.New("overlays are had on Linux only")
}
