#!/usr/bin/env bash
# Writes the comparison as a comment on the pull request, or replaces the comment of an earlier run.
set -euo pipefail
marker="<!-- swell $NAME -->"
comments=$GITHUB_API_URL/repos/$GITHUB_REPOSITORY/issues
call() {
  curl -fsSL --retry 3 -H "Authorization: Bearer $TOKEN" -H 'Accept: application/vnd.github+json' "$@"
}
body=$(jq -Rs --arg marker "$marker" --arg name "$NAME" '{body: "\($marker)\n### Load test: \($name)\n\n\(.)"}' "swell-$NAME/compare.md")
# Pull requests from forks have a token that may only read. That is no reason to fail.
if ! found=$(call "$comments/$PULL_REQUEST/comments?per_page=100"); then
  echo "::warning::no comment: the comments of the pull request cannot be read"
  exit 0
fi
id=$(jq -r --arg marker "$marker" 'map(select(.body | startswith($marker))) | first | .id // empty' <<<"$found")
if [ -n "$id" ]; then
  call -o /dev/null -X PATCH -d "$body" "$comments/comments/$id" || echo "::warning::no comment: the token may not write it"
else
  call -o /dev/null -X POST -d "$body" "$comments/$PULL_REQUEST/comments" || echo "::warning::no comment: the token may not write it"
fi
