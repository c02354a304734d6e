#!/bin/sh
# Creates $VENV with $PYTHON, or with the first Python >= 3.11 that it finds.
set -eu

new_enough() {
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null
}

for candidate in ${PYTHON:-python3 python3.14 python3.13 python3.12 python3.11}; do
    if new_enough "$candidate"; then
        rm -rf "$VENV"
        "$candidate" -m venv "$VENV" && exit 0
        echo "$candidate cannot create a virtual environment; on Debian and Ubuntu install" \
            "its venv package (apt install python3-venv), then repeat." >&2
        exit 1
    fi
done

echo "Vokter needs Python 3.11 or newer; ${PYTHON:-python3} is not, or is missing." \
    "Install one (https://www.python.org/downloads/, apt install python3, brew install python)" \
    "or name one: make PYTHON=/path/to/python3.12" >&2
exit 1
