#!/usr/bin/env bash
# Checks what runs Swell in Kubernetes: lints the chart, renders it with each file in values/, validates the result and the other
# manifests with the schemas of Kubernetes, and runs the commands of the rendered pods as processes on this machine.
# Usage: test.sh PROGRAM
#
# What needs a tool that is missing is left out, and a line says so. In ~/.cache/swell they are found without a change of the path:
#   GOBIN=~/.cache/swell/bin go install helm.sh/helm/v3/cmd/helm@v3.19.0
#   GOBIN=~/.cache/swell/bin go install github.com/yannh/kubeconform/cmd/kubeconform@v0.7.0
#   python3 -m venv ~/.cache/swell/tools && ~/.cache/swell/tools/bin/pip install check-jsonschema kubernetes-validate pyyaml
set -euo pipefail
program=$(realpath "${1:?usage: test.sh PROGRAM}")
here=$(dirname "$(realpath "$0")")
source=$(realpath "$here/../..")
chart=$here/swell
cache=${XDG_CACHE_HOME:-$HOME/.cache}/swell
PATH=$PATH:$cache/bin:$cache/tools/bin
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "$1" >&2
  exit 1
}

has() {
  command -v "$1" >/dev/null || { echo "not checked, $1 is not installed: $2"; return 1; }
}

# The schemas that the Python package kubernetes-validate brings; none, if it is not there.
schemas() {
  local python
  for python in "$cache/tools/bin/python3" python3; do
    "$python" -c 'import kubernetes_validate, pathlib
print(max((pathlib.Path(kubernetes_validate.__file__).parent / "kubernetes-json-schema").glob("v*-local-strict"),
          key=lambda path: [int(part) for part in path.name[1:].split("-")[0].split(".")]))' 2>/dev/null && return
  done
}

valid() {
  kubeconform -strict -summary -schema-location "$folder/{{ .ResourceKind }}{{ .KindSuffix }}.json" "$@"
}

versions() {
  local version
  version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' "$source/Cargo.toml")
  [ "$(grep -Ec "^(version|appVersion): $version\$" "$chart/Chart.yaml")" = 2 ] || fail "Chart.yaml is not of version $version"
  grep -q "image: swell:$version\$" "$source/dist/kubernetes/job.yaml" || fail "job.yaml is not of version $version"
}

# A helm that was built with `go install` takes the cluster for an old one.
cluster=(--kube-version 1.30.0)

template() {
  helm template trial "$chart" "${cluster[@]}" "$@"
}

render() {
  template -f "$@"
}

lint_and_render() {
  local values
  for values in "$here"/values/*.yaml; do
    helm lint --strict --quiet "${cluster[@]}" "$chart" -f "$values"
    render "$values" >"$work/$(basename "$values")"
  done
  # A plan in the values, and no broker password in what is not a Secret.
  template --set-file "plan.content=$source/examples/first.jmx" --set-string 'plan.files.users\.csv=a\,b' \
    --set results.existingClaim=claim --set agents.hostNetwork=true >"$work/inline.yaml"
  grep -q 'users.csv' "$work/inline.yaml" || fail "a file of the plan is missing"
  # What is wrong is refused before anything is installed.
  local wrong
  for wrong in agents.kind=Pod agents.replicas=0 agents.replcas=3 broker.enabled=false plan.existingConfigMap= broker.url=http://h; do
    if render "$here/values/configmap.yaml" --set "$wrong" >/dev/null 2>"$work/err"; then fail "the chart took $wrong"; fi
  done
  echo "the chart was linted, and rendered $(find "$work" -name '*.yaml' | wc -l) times"
}

validate() {
  local folder=$work/schemas found file
  found=$(schemas)
  if [ -z "$found" ]; then
    echo "not checked, the Python package kubernetes-validate is not installed: manifests against schemas"
    return
  fi
  mkdir "$folder"
  # They refer to each other by addresses of a web site.
  for file in _definitions configmap-v1 deployment-apps-v1 job-batch-v1 persistentvolumeclaim-v1 secret-v1 service-v1; do
    jq 'del(."$id")' "$found/$file.json" | sed 's,"/api/_definitions.json#,"_definitions.json#,' >"$folder/$file.json"
  done
  "$program" fleet manifest k8s --agents 3 >"$work/fleet.yaml"
  valid "$work"/*.yaml "$source/dist/kubernetes/job.yaml"
  # A field that Kubernetes does not know is found.
  sed 's/backoffLimit/backofLimit/' "$source/dist/kubernetes/job.yaml" >"$work/wrong.yaml"
  if valid "$work/wrong.yaml" >/dev/null; then fail "a wrong field was not found"; fi
  rm -r "$work/wrong.yaml" "$work/fleet.yaml" "$folder"
}

compose() {
  "$program" fleet manifest compose --agents 3 >"$work/compose.yaml"
  check-jsonschema --builtin-schema vendor.compose-spec "$work/compose.yaml"
  rm "$work/compose.yaml"
}

play() {
  local python=python3
  if [ -x "$cache/tools/bin/python3" ]; then python=$cache/tools/bin/python3; fi
  "$python" -c 'import yaml' 2>/dev/null || { echo "not checked, Python's yaml is not installed: the commands of pods"; return; }
  template --set-file "plan.content=$source/examples/first.jmx" --set agents.replicas=2 \
    --set 'controller.thresholds={errors<=1%}' --set controller.properties.seconds=1 --set "controller.properties.port=PORT" \
    >"$work/play.yaml"
  "$python" "$here/play.py" "$program" "$work/play.yaml"
}

versions
if has check-jsonschema "the file for Docker Compose"; then compose; fi
if has helm "the chart"; then
  lint_and_render
  if has kubeconform "manifests against schemas"; then validate; fi
  if has nats-server "the commands of pods"; then play; fi
fi
