package boot

import (
	"context"
	"fmt"

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
