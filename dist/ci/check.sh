#!/usr/bin/env bash
# Checks the recipes with the schemas and linters of their services. What needs a tool that is missing is left out, and a line says so:
# pip install check-jsonschema; go install github.com/rhysd/actionlint/cmd/actionlint@latest; swell jvm install, for Groovy.
set -euo pipefail
cd "$(dirname "$0")"
cache=${XDG_CACHE_HOME:-$HOME/.cache}/swell
PATH=$PATH:$cache/bin:$cache/tools/bin
has() { command -v "$1" >/dev/null || { echo "not checked, $1 is not installed: $2"; return 1; }; }

schema() {
  echo "$1:"
  check-jsonschema --builtin-schema "vendor.$2" "${@:3}"
}

if has check-jsonschema "recipes against the schemas of their services"; then
  schema github/action.yml github-actions github/action.yml
  schema github/workflow.yml github-workflows github/workflow.yml
  schema gitlab-ci.yml gitlab-ci --data-transform gitlab-ci gitlab-ci.yml
  # The schema wants continueOnError of a task to be a text and a truth value at once.
  without=$(mktemp --suffix=.yml)
  trap 'rm -f "$without"' EXIT
  grep -v 'continueOnError: true' azure-pipelines.yml >"$without"
  schema azure-pipelines.yml azure-pipelines --regex-variant python "$without"
fi
if has actionlint "the workflow"; then
  actionlint -shellcheck= github/workflow.yml
fi
if has shellcheck "scripts of the action"; then
  shellcheck github/*.sh
fi
jars=$(compgen -G "${JMETER_HOME:-$cache/jmeter-5.6.3}/lib/groovy*.jar" | tr '\n' ':') || true
if [ -n "$jars" ] && has java "the syntax of the Jenkinsfile"; then
  java -cp "$jars" groovy.ui.GroovyMain -e 'new GroovyShell().parse(new File("Jenkinsfile")); println "Jenkinsfile: Groovy"'
elif [ -z "$jars" ]; then
  echo "not checked, JMeter's Groovy is not installed: the syntax of the Jenkinsfile"
fi
