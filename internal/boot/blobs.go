package boot

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/assayhq/assay/configs"
	"github.com/assayhq/assay/store/blob"
)

// Blobs opens the store for recordings and uploaded files. It makes a missing
// folder. It does not connect to an S3 store yet.
func Blobs(ctx context.Context, c configs.Config) (*blob.Bucket, error) {
	b, err := blob.Open(ctx, c.Blobs.URL)
	if err != nil {
		return nil, fmt.Errorf("%w: name a folder that this process can write to, or a bucket, by blobs.url or ASSAY_BLOBS_URL", err)
	}
	return b, nil
}

// blobCheckLimit bounds how long CheckBlobs waits for a store.
const blobCheckLimit = 30 * time.Second

// CheckBlobs logs when blobs can't be written, so that an operator learns it before
// a trader's recording is refused. All other work continues.
func CheckBlobs(ctx context.Context, b *blob.Bucket, log *slog.Logger) {
	limited, cancel := context.WithTimeout(ctx, blobCheckLimit)
	defer cancel()
	if err := b.Check(limited); err != nil && ctx.Err() == nil {
		log.ErrorContext(ctx, "recordings and uploads can't be stored: see blobs.url", "error", err)
	}
}
