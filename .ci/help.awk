# Prints what the Makefile offers, one line a target: its name, the text after ##, and the command under it.
/^[a-z-]+:.*## / {
    target = substr($0, 1, index($0, ":") - 1)
    text = substr($0, index($0, "## ") + 3)
    getline command
    sub(/^\t@?/, "", command)
    gsub(/\$\(PIP\)/, py " -m pip", command)
    gsub(/\$\(PY\)/, py, command)
    gsub(/\$\(STUDENTS\)/, students, command)
    gsub(/\$\(CHAPTERS\)/, chapters, command)
    gsub(/\$\(DIR\)/, dir, command)
    printf "make %-12s %-84s  %s\n", target, text, command
}
END {
    print "\nWithout make, once: python3 -m venv .venv && " py " -m pip install -c constraints.txt -e '.[dev,bench]'; then the commands on the right."
}
