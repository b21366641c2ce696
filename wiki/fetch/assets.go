package fetch

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
)

// What the images of one page may cost together.
const (
	maxAssets     = 100
	maxAssetBytes = 50 << 20
)

// fetchAssets fetches the images of a page, each with the checks of a page. One that cannot be had stays a link, and is counted in a note.
func (f *Fetcher) fetchAssets(ctx context.Context, client *http.Client, p *Page) {
	list := slices.Clone(p.images)
	slices.Sort(list)
	missing, total := 0, 0
	for i, at := range slices.Compact(list) {
		asset, err := f.fetchAsset(ctx, client, at)
		if err != nil || i >= maxAssets || total+len(asset.Bytes) > maxAssetBytes {
			missing++
			continue
		}
		total += len(asset.Bytes)
		p.Assets = append(p.Assets, asset)
	}
	if missing > 0 {
		p.Notes = append(p.Notes, fmt.Sprintf("%d of %d images could not be kept and stay links", missing, missing+len(p.Assets)))
	}
}

func (f *Fetcher) fetchAsset(ctx context.Context, client *http.Client, at string) (Asset, error) {
	u, err := url.Parse(at)
	for hop := 0; err == nil && hop <= f.opts.Hops; hop++ {
		if err = checkScheme(u); err != nil {
			break
		}
		var a *answer
		var next *url.URL
		if a, next, err = f.ask(ctx, client, u); err != nil || next == nil {
			if err != nil {
				break
			}
			k, media := a.kindOf()
			if k.name != "binary" || k.ext == ".pdf" {
				return Asset{}, fmt.Errorf("%s is no image", media)
			}
			return Asset{URL: at, Ext: k.ext, Bytes: a.body}, nil
		}
		u = next
	}
	if err == nil {
		err = ErrHops
	}
	return Asset{}, err
}
