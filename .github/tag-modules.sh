#!/bin/sh
# Tags the modules for customers: tag-modules.sh v0.1.0. Go finds the versions of a module in a
# folder by tags with that folder. It can be run again on the same commit: the tags are the same,
# and pushing them changes nothing.
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
# Its date is that of the tag's commit, so that it is the same commit each time.
GIT_AUTHOR_DATE=$(git log -1 --format=%cI)
export GIT_AUTHOR_DATE GIT_COMMITTER_DATE="$GIT_AUTHOR_DATE"
git -c user.name=assay -c user.email=assay@users.noreply.github.com commit --quiet --message "client/assay: require the client of $tag" go.mod go.sum
git push origin "HEAD:refs/tags/client/assay/$tag"
