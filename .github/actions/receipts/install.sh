#!/usr/bin/env bash
# Installs the package that this action is a part of, from the action's own checkout, into an environment of its own:
# nothing of the caller's workspace is installed, imported or changed.
set -euo pipefail

root="$(cd "$ACTION_PATH/../../.." && pwd)"
venv="${RUNNER_TEMP:?}/receipts-action"

if ! "$INPUT_PYTHON" -I -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
  echo "::error::receipts needs Python 3.11 or later; use actions/setup-python, or give a path as the input python"
  exit 3
fi
"$INPUT_PYTHON" -I -m venv "$venv"
bin="$venv/bin"
if [ -d "$venv/Scripts" ]; then bin="$venv/Scripts"; fi # Windows
if [ ! -e "$venv/installed" ]; then
  "$bin/python" -I -m pip install --quiet --disable-pip-version-check "$root[lint,mcp]"
  touch "$venv/installed"
fi
echo "bin=$bin" >> "$GITHUB_OUTPUT"
