package boot

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/assayhq/assay/configs"
	"github.com/assayhq/assay/store/blob"
)

// Blobs opens the place for recordings and uploaded files. A folder is made when
// it is missing; an S3 store is not asked yet.
func Blobs(ctx context.Context, c configs.Config) (*blob.Bucket, error) {
	b, err := blob.Open(ctx, c.Blobs.URL)
	if err != nil {
		return nil, fmt.Errorf("%w: name a folder that this process can write to, or a bucket, by blobs.url or ASSAY_BLOBS_URL", err)
	}
	return b, nil
}

// blobCheckLimit bounds how long CheckBlobs waits for a store.
const blobCheckLimit = 30 * time.Second

// CheckBlobs says in the log when blobs can't be written, so that an operator
// hears of it before a trader's recording is refused. All other work goes on.
func CheckBlobs(ctx context.Context, b *blob.Bucket, log *slog.Logger) {
	limited, cancel := context.WithTimeout(ctx, blobCheckLimit)
	defer cancel()
	if err := b.Check(limited); err != nil && ctx.Err() == nil {
		log.ErrorContext(ctx, "recordings and uploads can't be kept: see blobs.url", "error", err)
	}
}
