#!/bin/sh
# Tags the modules for customers: tag-modules.sh v0.1.0. Go finds the versions of a module in a
# folder by tags with that folder.
set -eu
tag=$1
for module in client/go contracttest; do
  git push origin "HEAD:refs/tags/$module/$tag"
done

# go install refuses a module that replaces another. The tag of the assay command is therefore on a
# commit of its own, which requires the released client in place of the one beside it.
export GOWORK=off GOPRIVATE=github.com/assayhq/assay
client=github.com/assayhq/assay/client/go
cd client/assay
go mod edit -dropreplace="$client" -require="$client@$tag"
go mod tidy
git -c user.name=assay -c user.email=assay@users.noreply.github.com commit --quiet --message "client/assay: require the client of $tag" go.mod go.sum
git push origin "HEAD:refs/tags/client/assay/$tag"
